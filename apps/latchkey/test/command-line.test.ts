import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { declarations as linksDeclarations } from '@latchkey/links/settings/declarations'
import { declarations as roomsDeclarations } from '@latchkey/rooms/settings/declarations'
import manifest from '../package.json' with { type: 'json' }
import { Workspace } from './running.ts'
import { InvalidBackup } from '../src/backup/tar.ts'
import { formatError } from '../src/format-error.ts'

const workspace = new Workspace()
afterAll(() => workspace.remove())

describe('latchkey', () => {
  test('--version prints only the version', async () => {
    expect(await workspace.run(['--version'])).toEqual({ code: 0, out: `${manifest.version}\n`, err: '' })
  })

  test('--help lists every command on stdout', async () => {
    const { code, out, err } = await workspace.run(['--help'])
    expect([code, err]).toEqual([0, ''])
    for (const command of [
      'start',
      'links',
      'keys create',
      'keys list',
      'keys revoke',
      'links import',
      'links export',
      'links explain',
      'clicks import',
      'backup',
      'restore',
      'upgrade',
      'doctor',
      'health',
    ])
      expect(out).toContain(`latchkey ${command}`)
  })

  test('no line of --help exceeds 120 columns', async () => {
    const { out } = await workspace.run(['--help'])
    expect(out.split('\n').filter((line) => line.length > 120)).toEqual([])
  })

  test('COMMAND --help shows the synopsis and every setting of the services that the command runs', async () => {
    const services = { links: [linksDeclarations], rooms: [roomsDeclarations] }
    for (const [command, declarations] of Object.entries({
      ...services,
      start: [linksDeclarations, roomsDeclarations],
    })) {
      const { code, out } = await workspace.run([command, '--help'])
      expect([code, out.startsWith(`latchkey ${command}`)]).toEqual([0, true])
      for (const { name } of declarations.flatMap((each) => Object.values(each)))
        expect(out).toMatch(new RegExp(`^  ${name} `, 'm'))
      expect(out.includes('Settings of Rooms')).toBe(command !== 'links')
      expect(out.includes('Settings of Links')).toBe(command !== 'rooms')
    }
  })

  test('the help of a command that runs no service refers to the list of settings', async () => {
    for (const words of [
      ['links', 'import'],
      ['keys', 'create'],
      ['backup'],
      ['restore'],
      ['doctor'],
      ['rooms', 'import'],
    ]) {
      const { code, out } = await workspace.run([...words, '--help'])
      expect(code).toBe(0)
      expect(out).toStartWith(`latchkey ${words.join(' ')}`)
      expect(out).toContain('latchkey start --help lists them')
      expect(out).not.toContain('LINKS_PORT')
    }
  })

  test('the help of a first word covers every command with that word', async () => {
    const { code, out } = await workspace.run(['keys', '--help'])
    expect(code).toBe(0)
    for (const command of ['keys create', 'keys list', 'keys revoke'])
      expect(out).toContain(`latchkey ${command}`)
  })

  test.each([[[]], [['frobnicate']], [['keys']], [['clicks']], [['frobnicate', '--help']]])(
    '%p is not a command: exit 2 with the usage on stderr',
    async (args: string[]) => {
      const { code, out, err } = await workspace.run(args)
      expect([code, out]).toEqual([2, ''])
      expect(err).toContain('Usage:')
      expect(err).toContain('latchkey keys create')
    },
  )

  test.each([
    [['keys', 'create', '--identity', 'a@b.test'], 'Missing: --scope, --title'],
    [
      ['keys', 'create', '--identity', 'a@b.test', '--scope', 'read,create', '--title', 'x'],
      'Scope must be one of',
    ],
    [
      ['keys', 'create', '--identity', ' ', '--scope', 'read', '--title', 'x'],
      '--identity must be a name of at most 320 characters',
    ],
    [
      ['links', 'import', 'f.csv', '--format', 'csv', '--owner', 'a'.repeat(321)],
      '--owner must be a name of at most 320 characters',
    ],
    [['keys', 'revoke'], 'Missing: ID'],
    [['keys', 'revoke', 'sk_1'], 'ID is the number'],
    [['keys', 'list', 'all'], 'all'],
    [['links', 'import', 'f.csv'], 'Missing: --format, --owner'],
    [
      ['links', 'import', 'f.csv', '--format', 'excel', '--owner', 'a'],
      '--format must be one of: csv, shrtnr',
    ],
    [['links', 'import', '--format', 'csv', '--owner', 'a'], 'Missing: FILE'],
    [
      ['links', 'import', 'f', '--everything', '--format', 'csv'],
      '--everything cannot be combined with --format',
    ],
    [
      ['links', 'import', 'f', '--everything', '--bundles-from-tags'],
      '--everything cannot be combined with --bundles-from-tags',
    ],
    [['links', 'export', 'file.csv'], 'Redirect stdout'],
    [['links', 'export', '--everything', '--format', 'csv'], '--everything cannot be combined with --format'],
    [['rooms', 'import', 'f', '--everything'], '--everything'],
    [['rooms', 'export', 'file.ndjson'], 'Redirect stdout'],
    [['links', 'serve'], 'serve'],
    [['start', '--port', '1'], '--port'],
    [['backup'], 'Missing: FILE'],
    [['backup', 'a', 'b'], 'Unexpected argument: b'],
    [['backup', 'a', '--service', 'both'], '--service must be one of: links, rooms'],
    [['restore'], 'Missing: FILE'],
    [['restore', 'a', '--service', 'both'], '--service must be one of: links, rooms'],
    [['upgrade'], 'Missing: --check'],
    [['health', '--service', 'both'], '--service must be one of: links, rooms'],
    [['clicks', 'import', '-'], 'stdin'],
  ])('%p is refused with exit 2 and changes nothing', async (args: string[], problem: string) => {
    const { code, out, err } = await workspace.run(args)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(problem)
    expect(err).toContain(`Usage: latchkey ${args[0]}`)
    expect(existsSync(workspace.path('data'))).toBe(false)
  })

  test.each([
    [['keys', 'list']],
    [['start']],
    [['links']],
    [['links', 'export']],
    [['backup', 'b.db']],
    [['doctor']],
  ])('%p reports all invalid settings at once and exits 1', async (args: string[]) => {
    const { code, out, err } = await workspace.run(args, {
      env: { LINKS_PORT: '99999', LINKS_ACCESS: 'open' },
    })
    expect(code).toBe(1)
    for (const name of ['LINKS_PORT', 'LINKS_ACCESS']) expect(out + err).toContain(`${name} must be`)
    expect(err).not.toMatch(/\n\s+at /)
    expect(existsSync(workspace.database)).toBe(false)
  })

  test('a database that cannot be created or reached is reported in one sentence, without a stack', async () => {
    for (const url of [
      'sqlite:/proc/nowhere/links.db',
      'postgres://links:hunter2@127.0.0.1:1/links',
      'postgres://links:hunter2@%2Fproc%2Fnowhere/links',
    ])
      for (const args of [['keys', 'list'], ['links', 'export'], ['links']]) {
        const { code, err } = await workspace.run(args, { env: { LINKS_DATABASE_URL: url } })
        expect(code).toBe(1)
        expect(err.trim().split('\n')).toHaveLength(1)
        expect(err).not.toContain('hunter2')
        expect(err).toContain('LINKS_DATABASE_URL')
      }
  })
})

test('O4.4f: an error that quotes a hostile archive does not control the terminal', () => {
  const hostile = new InvalidBackup('it has \u001b]0;owned\u0007 and \u009b2J\rnothing\n\tmore')
  expect(formatError(hostile)).toBe(
    'The backup cannot be used: it has \uFFFD]0;owned\uFFFD and \uFFFD2J\uFFFDnothing\n\tmore',
  )
})
