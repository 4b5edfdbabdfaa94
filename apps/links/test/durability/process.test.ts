import { describe, expect, test } from 'bun:test'
import { openDatabase } from '@latchkey/database/database'
import { Random } from '@latchkey/http/testing-random'
import { Database as SqliteFile } from 'bun:sqlite'
import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Tables } from '../../src/db/tables.ts'
import { Workload, Writer, runLoad } from './clients.ts'
import { Ledger } from './ledger.ts'
import { Server, databasePath, journalPath, createKey, withKey } from './server.ts'
import { closeAfterEach, testFolder, until } from '../test-database.ts'
import { NoAnswer } from '@latchkey/http/testing-wire'

const { closeLater } = closeAfterEach()

const STOPPED = { code: 0, ms: expect.any(Number) as number }
/** The limit of L20.2. */
const STOP_TIMEOUT_MS = 10_000
/** A stop that waits for a request takes longer. */
const HELD_UP_MS = 8_000

function read<Row>(path: string, statement: string): Row[] {
  const file = new SqliteFile(path, { readonly: true })
  try {
    return file.query<Row, []>(statement).all()
  } finally {
    file.close()
  }
}

function countedClicks(folder: string, slug: string): number[] {
  const rows = read<Record<string, number>>(
    databasePath(folder),
    `select (select clicks from counted_slug where slug = '${slug}') as sum,
      (select coalesce(sum(clicks), 0) from click_hour where slug = '${slug}') as hours,
      (select count(*) from click where slug = '${slug}') as raw`,
  )
  return Object.values(rows[0] ?? {})
}

async function makeLink(server: Server, key: string, slug: string): Promise<number> {
  const body = { url: `https://example.com/${slug}`, slug }
  const { status, text } = await server.request('POST', '/_/api/links', { headers: withKey(key), body })
  expect(status).toBe(201)
  return (JSON.parse(text) as { id: number }).id
}

/** A connection that sends bytes piece by piece, like a slow or broken client. */
async function raw(port: number): Promise<{ write(text: string): void; received(): string; close(): void }> {
  const socket = connect({ host: '127.0.0.1', port })
  let text = ''
  socket.on('data', (chunk) => (text += chunk.toString('latin1')))
  socket.on('error', () => undefined)
  await new Promise((resolve) => socket.once('connect', resolve))
  return {
    write: (part) => void socket.write(part),
    received: () => text,
    close: () => void socket.destroy(),
  }
}

