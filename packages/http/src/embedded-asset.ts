import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, 'embedded-assets')

/**
 * Returns the path of an asset embedded in the executable (scripts/release/executable.ts).
 * Undefined if there is none, as when Latchkey runs from source.
 *
 * @example const folder = embeddedAsset('latchkey-links')
 */
export function embeddedAsset(name: string): string | undefined {
  const path = join(FOLDER, name)
  return existsSync(path) ? path : undefined
}

/** What follows the name of a compressed asset. */
export const COMPRESSED = '.zst'

/**
 * Returns the content of an asset that is embedded compressed. Undefined if there is none.
 *
 * @example const countries = readEmbeddedAsset('countries.mmdb')
 */
export function readEmbeddedAsset(name: string): Buffer | undefined {
  const path = embeddedAsset(name + COMPRESSED)
  return path === undefined ? undefined : Bun.zstdDecompressSync(readFileSync(path))
}
