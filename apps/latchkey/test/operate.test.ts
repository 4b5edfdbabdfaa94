import { Database as SqliteFile } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { LATCHKEY_SOURCE } from '../../../scripts/latchkey-command.ts'
import { Workspace } from './running.ts'

describe('latchkey backup', () => {
  const workspace = new Workspace()
  const restored = new Workspace()
  afterAll(() => {
    workspace.remove()
    restored.remove()
  })

  test('O4.4h: a copy of a running service has every click, and works as the database of another instance', async () => {
    const rows = { stdin: 'url,slug\nhttps://example.com/,one\n' }
    await workspace.run(['links', 'import', '-', '--format', 'csv', '--owner', 'ada@example.com'], rows)
    const service = await workspace.start(['links'], /"listening"/)
    for (let click = 0; click < 20; click++)
      expect((await fetch(`${service.origin}/one`, { redirect: 'manual' })).status).toBe(302)
    const { code, out, err } = await workspace.run(['backup', '--service', 'links', 'copy.db'])
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/^Backed up and verified: 1 link, 2 slugs, 20 clicks, \d+ bytes in copy\.db\n$/)
    expect(await service.stop()).toBe(0)

    const again = await workspace.run(['backup', '--service', 'links', 'copy.db'])
    expect(again).toEqual({
      code: 1,
      out: '',
      err: 'copy.db already exists, and a backup never overwrites a file\n',
    })

    renameSync(workspace.path('copy.db'), restored.path('copy.db'))
    const env = { LINKS_DATABASE_URL: 'sqlite:copy.db' }
    const elsewhere = await restored.start(['links'], /"listening"/, env)
    expect((await fetch(`${elsewhere.origin}/one`, { redirect: 'manual' })).headers.get('location')).toBe(
      'https://example.com/',
    )
    expect(await elsewhere.stop()).toBe(0)
    const { out: exported } = await restored.run(['links', 'export'], { env })
    expect(JSON.parse(exported)).toMatchObject({ total_clicks: 21 })
  })

  test('a backup or export of a missing database fails and creates nothing', async () => {
    const empty = new Workspace()
    for (const [args, file] of [
      [['backup', 'all.tar'], 'links.db'],
      [['backup', '--service', 'links', 'copy.db'], 'links.db'],
      [['backup', '--service', 'rooms', 'copy.db'], 'rooms.db'],
      [['links', 'export'], 'links.db'],
      [['links', 'export', '--everything'], 'links.db'],
      [['rooms', 'export'], 'rooms.db'],
    ] as const) {
      const { code, out, err } = await empty.run(args)
      expect([args, code, out]).toEqual([args, 1, ''])
      const setting = file === 'links.db' ? 'LINKS_DATABASE_URL' : 'ROOMS_DATABASE_URL'
      expect(err).toBe(`There is no database at ./data/${file} (${setting})\n`)
    }
    expect(readdirSync(empty.folder)).toEqual([])
    empty.remove()
  })

  test('every command refuses a database of an earlier version and changes nothing in it', async () => {
    // A preloaded file cannot add a migration to those in the executable.
    const old = new Workspace({}, LATCHKEY_SOURCE)
    const making = ['keys', 'create', '--identity', 'ada@example.com', '--scope', 'read', '--title', 'Old']
    expect(await old.run(making)).toMatchObject({ code: 0 })
    const file = new SqliteFile(old.database)
    const newest = 'select name from migration order by name desc limit 1'
    const before = file.query(newest).get()
    const env = { BUN_OPTIONS: `--preload=${join(import.meta.dir, 'next-version.ts')}` }
    for (const args of [
      ['backup', 'copy.db'],
      ['backup', '--service', 'links', 'copy.db'],
      ['links', 'export'],
      ['links', 'export', '--everything'],
      ['keys', 'list'],
      ['keys', 'revoke', '1'],
      making,
      ['links', 'import', '-', '--format', 'csv', '--owner', 'ada', '--dry-run'],
      ['links', 'import', '-', '--everything'],
    ])
      expect([args, await old.run(args, { env })]).toEqual([
        args,
        {
          code: 1,
          out: '',
          err: 'The database is from an earlier version: use that version for this command, or start this version to migrate the database\n',
        },
      ])
    expect(file.query(newest).get()).toEqual(before)
    expect(existsSync(old.path('copy.db'))).toBe(false)
    file.close()
    old.remove()
  })

  test('a backup of a database with an interrupted import explains how to continue', async () => {
    const killed = new Workspace()
    await killed.run(['keys', 'create', '--identity', 'ada@example.com', '--scope', 'read', '--title', 'Old'])
    const importing = Bun.spawn(
      [
        process.execPath,
        '-e',
        `
      const file = new (require('bun:sqlite').Database)('data/links.db')
      file.run('pragma journal_mode = delete')
      file.run('pragma cache_size = 10')
      file.run('begin exclusive')
      file.run('create table t (a)')
      file.run("with recursive n (i) as (values (0) union all select i + 1 from n where i < 5000) insert into t select hex(randomblob(500)) from n")
      process.kill(process.pid, 'SIGKILL')`,
      ],
      { cwd: killed.folder },
    )
    await importing.exited
    expect(existsSync(`${killed.database}-journal`)).toBe(true)
    expect(await killed.run(['backup', 'copy.db'])).toEqual({
      code: 1,
      out: '',
      err: 'An import into this database was interrupted: run it again, or start the service to roll it back\n',
    })
    expect(
      await killed.run([
        'keys',
        'create',
        '--identity',
        'ada@example.com',
        '--scope',
        'read',
        '--title',
        'New',
      ]),
    ).toMatchObject({
      code: 0,
    })
    expect(await killed.run(['backup', 'copy.db'])).toMatchObject({ code: 0 })
    killed.remove()
  })

  test('a copy of PostgreSQL as a file is refused, and none is created', async () => {
    const env = { LINKS_DATABASE_URL: 'postgres://links:hunter2@127.0.0.1:1/links' }
    const { code, err } = await workspace.run(['backup', '--service', 'links', 'postgres.db'], { env })
    expect([code, err]).toEqual([
      1,
      'The database is PostgreSQL: back it up without --service, or with pg_dump\n',
    ])
    expect(existsSync(workspace.path('postgres.db'))).toBe(false)
  })
})

