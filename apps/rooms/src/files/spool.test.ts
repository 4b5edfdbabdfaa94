import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../../test/until.ts'
import { sweepSpool } from './spool.ts'

test('R31.2: what broken uploads left is deleted after an hour, and uploads in progress are not', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-spool-'))
  for (const [name, ageSeconds] of [
    ['old', 3_601],
    ['new', 60],
  ] as const) {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'sent'), 'half')
    const at = Date.now() / 1000 - ageSeconds
    utimesSync(join(folder, name), at, at)
  }
  const end = sweepSpool(folder)
  await until(() => readdirSync(folder).length < 2)
  end()
  expect(readdirSync(folder)).toEqual(['new'])
  rmSync(folder, { recursive: true })
})
