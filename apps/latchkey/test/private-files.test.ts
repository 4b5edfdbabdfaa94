import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, statSync, writeFileSync } from 'node:fs'
import { LATCHKEY } from '../../../scripts/latchkey-command.ts'
import { Workspace } from './running.ts'

/** Redirects the command's output to a file that a shell creates with all permissions. */
const REDIRECTED = ['sh', '-c', 'umask 0; exec "$0" "$@" > "$OUT"', ...LATCHKEY]

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

function readableByAll(path: string, text = ''): void {
  writeFileSync(path, text)
  chmodSync(path, 0o666)
}

describe('the output file of a command', () => {
  const workspace = new Workspace({}, REDIRECTED)
  afterAll(() => workspace.remove())
  const OUT = workspace.path('out')
  // Each creates its instance before it refuses the empty file.
  beforeAll(async () => {
    const nothing = await workspace.write('nothing', '')
    await workspace.run(['links', 'import', nothing, '--format', 'csv', '--owner', 'ann'], { env: { OUT } })
    await workspace.run(['rooms', 'import', nothing], { env: { OUT } })
  })

  for (const args of [
    ['links', 'export'],
    ['links', 'export', '--format', 'csv'],
    ['links', 'export', '--everything'],
    ['rooms', 'export'],
  ])
    test(`${args.join(' ')}: only the owner can read the file, even if all users could before`, async () => {
      for (const isThere of [false, true]) {
        const file = workspace.path(`${args.join('')}-${isThere}`)
        if (isThere) readableByAll(file, 'what was in it before')
        const { code, err } = await workspace.run(args, { env: { OUT: file } })
        expect([code, err.includes('Other users can read the output file'), modeOf(file)]).toEqual([
          0,
          false,
          '600',
        ])
        expect(await Bun.file(file).text()).not.toContain('what was in it before')
      }
    })

  test('the mode of a device does not change', async () => {
    const before = modeOf('/dev/null')
    const { code } = await workspace.run(['links', 'export'], { env: { OUT: '/dev/null' } })
    expect([code, modeOf('/dev/null')]).toEqual([0, before])
  })

  test('L21.9: only the owner can read the report of an import, or a backup', async () => {
    const links = await workspace.write('links.csv', 'url\nhttps://example.com/\n')
    const [created, existing] = [workspace.path('made.ndjson'), workspace.path('found.ndjson')]
    readableByAll(existing)
    for (const report of [created, existing]) {
      const args = ['links', 'import', links, '--format', 'csv', '--owner', 'ann', '--report', report]
      expect([(await workspace.run(args, { env: { OUT } })).code, modeOf(report)]).toEqual([0, '600'])
    }
    const backup = workspace.path('backup.db')
    expect([(await workspace.run(['backup', backup], { env: { OUT } })).code, modeOf(backup)]).toEqual([
      0,
      '600',
    ])
  })
})
