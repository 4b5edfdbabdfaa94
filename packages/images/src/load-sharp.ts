import { dlopen } from 'bun:ffi'
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { Module } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { platform } from 'node:process'
import { COMPRESSED, embeddedAsset } from '@latchkey/http/embedded-asset'

/** Folder of the embedded assets with the native parts of the library, by package (scripts/release). */
export const NATIVE_ASSETS = 'image-library'

/** Loads the library, from the executable if it is embedded there. Throws if the system lacks what it needs. */
export async function loadSharp(): Promise<typeof import('sharp').default> {
  const assets = embeddedAsset(NATIVE_ASSETS)
  if (assets === undefined) return (await import('sharp')).default
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-images-'))
  const descriptors: number[] = []
  try {
    resolveNativeModule(unpack(assets, folder, descriptors))
    return (await import('sharp')).default
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor)
    // Windows deletes no library that is in use.
    if (platform !== 'win32') rmSync(folder, { recursive: true })
  }
}

/**
 * Places the libraries in `folder` beside each other, as their packages are. Returns the path of the
 * native module.
 */
function unpack(assets: string, folder: string, descriptors: number[]): string {
  let nativeModule = ''
  for (const name of readdirSync(assets, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith(COMPRESSED)) continue
    const to = join(folder, name.slice(0, -COMPRESSED.length))
    const content = Bun.zstdDecompressSync(readFileSync(join(assets, name)))
    mkdirSync(dirname(to), { recursive: true })
    if (platform === 'linux') symlinkSync(`/proc/self/fd/${toMemory(content, descriptors)}`, to)
    else writeFileSync(to, content)
    if (to.endsWith('.node')) nativeModule = to
  }
  return nativeModule
}

/** Containers often permit no program code in their folder for temporary files. */
function toMemory(content: Uint8Array, descriptors: number[]): number {
  const { symbols } = dlopen('libc.so.6', { memfd_create: { args: ['cstring', 'u32'], returns: 'int' } })
  const descriptor = symbols.memfd_create(Buffer.from('latchkey\0'), 0)
  if (descriptor < 0) throw new Error('The system provides no file in memory')
  descriptors.push(descriptor)
  for (let at = 0; at < content.length;) at += writeSync(descriptor, content, at)
  return descriptor
}

/** The library looks for its native module in packages, which an executable does not have. */
function resolveNativeModule(path: string): void {
  const loader = Module as unknown as { _resolveFilename: (request: string, ...rest: unknown[]) => string }
  const resolve = loader._resolveFilename
  loader._resolveFilename = (request, ...rest) =>
    /^@img\/sharp-.*\/sharp\.node$/.test(request) ? path : resolve.call(loader, request, ...rest)
}
