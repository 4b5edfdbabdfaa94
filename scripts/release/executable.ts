// Builds the single executable of Latchkey: `bun scripts/release/executable.ts --out FILE
// [--platform linux-arm64]`.
import { copyFileSync, existsSync, linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { COUNTRY_ASSET, readCountries } from '@latchkey/links/clicks/country'
import { SCRIPT_ASSET } from '@latchkey/http/reference-page'
import { referenceScript } from '@latchkey/http/reference-script'
import { NATIVE_ASSETS } from '@latchkey/images/load-sharp'
import { embed } from './embed.ts'
import { type Platform, ownPlatform, platformNamed } from './platforms.ts'
import { ROOT, run } from './run.ts'
import { embedImageLibrary, runtimeOf } from './runtime.ts'

/**
 * The names of shared modules have hashes of their paths from the working directory, which are the
 * same in each clone only if this is a part of it.
 */
const CACHE = join(ROOT, 'node_modules/.cache')

/** The bundler stores NODE_ENV in the code. */
const { NODE_ENV: _, ...ENVIRONMENT } = process.env

/**
 * Puts the assets of the executable into `folder`, under the names by which packages/http finds them
 * (embedded-asset.ts).
 */
async function gather(folder: string): Promise<void> {
  const assets = join(folder, 'embedded-assets')
  for (const app of ['links', 'rooms']) {
    const client = join(assets, `latchkey-${app}`)
    await run([process.execPath, join(ROOT, `apps/${app}/src/web/build.ts`), client], ROOT, ENVIRONMENT)
    // Only the compressed forms are served.
    for (const name of readdirSync(client))
      if (existsSync(join(client, `${name}.gz`))) rmSync(join(client, name))
  }
  embed(join(assets, COUNTRY_ASSET), readCountries())
  embed(join(assets, SCRIPT_ASSET), await referenceScript())
}

/**
 * Options that embed the assets in alphabetical order. The bundler takes the files of a folder in the
 * order of the file system, so each file gets a folder of its own.
 */
function inOrder(folder: string): string[] {
  const ordered = join(folder, 'ordered')
  rmSync(ordered, { recursive: true, force: true })
  const names = [...new Bun.Glob('embedded-assets/**').scanSync({ cwd: folder })].toSorted()
  return names.flatMap((name, at) => {
    const file = join(ordered, String(at), name)
    mkdirSync(dirname(file), { recursive: true })
    linkSync(join(folder, name), file)
    return ['--asset', `ordered/${at}/embedded-assets`]
  })
}

/**
 * Compiles all code with the assets that `gather` put into `folder` to `file`. Throws the bundler's
 * error.
 */
async function compile(folder: string, platform: Platform, file: string): Promise<void> {
  const runtime = await runtimeOf(platform)
  const imageLibrary = join(folder, 'embedded-assets', NATIVE_ASSETS)
  rmSync(imageLibrary, { recursive: true, force: true })
  await embedImageLibrary(platform, imageLibrary)
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
      // would be lost, with `--keep-names` too.
      '--minify-whitespace',
      // The program and its workers share most modules.
      '--splitting',
      // What runs at the start is compiled ahead. Functions that are called later would double the
      // size of the code, and save a twentieth of a second (bench/executable).
      '--bytecode',
      '--bytecode-depth=0',
      '--format=esm',
      '--sourcemap=none',
      ...inOrder(folder),
      // Workers are found beside the program, whatever the folders of their sources.
      '--entry-naming=[name].[ext]',
      // No file in the working directory changes its behaviour.
      '--no-compile-autoload-dotenv',
      '--no-compile-autoload-bunfig',
      join(ROOT, 'apps/latchkey/src/latchkey.ts'),
      join(ROOT, 'apps/links/src/analytics/explorer/filtered-worker.ts'),
      join(ROOT, 'apps/links/src/counting/drain-worker.ts'),
      join(ROOT, 'apps/links/src/links/behaviour/password-worker.ts'),
      join(ROOT, 'apps/links/src/qr/code-worker.ts'),
      join(ROOT, 'apps/links/src/transfer/import-worker.ts'),
      join(ROOT, 'packages/database/src/read-worker.ts'),
      '--outfile',
      output,
    ],
    folder,
    ENVIRONMENT,
  )
  copyFileSync(output, file)
  rmSync(output)
}

/** Builds the executable of each platform as this file. Throws the bundler's error. */
export async function buildExecutables(files: ReadonlyMap<Platform, string>): Promise<void> {
  mkdirSync(CACHE, { recursive: true })
  const folder = mkdtempSync(join(CACHE, 'latchkey-release-'))
  try {
    await gather(folder)
    for (const [platform, file] of files) await compile(folder, platform, file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export async function buildExecutable(platform: Platform, file: string): Promise<void> {
  await buildExecutables(new Map([[platform, file]]))
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { out: { type: 'string' }, platform: { type: 'string' } } })
  const platform = values.platform === undefined ? ownPlatform() : platformNamed(values.platform)
  const file = values.out ?? join(ROOT, `dist/latchkey-${platform.name}${platform.suffix}`)
  mkdirSync(dirname(file), { recursive: true })
  await buildExecutable(platform, file)
}
