// Builds the one file that is all of Latchkey: `bun scripts/release/executable.ts --out FILE [--platform linux-arm64]`.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { countryFile } from '@latchkey/links/clicks/country'
import { referenceScript } from '@latchkey/http/reference-script'
import { type Platform, ownPlatform, platformNamed } from './platforms.ts'
import { ROOT, run } from './run.ts'
import { runtimeOf } from './runtime.ts'

/** What the executable carries beside its code, under the names that `embeddedAsset` of packages/http finds it by. */
export async function gather(folder: string): Promise<void> {
  const carried = join(folder, 'carried')
  mkdirSync(carried, { recursive: true })
  for (const app of ['links', 'rooms'])
    await run([
      process.execPath,
      join(ROOT, `apps/${app}/src/web/build.ts`),
      join(carried, `latchkey-${app}`),
    ])
  copyFileSync(countryFile(), join(carried, 'countries.mmdb'))
  writeFileSync(join(carried, 'scalar.js'), await referenceScript())
}

/** Compiles everything with what `gather` put into `folder` to `file`. Throws what the bundler says. */
export async function compile(folder: string, platform: Platform, file: string): Promise<void> {
  const runtime = await runtimeOf(platform)
  // Its name becomes part of it, so that is always the same.
  const made = join(folder, `latchkey${platform.suffix}`)
  await run(
    [
      process.execPath,
      'build',
      '--compile',
      `--target=${platform.target}`,
      `--compile-executable-path=${runtime}`,
      // No more than that: the demo identity provider tells its tokens apart by the names of classes, which would be lost.
      '--minify-whitespace',
      // Compiled ahead, the code need not be read at every start: a third of the time until the first redirect.
      '--bytecode',
      '--format=esm',
      '--sourcemap=none',
      '--asset',
      'carried',
      // Workers are found beside the program, whatever the folders of their sources are.
      '--entry-naming=[name].[ext]',
      // Nothing in the folder that it is started in changes what it does.
      '--no-compile-autoload-dotenv',
      '--no-compile-autoload-bunfig',
      join(ROOT, 'apps/latchkey/src/latchkey.ts'),
      join(ROOT, 'apps/links/src/clicks/drain-worker.ts'),
      join(ROOT, 'apps/links/src/transfer/import-worker.ts'),
      join(ROOT, 'packages/database/src/read-worker.ts'),
      '--outfile',
      made,
    ],
    folder,
  )
  copyFileSync(made, file)
  rmSync(made)
}

/** Everything at once, in a folder that is removed again. */
export async function buildExecutable(platform: Platform, file: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-release-'))
  try {
    await gather(folder)
    await compile(folder, platform, file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { out: { type: 'string' }, platform: { type: 'string' } } })
  const platform = values.platform === undefined ? ownPlatform() : platformNamed(values.platform)
  await buildExecutable(platform, values.out ?? `latchkey-${platform.name}${platform.suffix}`)
}
