import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { LATCHKEY } from '../../../scripts/latchkey-command.ts'
import { Workspace, type Service } from './running.ts'

const KEY = /^sk_[0-9a-f]{48}\n$/

describe('latchkey keys', () => {
  const workspace = new Workspace()
  /** The instance of `workspace`, with its output on a full disk. */
  const full = new Workspace({ LINKS_DATABASE_URL: `sqlite:${workspace.database}` }, [
    'sh',
    '-c',
    'exec "$0" "$@" > /dev/full',
    ...LATCHKEY,
  ])
  afterAll(() => {
    workspace.remove()
    full.remove()
  })
  const create = (title: string, scope = 'create,read') =>
    workspace.run(['keys', 'create', '--identity', 'ada@example.com', '--scope', scope, '--title', title])

  test('list and revoke create no database, and name the missing file', async () => {
    for (const args of [
      ['keys', 'list'],
      ['keys', 'revoke', '1'],
    ]) {
      const { code, out, err } = await workspace.run(args)
      expect([code, out]).toEqual([1, ''])
      expect(err).toContain('There is no database at ')
      expect(err).toContain('LINKS_DATABASE_URL')
    }
    expect(existsSync(workspace.database)).toBe(false)
  })

  test('L21: create creates the database and prints only the raw key', async () => {
    const { code, out, err } = await create('First')
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(KEY)
  })

  test('create names the invalid value, and creates no key', async () => {
    for (const [title, scope, problem] of [
      ['x'.repeat(121), 'read', '--title must be at most 120 characters\n'],
      [' ', 'read', 'Title is required\n'],
      ['x', 'read,create', 'Scope must be one of: create, read, create,read\n'],
    ] as const) {
      const { code, out, err } = await create(title, scope)
      expect([code, out, err.startsWith(problem)]).toEqual([2, '', true])
    }
  })

  test('list shows all keys in columns, but never a raw key', async () => {
    const { out: raw } = await create('Second \u001b[31m red', 'read')
    const { code, out, err } = await workspace.run(['keys', 'list'])
    expect([code, err]).toEqual([0, ''])
    const [header, ...rows] = out.trimEnd().split('\n')
    expect(header).toMatch(/^ID +PREFIX +SCOPE +IDENTITY +CREATED +LAST USED +TITLE$/)
    expect(rows).toHaveLength(2)
    expect(rows[0]).toMatch(/^2 +sk_[0-9a-f]{4} +read +ada@example\.com +\d{4}-\S+Z +never +Second/)
    expect(rows[0]?.indexOf('read')).toBe(header?.indexOf('SCOPE'))
    expect(out).not.toContain(raw.trim())
    expect(out).not.toContain('\u001b')
  })

  test('output that cannot be written is one sentence and exit 1, and deletes the key that it could not print', async () => {
    const problem = { code: 1, out: '', err: 'The output cannot be written: the disk is full\n' }
    const creating = ['keys', 'create', '--identity', 'a', '--scope', 'read', '--title', 'Unseen']
    for (const args of [creating, ['keys', 'list']]) expect(await full.run(args)).toEqual(problem)
    const child = workspace.spawn(['keys', 'list'])
    await child.stdout.cancel()
    expect(await new Response(child.stderr).text()).toBe('The output pipe was closed early\n')
    expect(await child.exited).toBe(1)
    expect((await workspace.run(['keys', 'list'])).out).not.toContain('Unseen')
  })

  test('revoke deletes one key; an unknown key is exit 1', async () => {
    expect(await workspace.run(['keys', 'revoke', '1'])).toMatchObject({ code: 0, err: '' })
    expect((await workspace.run(['keys', 'list'])).out).not.toContain('First')
    const { code, out, err } = await workspace.run(['keys', 'revoke', '1'])
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain('There is no key 1')
  })
})

describe('latchkey keys beside a running service', () => {
  const workspace = new Workspace()
  let service: Service
  beforeAll(async () => {
    service = await workspace.start(['links'], /"listening"/)
  })
  afterAll(async () => {
    await service.stop()
    workspace.remove()
  })

  test('L3.9: a key works once it is created and fails once it is revoked', async () => {
    const { out } = await workspace.run([
      'keys',
      'create',
      '--identity',
      'a@b.test',
      '--scope',
      'read',
      '--title',
      'x',
    ])
    const ask = () =>
      fetch(`${service.origin}/_/api/links`, { headers: { Authorization: `Bearer ${out.trim()}` } })
    expect((await ask()).status).toBe(200)
    expect((await workspace.run(['keys', 'revoke', '1'])).code).toBe(0)
    expect((await ask()).status).toBe(401)
  })
})