describe('SIGTERM', () => {
  test('L20.2: under load, every request in flight is answered, every redirect and write is stored, and the exit code is 0', async () => {
    const folder = testFolder()
    const server = closeLater(await Server.start(folder))
    const ledger = new Ledger()
    const workload = new Workload(ledger, await createKey(server))
    const random = new Random('SIGTERM')
    const seeder = new Writer(workload, random)
    const wire = await server.connect()
    for (let made = 0; made < 5; made++) {
      const link = await seeder.create(wire, false)
      if (link) workload.hot.push(link.state.primary)
    }
    wire.close()
    const writers = [1, 2].map((writer) => new Writer(workload, random.fork(`writer ${writer}`)))
    const ended = runLoad([server], workload, { writers, visitors: 6, random })
    await until('load is under way', () => sum(ledger, 'redirected') > 300, 40_000)
    const { code, ms } = await server.stop()
    await ended

    expect({ code, complaints: server.stderr, faults: server.faults }).toEqual({
      code: 0,
      complaints: '',
      faults: [],
    })
    expect(ms).toBeLessThan(STOP_TIMEOUT_MS)
    // The files are complete and can be copied without their logs.
    for (const path of [databasePath(folder), journalPath(folder)])
      expect(existsSync(`${path}-wal`)).toBe(false)
    const database = closeLater(openDatabase<Tables>(`sqlite:${databasePath(folder)}`))
    await ledger.reconcileWrites(database)
    const { clicks } = await ledger.reconcileVisits(database)
    expect(ledger.problems).toEqual([])
    expect(clicks).toBe(sum(ledger, 'redirected'))
    expect(Object.values(ledger.writes).map(({ stored }) => stored)).toEqual([0, 0, 0, 0, 0, 0])
    const waiting = read<{ seq: number }>(journalPath(folder), 'select max(seq) as seq from journal')
    expect(read(databasePath(folder), 'select seq from journal_cursor')).toEqual(waiting)
  })

  test('right after the line that it listens: the exit code is 0 as well', async () => {
    const codes = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const server = closeLater(Server.spawn(testFolder()))
        await server.waitUntilListening()
        return (await server.stop()).code
      }),
    )
    expect(codes).toEqual([0, 0, 0, 0, 0, 0])
  })

  test('an idle keep-alive connection delays nothing', async () => {
    const server = closeLater(await Server.start(testFolder()))
    const wire = closeLater(await server.connect())
    expect((await wire.request('GET', '/_/health')).status).toBe(200)
    closeLater(await raw(server.port))
    const { code, ms } = await server.stop()
    expect(code).toBe(0)
    expect(ms).toBeLessThan(HELD_UP_MS)
    await until('the client is told', () => wire.hasEnded)
  })

  test('a client that sends further requests on its connection delays nothing', async () => {
    const server = closeLater(await Server.start(testFolder()))
    const wire = closeLater(await server.connect())
    const asking = (async () => {
      while (!wire.hasEnded) await wire.request('GET', '/_/health')
    })().catch((error: unknown) => expect(error).toBeInstanceOf(NoAnswer))
    const { code, ms } = await server.stop()
    await asking
    expect(code).toBe(0)
    expect(ms).toBeLessThan(HELD_UP_MS)
  })

  test('a request whose body is still arriving is answered and stored', async () => {
    const folder = testFolder()
    const server = closeLater(await Server.start(folder))
    const key = await createKey(server)
    const body = JSON.stringify({ url: 'https://example.com/slow', slug: 'slow' })
    const client = closeLater(await raw(server.port))
    client.write(
      `POST /_/api/links HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
    )
    // The first half has arrived once a later request on another connection is answered.
    await server.request('GET', '/_/health')
    const stopping = server.stop()
    await until('it accepts nobody else', () =>
      server
        .connect()
        .then(
          (wire) => wire.close(),
          () => true,
        )
        .then(Boolean),
    )
    client.write(body.slice(10))
    expect(await stopping).toEqual(STOPPED)
    expect(client.received()).toStartWith('HTTP/1.1 201 ')
    expect(read(databasePath(folder), `select slug from slug where slug = 'slow'`)).toEqual([
      { slug: 'slow' },
    ])
  })

  for (const [what, bytes] of [
    ['the end of its head', 'GET /target HTTP/1.1\r\nHost: 127.0.0.1\r\n'],
    [
      'the end of its body',
      'POST /_/api/links HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer KEY\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    ],
  ] as const)
    test(`a client that never sends ${what} does not prevent other writes from being stored`, async () => {
      const folder = testFolder()
      const server = closeLater(await Server.start(folder))
      const key = await createKey(server)
      await makeLink(server, key, 'target')
      const stuck = closeLater(await raw(server.port))
      stuck.write(bytes.replace('KEY', key))
      for (let visit = 0; visit < 10; visit++)
        expect((await server.request('GET', '/target')).status).toBe(302)
      const { code, ms } = await server.stop()
      expect(code).toBe(0)
      expect(ms).toBeLessThan(STOP_TIMEOUT_MS)
      expect(countedClicks(folder, 'target')).toEqual([10, 10, 10])
    })
})

function sum(ledger: Ledger, of: 'redirected' | 'unanswered'): number {
  return [...ledger.visits.values()].reduce((total, visits) => total + visits[of], 0)
}

describe('start', () => {
  test('L20.2: a second start applies no migration and listens at once', async () => {
    const folder = testFolder()
    expect(await closeLater(await Server.start(folder)).stop()).toEqual(STOPPED)
    const migrations = () => read(databasePath(folder), 'select * from migration')
    const before = migrations()
    expect(before.length).toBeGreaterThan(0)
    const server = closeLater(await Server.start(folder))
    const startMs = performance.now() - server.startedMs
    expect((await server.request('GET', '/_/ready')).status).toBe(200)
    expect(migrations()).toEqual(before)
    expect(startMs).toBeLessThan(15_000)
    expect(server.faults).toEqual([])
  })

  test('three processes that start together on nothing all come up, with one schema and one secret', async () => {
    const folder = testFolder()
    const servers = await Promise.all([1, 2, 3].map(async () => closeLater(await Server.start(folder))))
    for (const server of servers) {
      expect((await server.request('GET', '/_/ready')).status).toBe(200)
      expect(server.stderr).toBe('')
    }
    expect(
      read(databasePath(folder), `select count(*) as n from instance where name = 'title_secret'`),
    ).toEqual([{ n: 1 }])
    expect(read(journalPath(folder), `select count(*) as n from journal_id`)).toEqual([{ n: 1 }])
  })

  test('L20.2: a database of a newer version is refused with a clear message and stays unchanged', async () => {
    const folder = testFolder()
    await closeLater(await Server.start(folder)).stop()
    const file = new SqliteFile(databasePath(folder))
    file.run(`insert into migration (name, applied_at) values ('9999-later', 'later')`)
    file.close()
    const server = closeLater(Server.spawn(folder))
    await server.waitUntilListening().catch(() => undefined)
    expect(await server.waitForExit()).toBe(1)
    expect(server.stderr).toBe(
      'The database was created by a newer version, or by one before 0.1.0 (it has 9999-later). Run that version, restore a backup, or export everything there and import it here.\n',
    )
    expect(server.log).toEqual([])
  })
})

describe('clicks that were not counted yet', () => {
  test('are counted by the next start after a kill, without a request', async () => {
    const folder = testFolder()
    const server = closeLater(await Server.start(folder))
    await makeLink(server, await createKey(server), 'target')
    const wire = closeLater(await server.connect())
    // The count waits for this writer.
    const held = new SqliteFile(databasePath(folder))
    held.run('pragma busy_timeout = 5000')
    held.run('begin immediate')
    for (let visit = 0; visit < 50; visit++) expect((await wire.request('GET', '/target')).status).toBe(302)
    await server.kill()
    held.run('rollback')
    held.close()
    expect(countedClicks(folder, 'target')[0]).toBe(0)
    closeLater(await Server.start(folder))
    await until('they are counted', () => countedClicks(folder, 'target')[0] === 50)
    expect(countedClicks(folder, 'target')).toEqual([50, 50, 50])
  })

  test('are counted once while the old process stops and the new one runs on the same files', async () => {
    const folder = testFolder()
    const old = closeLater(await Server.start(folder))
    const key = await createKey(old)
    await makeLink(old, key, 'target')
    let redirects = 0
    const visit = async (server: Server, until_: () => boolean) => {
      const wire = closeLater(await server.connect())
      try {
        while (!until_()) if ((await wire.request('GET', '/target')).status === 302) redirects++
      } catch (error) {
        expect(error).toBeInstanceOf(NoAnswer)
      }
    }
    let stopped = false
    const onOld = [visit(old, () => stopped), visit(old, () => stopped)]
    const young = closeLater(await Server.start(folder))
    const before = redirects
    const onYoung = [visit(young, () => stopped), visit(young, () => stopped)]
    await until('both are busy', () => redirects > before + 300, 40_000)
    expect(await old.stop()).toEqual(STOPPED)
    stopped = true
    await Promise.all([...onOld, ...onYoung])
    expect(await young.stop()).toEqual(STOPPED)
    // On a busy machine, the old one may leave clicks to the new one, and says so.
    const waiting = 'drain: clicks wait in the journal for the next start'
    expect(old.faults.filter(({ message }) => message !== waiting)).toEqual([])
    expect(young.faults).toEqual([])
    expect(countedClicks(folder, 'target')).toEqual([redirects, redirects, redirects])
  })
})

describe('a replaced journal file', () => {
  function copyJournal(from: string, to: string): void {
    for (const suffix of ['', '-wal', '-shm']) {
      rmSync(to + suffix, { force: true })
      if (existsSync(from + suffix)) copyFileSync(from + suffix, to + suffix)
    }
  }

  async function visitAndStop(folder: string, visits: number): Promise<void> {
    const server = closeLater(await Server.start(folder))
    const wire = closeLater(await server.connect())
    for (let visit = 0; visit < visits; visit++)
      expect((await wire.request('GET', '/target')).status).toBe(302)
    expect(await server.stop()).toEqual(STOPPED)
  }

  async function newFolder(): Promise<string> {
    const folder = testFolder()
    const server = closeLater(await Server.start(folder))
    await makeLink(server, await createKey(server), 'target')
    expect(await server.stop()).toEqual(STOPPED)
    return folder
  }

  test('after a removal, a new journal starts, and every click is counted', async () => {
    const folder = await newFolder()
    await visitAndStop(folder, 7)
    for (const suffix of ['', '-wal', '-shm']) rmSync(journalPath(folder) + suffix, { force: true })
    await visitAndStop(folder, 3)
    expect(countedClicks(folder, 'target')).toEqual([10, 10, 10])
  })

  test('after a restore of an older copy, nothing counts twice, and every new click counts', async () => {
    const folder = await newFolder()
    const copy = join(folder, 'copy.db')
    await visitAndStop(folder, 2)
    copyJournal(journalPath(folder), copy)
    await visitAndStop(folder, 10)
    copyJournal(copy, journalPath(folder))
    await visitAndStop(folder, 5)
    expect(countedClicks(folder, 'target')).toEqual([17, 17, 17])
  })
})
