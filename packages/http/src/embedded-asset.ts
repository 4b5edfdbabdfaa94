import { existsSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, 'carried')

/**
 * The path of what the executable carries with it under this name (scripts/release/executable.ts); undefined where there is
 * no such thing, as when Latchkey runs from its source.
 *
 * @example const folder = carried('latchkey-links')
 */
export function embeddedAsset(name: string): string | undefined {
  const path = join(FOLDER, name)
  return existsSync(path) ? path : undefined
}
