import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, statSync } from 'node:fs'
import { openPool } from '@latchkey/database/pool'
import { eachDialect } from '@latchkey/database/testing'
import { Workspace } from './running.ts'

const EVERYTHING = ['links', 'export', '--everything']
const TAKE = ['links', 'import', '-', '--everything']
const LINKS = 3_000
const IN_USE =
  'The database is in use: stop the service first, and start it again when the import has finished\n'

describe('latchkey links export and import with --everything', () => {
  const workspace = new Workspace()
  let file = ''
  let key = ''
  afterAll(() => workspace.remove())
  beforeAll(async () => {
    const rows = Array.from({ length: LINKS }, (_, at) => `https://example.com/${at},s-${at},tag ${at % 3}\n`)
    const importing = ['links', 'import', '-', '--format', 'csv', '--owner', 'ada', '--bundles-from-tags']
    expect((await workspace.run(importing, { stdin: `url,slug,tags\n${rows.join('')}` })).code).toBe(0)
    const clicks = await workspace.write(
      'clicks.ndjson',
      '{"slug":"s-7","clicked_at":1600000000}\n'.repeat(50),
    )
    await workspace.run(['clicks', 'import', clicks])
    key = (
      await workspace.run(['keys', 'create', '--identity', 'ada', '--scope', 'read', '--title', 'T'])
    ).out.trim()
    const exported = await workspace.run(EVERYTHING)
    expect([exported.code, exported.err]).toEqual([0, expect.stringMatching(/^exported \d+ rows\n$/)])
    file = exported.out
  }, 60_000)

  test('copies links, bundles, keys and clicks to another instance with an equal export', async () => {
    const other = new Workspace()
    try {
      const { code, out, err } = await other.run(TAKE, { stdin: file })
      expect([code, out, err]).toEqual([
        0,
        '',
        `imported ${LINKS} links, ${2 * LINKS} slugs, 3 bundles, 1 key, 50 clicks; the service builds the remaining rollups in the background once it runs\n`,
      ])
      const rows = (text: string) => text.split('\n').slice(1)
      expect(rows((await other.run(EVERYTHING)).out)).toEqual(rows(file))
      const service = await other.start(['links'], /"listening"/)
      const get = (path: string) =>
        fetch(`${service.origin}${path}`, { redirect: 'manual', headers: { Authorization: `Bearer ${key}` } })
      expect((await get('/s-7')).headers.get('location')).toBe('https://example.com/7')
      expect(await (await get('/_/api/slugs/s-7')).json()).toMatchObject({ total_clicks: 51 })
      expect(await (await get('/_/api/bundles')).json()).toHaveLength(3)
      const again = ['links', 'import', await other.write('everything.ndjson', file), '--everything']
      expect((await other.run(again)).err).toBe(IN_USE)
      expect(await service.stop()).toBe(0)
      expect((await other.run(again)).err).toBe(
        'The instance is not empty (it has rows of api_key): an archive is imported only into an empty one\n',
      )
    } finally {
      other.remove()
    }
  }, 60_000)

  test('an import that is killed changes nothing, and the same command then succeeds', async () => {
    const other = new Workspace()
    try {
      const child = other.spawn(TAKE)
      await child.stdin.write(file.slice(0, file.length / 2))
      await child.stdin.flush()
      // SQLite has this file during a transaction outside the log: of one page while the file is
      // created and while it leaves write-ahead mode, of 45 KB once the import has begun, and of
      // 110 KB once it has inserted rows.
      const journalBytes = () => statSync(`${other.database}-journal`, { throwIfNoEntry: false })?.size ?? 0
      const deadlineMs = performance.now() + 20_000
      while (journalBytes() < 80_000 && performance.now() < deadlineMs) await Bun.sleep(1)
      child.kill('SIGKILL')
      await child.exited
      expect(journalBytes()).toBeGreaterThan(80_000)
      expect((await other.run(['links', 'export'])).out).toBe('')
      expect((await other.run(TAKE, { stdin: file })).code).toBe(0)
      expect((await other.run(EVERYTHING)).out.split('\n').slice(1)).toEqual(file.split('\n').slice(1))
    } finally {
      other.remove()
    }
  }, 60_000)

  test('a truncated file is refused with its last line, also in a dry run', async () => {
    const other = new Workspace()
    try {
      const cut = file.slice(0, file.lastIndexOf('{"end"'))
      for (const args of [TAKE, [...TAKE, '--dry-run']]) {
        const { code, err } = await other.run(args, { stdin: cut })
        expect([code, err]).toEqual([
          1,
          `The file ends too early, after line ${cut.trimEnd().split('\n').length}\n`,
        ])
      }
      expect((await other.run([...TAKE, '--dry-run'], { stdin: file })).err).toBe(
        `complete: ${LINKS} links, ${2 * LINKS} slugs, 3 bundles, 1 key, 50 clicks (dry run: nothing was stored)\n`,
      )
      expect((await other.run(['links', 'export'])).out).toBe('')
    } finally {
      other.remove()
    }
  }, 60_000)

  test('--everything cannot be combined with --format or --owner', async () => {
    expect((await workspace.run([...EVERYTHING, '--format', 'csv'])).code).toBe(2)
    expect((await workspace.run([...TAKE, '--owner', 'ada'])).code).toBe(2)
  })
})

