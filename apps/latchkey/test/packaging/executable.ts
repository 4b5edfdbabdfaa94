import { afterAll, beforeAll } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildExecutable } from '../../../../scripts/release/executable.ts'
import { ownPlatform } from '../../../../scripts/release/platforms.ts'

/**
 * The executable of this machine's platform, for the tests of the calling file: the shared build of
 * `npm test`, or a new build.
 */
export function testExecutable(): { path: string } {
  const sharedPath = process.env['LATCHKEY_TEST_EXECUTABLE']
  if (sharedPath) return { path: sharedPath }
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-executable-'))
  const path = join(folder, 'latchkey')
  beforeAll(() => buildExecutable(ownPlatform(), path), 240_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return { path }
}
