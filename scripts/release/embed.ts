import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { COMPRESSED } from '@latchkey/http/embedded-asset'

/** Ten levels more save a twentieth, and take twenty times as long. */
const LEVEL = 9

/** Stores an asset compressed, because the bundler embeds files as they are. */
export function embed(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path + COMPRESSED, Bun.zstdCompressSync(content, { level: LEVEL }))
}