describe('latchkey doctor', () => {
  const workspace = new Workspace()
  afterAll(() => workspace.remove())

  test('L21.1: prints one line per check and exits 0, before the first start and beside a running service', async () => {
    const first = await workspace.run(['doctor'])
    expect([first.code, first.err]).toEqual([0, ''])
    expect(readdirSync(workspace.folder)).toEqual([])
    const lines = first.out.trimEnd().split('\n')
    for (const line of lines) expect(line).toMatch(/^(ok {2}|warn|fail) {2}(links|rooms) {2}\w+ +\S/)
    const checked = lines.map((line) => line.split(/\s+/).slice(1, 3).join(' '))
    const storage = ['database', 'migrations', 'clock', 'disk']
    expect(checked).toEqual([
      ...['settings', ...storage, 'access', 'address'].map((name) => `links ${name}`),
      ...['provider', 'settings', ...storage].map((name) => `rooms ${name}`),
    ])
    const service = await workspace.start(['links'], /"listening"/)
    const result = await workspace.run(['doctor'], { env: { LINKS_BASE_URL: service.origin } })
    expect(result.out).toContain(`ok    links  address     ${service.origin} answers\n`)
    expect(result.code).toBe(0)
    expect(await service.stop()).toBe(0)
  })

  test('L37.4: with --privacy proves the statement on the database, or exits 1 with the row', async () => {
    const none = await workspace.run(['doctor', '--privacy'], {
      env: { LINKS_DATABASE_URL: 'sqlite:none.db' },
    })
    expect(none.code).toBe(1)
    expect(none.out).toMatch(/^fail {2}links {2}privacy +not checked: /m)
    const env = { LINKS_DATABASE_URL: 'sqlite:proof.db', LINKS_JOURNAL: 'sqlite:proof-journal.db' }
    const service = await workspace.start(['links'], /"listening"/, env)
    const proven = await workspace.run(['doctor', '--privacy'], { env })
    expect([proven.code, proven.out.match(/^(ok|fail) +links {2}privacy/gm)?.length]).toEqual([0, 3])
    expect(proven.out).not.toContain('rooms')
    const file = new SqliteFile(workspace.path('proof.db'))
    file.run(`insert into click (link_id, slug, clicked_at, link_mode, channel, is_bot, is_self_referrer, utm_term)
      values (1, 'abcd', 1, 'link', 'direct', 0, 0, '198.51.100.7')`)
    file.close()
    const refuted = await workspace.run(['doctor', '--privacy'], { env })
    expect(refuted.code).toBe(1)
    expect(refuted.out).toMatch(/^fail {2}links {2}privacy {5}click 1: utm_term is an IP address/m)
    expect(refuted.out).not.toContain('198.51.100.7')
    expect(await service.stop()).toBe(0)
  })

  test('L21: exits 1 if a check fails, and names the remedy', async () => {
    await workspace.write('garbage.db', 'this is not a database at all, and long enough to be looked at')
    const { code, out } = await workspace.run(['doctor'], {
      env: { LINKS_DATABASE_URL: 'sqlite:garbage.db' },
    })
    expect(code).toBe(1)
    expect(out).toMatch(/^fail {2}links {2}database .*check LINKS_DATABASE_URL$/m)
  })
})
