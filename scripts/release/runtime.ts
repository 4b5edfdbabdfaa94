import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync } from 'node:fs'
import { basename, join } from 'node:path'
import { embed } from './embed.ts'
import { type Platform, ownPlatform } from './platforms.ts'
import { ROOT, run } from './run.ts'

const CACHE = join(ROOT, 'node_modules/.cache/latchkey-runtimes')

/**
 * Returns the runtime of a platform: for this machine the running one, for others the one that
 * package-lock.json names, fetched once from the npm registry. Throws if it is unavailable or does
 * not match package-lock.json.
 */
export async function runtimeOf(platform: Platform): Promise<string> {
  const { version } = lockEntryOf(platform.runtime.package)
  if (platform.name === ownPlatform().name && Bun.version === version) return process.execPath
  return join(await packageFolder(platform.runtime.package), 'bin', platform.runtime.file)
}

/**
 * Returns the folder of an npm package that need not be installed here, in the version of
 * package-lock.json, fetched once. Throws if it is unavailable or does not match package-lock.json.
 */
async function packageFolder(name: string): Promise<string> {
  const { version, integrity } = lockEntryOf(name)
  const folder = join(CACHE, `${name.replaceAll(/[@/]/g, '')}-${version}`)
  if (existsSync(folder)) return join(folder, 'package')
  const parts = `${folder}.${process.pid}`
  mkdirSync(parts, { recursive: true })
  const wanted = `${name}@${version}`
  const file = (await run(['npm', 'pack', '--silent', '--pack-destination', parts, wanted])).trim()
  const packed = join(parts, basename(file))
  if (hashOf(packed) !== integrity) throw new Error(`${wanted} is not what package-lock.json expects`)
  await run(['tar', '-xzf', packed, '-C', parts])
  renameSync(parts, folder)
  return join(folder, 'package')
}

/**
 * Embeds the native libraries for images of a platform in a folder for each of their packages, in
 * which they find each other. Throws like `runtimeOf`.
 */
export async function embedImageLibrary(platform: Platform, to: string): Promise<void> {
  for (const name of platform.imageLibrary) {
    const installed = join(ROOT, 'node_modules', name)
    const from = existsSync(installed) ? installed : await packageFolder(name)
    for (const file of readdirSync(join(from, 'lib')))
      if (LIBRARY.test(file))
        embed(join(to, basename(name), 'lib', file), readFileSync(join(from, 'lib', file)))
  }
}

const LIBRARY = /\.(?:node|dylib|dll)$|\.so\b/

function hashOf(file: string): string {
  return `sha512-${new Bun.CryptoHasher('sha512').update(readFileSync(file)).digest('base64')}`
}

/** Returns the entry of a top-level package in package-lock.json. Throws if there is none. */
function lockEntryOf(name: string): { version: string; integrity: string } {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string; integrity?: string }>
  }
  const { version, integrity } = packages[`node_modules/${name}`] ?? {}
  if (version === undefined || integrity === undefined)
    throw new Error(`package-lock.json does not know ${name}`)
  return { version, integrity }
}
