// Builds the single executable of Latchkey: `bun scripts/release/executable.ts --out FILE
// [--platform linux-arm64]`.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { countryFile } from '@latchkey/links/clicks/country'
import { referenceScript } from '@latchkey/http/reference-script'
import { NATIVE_ASSETS } from '@latchkey/rooms/files/images/load-sharp'
import { type Platform, ownPlatform, platformNamed } from './platforms.ts'
import { ROOT, run } from './run.ts'
import { copyImageLibrary, runtimeOf } from './runtime.ts'

/**
 * Copies the assets of the executable to `folder`, under the names by which `embeddedAsset` of
 * packages/http finds them.
 */
export async function gather(folder: string): Promise<void> {
  const assets = join(folder, 'embedded-assets')
  mkdirSync(assets, { recursive: true })
  for (const app of ['links', 'rooms'])
    await run([process.execPath, join(ROOT, `apps/${app}/src/web/build.ts`), join(assets, `latchkey-${app}`)])
  copyFileSync(countryFile(), join(assets, 'countries.mmdb'))
  writeFileSync(join(assets, 'scalar.js'), await referenceScript())
}

/**
 * Compiles all code with the assets that `gather` put into `folder` to `file`. Throws the bundler's
 * error.
 */
export async function compile(folder: string, platform: Platform, file: string): Promise<void> {
  const runtime = await runtimeOf(platform)
  const imageLibrary = join(folder, 'embedded-assets', NATIVE_ASSETS)
  rmSync(imageLibrary, { recursive: true, force: true })
  await copyImageLibrary(platform, imageLibrary)
  // The name of the file becomes part of its contents, so it is always the same.
  const output = join(folder, `latchkey${platform.suffix}`)
  await run(
    [
      process.execPath,
      'build',
      '--compile',
      `--target=${platform.target}`,
      `--compile-executable-path=${runtime}`,
      // Whitespace only: the demo identity provider distinguishes its tokens by class names, which
      // would be lost.
      '--minify-whitespace',
      // Code compiled ahead is not parsed at every start: a third of the time until the first
      // redirect.
      '--bytecode',
      '--format=esm',
      '--sourcemap=none',
      '--asset',
      'embedded-assets',
      // Workers are found beside the program, whatever the folders of their sources.
      '--entry-naming=[name].[ext]',
      // No file in the working directory changes its behaviour.
      '--no-compile-autoload-dotenv',
      '--no-compile-autoload-bunfig',
      join(ROOT, 'apps/latchkey/src/latchkey.ts'),
      join(ROOT, 'apps/links/src/analytics/explorer/filtered-worker.ts'),
      join(ROOT, 'apps/links/src/counting/drain-worker.ts'),
      join(ROOT, 'apps/links/src/links/behaviour/password-worker.ts'),
      join(ROOT, 'apps/links/src/transfer/import-worker.ts'),
      join(ROOT, 'packages/database/src/read-worker.ts'),
      '--outfile',
      output,
    ],
    folder,
  )
  copyFileSync(output, file)
  rmSync(output)
}

/** Gathers and compiles in a temporary folder, which is deleted afterwards. */
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
  const file = values.out ?? join(ROOT, `dist/latchkey-${platform.name}${platform.suffix}`)
  mkdirSync(dirname(file), { recursive: true })
  await buildExecutable(platform, file)
}
