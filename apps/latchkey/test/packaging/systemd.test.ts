import { afterAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SECRET_SETTINGS } from './secret-settings.ts'

const UNITS = join(import.meta.dir, '../../../../deploy/systemd')
const WITHIN = ['latchkey-links.service', 'latchkey-rooms.service'] as const
const isHere = Bun.which('systemd-analyze') !== null

describe.each(WITHIN)('deploy/systemd/%s', (name) => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-units-'))
  const text = readFileSync(join(UNITS, name), 'utf8')
  cpSync(UNITS, folder, { recursive: true })
  // This machine has no executable at the path of the unit.
  const unit = join(folder, name)
  writeFileSync(unit, text.replace('/usr/local/bin/latchkey', '/bin/true'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  function analyze(...args: string[]) {
    const { exitCode, stdout, stderr } = Bun.spawnSync(['systemd-analyze', ...args, unit])
    return { exitCode, output: stderr.toString() + stdout.toString() }
  }

  test.skipIf(!isHere)('passes the verification of systemd', () => {
    expect(analyze('verify')).toEqual({ exitCode: 0, output: '' })
  })

  test.skipIf(!isHere)('has an exposure level below 2 of 10', () => {
    // The threshold is in tenths.
    const { exitCode, output } = analyze('security', '--offline=true', '--threshold=19')
    expect(output).toContain('Overall exposure level')
    expect(exitCode).toBe(0)
  })

  test('passes secrets as files, to settings that accept files', () => {
    const variables = [...text.matchAll(/^Environment=(\w+)_FILE=%d\/(\S+)$/gm)]
    const loaded = [...text.matchAll(/^LoadCredential=([^:\n]+):/gm)].map(([, id]) => id)
    expect(variables.map(([, , id]) => id)).toEqual(loaded)
    expect(variables.length).toBeGreaterThan(0)
    for (const [, setting = ''] of variables) expect(SECRET_SETTINGS).toContain(setting)
  })
})