test('an archive that cannot be read is one sentence, and creates no database', async () => {
  const workspace = new Workspace({ ROOMS_DATABASE_URL: 'sqlite:./rooms.db' })
  try {
    const missing = workspace.path('missing.ndjson')
    for (const [path, problem] of [
      [missing, `${missing} does not exist\n`],
      [workspace.path('.'), expect.stringMatching(/^[^\n]+ is a folder, not a file\n$/)],
    ] as const)
      for (const args of [
        ['rooms', 'import', path, '--dry-run'],
        ['links', 'import', path, '--everything', '--dry-run'],
      ])
        expect(await workspace.run(args)).toEqual({ code: 1, out: '', err: problem })
    await workspace.run(['rooms', 'import', missing])
    expect(existsSync(workspace.path('rooms.db'))).toBe(false)
  } finally {
    workspace.remove()
  }
}, 60_000)

/** The database of the demo, too. */
const ROOMS = { ROOMS_DATABASE_URL: 'sqlite:./data/rooms.db' }

test('latchkey rooms export and import copy all data of Rooms to another instance', async () => {
  const [from, to, empty] = [new Workspace(ROOMS), new Workspace(), new Workspace()]
  try {
    const service = await from.start(['start'], /First key/)
    const origin = service.originOf('rooms').replace('127.0.0.1', 'localhost')
    const came = await fetch(`${origin}/api/session`, {
      method: 'POST',
      headers: { Origin: origin, 'Content-Type': 'application/json' },
      body: JSON.stringify({ nickname: 'Greta' }),
    })
    expect(came.status).toBe(201)
    await service.stop()
    const sent = await from.run(['rooms', 'export'])
    expect([sent.code, sent.err]).toEqual([0, expect.stringMatching(/^exported \d+ rows\n$/)])
    const dry = await to.run(['rooms', 'import', '-', '--dry-run'], { stdin: sent.out })
    expect([dry.code, dry.err]).toEqual([
      0,
      'complete: 1 user, 0 rooms, 0 messages, 0 files (dry run: nothing was stored)\n',
    ])
    expect(await to.run(['rooms', 'import', '-'], { stdin: sent.out })).toEqual({
      code: 0,
      out: '',
      err: 'imported 1 user, 0 rooms, 0 messages, 0 files\n',
    })
    expect((await to.run(['rooms', 'export'])).out.split('\n').slice(1)).toEqual(
      sent.out.split('\n').slice(1),
    )
    const wrong = await from.run(EVERYTHING)
    expect(await empty.run(['rooms', 'import', '-'], { stdin: wrong.out })).toMatchObject({
      code: 1,
      err: 'line 1: the file is "latchkey-links-instance", not "latchkey-rooms-instance"\n',
    })
  } finally {
    for (const workspace of [from, to, empty]) workspace.remove()
  }
}, 60_000)

eachDialect((dialect, newUrl) => {
  if (dialect === 'sqlite') return
  describe('an import of an archive into PostgreSQL', () => {
    const instance = async () => {
      const urls = { LINKS_DATABASE_URL: await newUrl(), ROOMS_DATABASE_URL: await newUrl() }
      return { workspace: new Workspace(urls), pool: openPool(urls.LINKS_DATABASE_URL) }
    }

    test('is refused while the service runs, and succeeds when it has stopped', async () => {
      const { workspace, pool } = await instance()
      try {
        const service = await workspace.start(['start'], /First key/)
        const files = {
          links: (await workspace.run(EVERYTHING)).out,
          rooms: (await workspace.run(['rooms', 'export'])).out,
        }
        const secrets = async () => (await pool.query('select name, value from instance order by name')).rows
        const before = await secrets()
        const other = files.links.replace(/\["title_secret","[\w-]{4}/, '["title_secret","0000')
        const takeAll = async () => [
          await workspace.run(TAKE, { stdin: other }),
          await workspace.run(['rooms', 'import', '-'], { stdin: files.rooms }),
        ]
        for (const refused of await takeAll()) expect(refused).toEqual({ code: 1, out: '', err: IN_USE })
        expect(await secrets()).toEqual(before)
        expect(await service.stop()).toBe(0)
        expect((await takeAll()).map(({ code, err }) => [code, err])).toEqual([
          [0, expect.stringMatching(/^imported 0 links/)],
          [0, expect.stringMatching(/^imported 0 users/)],
        ])
        expect(await secrets()).not.toEqual(before)
      } finally {
        await pool.end()
        workspace.remove()
      }
    }, 60_000)

    test('prevents services from starting until it has finished', async () => {
      const { workspace, pool } = await instance()
      try {
        const first = await workspace.start(['links'], /"listening"/)
        await first.stop()
        const { out } = await workspace.run(EVERYTHING)
        const child = workspace.spawn(TAKE)
        await child.stdin.write(out.slice(0, -1))
        await child.stdin.flush()
        const running = `select 1 from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock' and objsubid = 2
          and database = (select oid from pg_database where datname = current_database())`
        while ((await pool.query(running)).rows.length === 0) await Bun.sleep(20)
        expect(await workspace.run(['links'])).toEqual({
          code: 1,
          out: '',
          err: 'An archive is being imported into the database: start the service when the import has finished\n',
        })
        await child.stdin.end()
        expect(await child.exited).toBe(0)
        const service = await workspace.start(['links'], /"listening"/)
        expect(await service.stop()).toBe(0)
      } finally {
        await pool.end()
        workspace.remove()
      }
    }, 60_000)
  })
})
