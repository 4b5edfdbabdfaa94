import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { Database as SqliteFile } from 'bun:sqlite'
import { availableDisks, mountDisk } from './disk.ts'
import { Server, databasePath, journalPath, createKey, withKey } from './server.ts'
import { closeAfterEach, testFolder, until } from '../test-database.ts'
import type { Answer, Wire } from '@latchkey/http/testing-wire'

const { closeLater } = closeAfterEach()

const UNAVAILABLE = {
  error: 'The database cannot be used at the moment; nothing was changed. Try again later.',
}

interface Scene {
  server: Server
  wire: Wire
  headers: Record<string, string>
  /** Ids of links whose creation was answered. */
  made: number[]
  id: number
}

async function setUp(server: Server): Promise<Scene> {
  const headers = withKey(await createKey(server))
  const wire = closeLater(await server.connect())
  const { status, text } = await wire.request('POST', '/_/api/links', {
    headers,
    body: { url: 'https://example.com/target', slug: 'target' },
  })
  expect(status).toBe(201)
  const { id } = JSON.parse(text) as { id: number }
  return { server, wire, headers, made: [id], id }
}

let numbered = 0

async function create({ wire, headers, made }: Scene): Promise<Answer> {
  const answer = await wire.request('POST', '/_/api/links', {
    headers,
    body: { url: `https://example.com/made/${++numbered}`, label: 'x'.repeat(400) },
  })
  if (answer.status === 201) made.push((JSON.parse(answer.text) as { id: number }).id)
  return answer
}

async function follow(scene: Scene): Promise<void> {
  const { status, headers } = await scene.wire.request('GET', '/target', {
    headers: { 'User-Agent': 'x'.repeat(900) },
  })
  expect([status, headers.get('location')]).toEqual([302, 'https://example.com/target'])
}

function expectUnavailable(answer: Answer): void {
  expect([answer.status, JSON.parse(answer.text)]).toEqual([503, UNAVAILABLE])
  expect(answer.headers.get('content-type')).toStartWith('application/json')
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  expect(answer.headers.get('retry-after')).toBe('5')
}

function readStored<Value>(folder: string, read: (file: SqliteFile) => Value): Value {
  const file = new SqliteFile(databasePath(folder), { readonly: true })
  try {
    return read(file)
  } finally {
    file.close()
  }
}

function countedClicks(folder: string): number {
  return readStored(folder, (file) => {
    const [row] = file
      .query<{ sum: number; hours: number; raw: number }, []>(
        `select (select sum(clicks) from counted_slug) as sum, (select coalesce(sum(clicks), 0) from click_hour) as hours,
          (select count(*) from click) as raw`,
      )
      .all()
    expect(new Set(Object.values(row ?? {})).size).toBe(1)
    return row?.raw ?? -1
  })
}

for (const disk of availableDisks()) {
  describe(disk.kind, () => {
    afterEach(() => disk.free())
    afterAll(() => disk.close())

    test('L12.4: API writes are 503, redirects and reads continue, ready and metrics report it, and the service recovers', async () => {
      const server = closeLater(await disk.start())
      const scene = await setUp(server)
      const { wire, headers, id } = scene
      let redirects = 0
      const visit = async () => {
        await follow(scene)
        redirects++
      }
      for (let index = 0; index < 20; index++) await visit()

      disk.fill(server)
      // Existing space in the log may be overwritten for a while.
      await until('creating fails', async () => (await create(scene)).status !== 201)
      for (let index = 0; index < 3; index++) expectUnavailable(await create(scene))
      for (const [method, path, body] of [
        ['PUT', `/links/${id}`, { label: 'y'.repeat(400) }],
        ['POST', `/links/${id}/disable`, undefined],
        ['POST', `/links/${id}/slugs`, { slug: 'another' }],
        ['DELETE', `/links/${id}?force=true`, undefined],
      ] as const) {
        const sent = body === undefined ? { headers } : { headers, body }
        expectUnavailable(await wire.request(method, `/_/api${path}`, sent))
      }
      const readLostCount = () => server.metric('latchkey_links_clicks_lost_total')
      await until('a click is lost', async () => {
        await visit()
        return (await readLostCount()) > 0
      })
      for (let index = 0; index < 20; index++) await visit()
      expect(await server.metric('latchkey_links_clicks_failing')).toBe(1)
      const ready = await wire.request('GET', '/_/ready')
      expect(ready.status).toBe(503)
      expect(JSON.parse(ready.text)).toEqual({
        status: expect.stringMatching(/cannot be (stored|written|counted)/),
      })
      expect((await wire.request('GET', '/_/health')).status).toBe(200)
      const read = await wire.request('GET', `/_/api/links/${id}`, { headers })
      expect(read.status).toBe(200)
      expect(JSON.parse(read.text)).toMatchObject({
        url: 'https://example.com/target',
        label: null,
        disabled_at: null,
      })
      expect((await wire.request('GET', '/_/api/links?search=target', { headers })).status).toBe(200)
      expect(
        server.log.some(({ level, message }) => level === 'error' && message.includes('clicks are lost')),
      ).toBe(true)

      disk.free()
      await until('creating works', async () => (await create(scene)).status === 201)
      await until('ready again', async () => (await wire.request('GET', '/_/ready')).status === 200)
      for (let index = 0; index < 20; index++) await visit()
      await until('all is counted', async () => {
        await wire.request('GET', `/_/api/links/${id}`, { headers })
        return (await server.metric('latchkey_links_click_batches_waiting')) === 0
      })
      expect(await server.metric('latchkey_links_clicks_failing')).toBe(0)
      const lostInAll = await readLostCount()
      expect(await server.stop()).toMatchObject({ code: 0 })

      // Each redirect is either a click or reported as lost, and never both.
      expect(countedClicks(disk.folder) + lostInAll).toBe(redirects)
      const ids = readStored(disk.folder, (file) =>
        file.query<{ id: number }, []>('select id from link').all(),
      )
      expect(ids.map((row) => row.id).toSorted((a, b) => a - b)).toEqual(scene.made)
      expect(
        readStored(disk.folder, (file) =>
          file.query('select label, disabled_at from link where id = ?').get(id),
        ),
      ).toEqual({ label: null, disabled_at: null })
      for (const path of [databasePath(disk.folder), journalPath(disk.folder)]) expectSound(path)
    }, 60_000)

    test('SIGTERM ends in order and in time, and earlier clicks are stored', async () => {
      const server = closeLater(await disk.start())
      const { headers, wire } = {
        headers: withKey(await createKey(server)),
        wire: closeLater(await server.connect()),
      }
      const before = countedClicks(disk.folder)
      for (let index = 0; index < 5; index++) expect((await wire.request('GET', '/target')).status).toBe(302)
      await wire.request('GET', '/_/api/slugs/target', { headers })
      disk.fill(server)
      await until('clicks are lost', async () => {
        expect(
          (await wire.request('GET', '/target', { headers: { 'User-Agent': 'x'.repeat(900) } })).status,
        ).toBe(302)
        return (await server.metric('latchkey_links_clicks_lost_total')) > 0
      })
      const { code, ms } = await server.stop()
      expect({ code, complaints: server.stderr }).toEqual({ code: 0, complaints: '' })
      expect(ms).toBeLessThan(10_000)
      disk.free()
      expect(countedClicks(disk.folder)).toBeGreaterThanOrEqual(before + 5)
      for (const path of [databasePath(disk.folder), journalPath(disk.folder)]) expectSound(path)
    }, 60_000)

    test('a server killed while the disk is full starts again on free space, with everything that was answered', async () => {
      const server = closeLater(await disk.start())
      const { headers, wire } = {
        headers: withKey(await createKey(server)),
        wire: closeLater(await server.connect()),
      }
      const scene = { server, wire, headers, made: [] as number[], id: 0 }
      const before = countedClicks(disk.folder)
      disk.fill(server)
      let redirects = 0
      await until('nothing can be written', async () => {
        redirects++
        await follow(scene)
        return (
          (await create(scene)).status === 503 &&
          (await server.metric('latchkey_links_clicks_lost_total')) > 0
        )
      })
      const lost = await server.metric('latchkey_links_clicks_lost_total')
      await server.kill()
      disk.free()
      const again = closeLater(await disk.start())
      await until('all is counted', async () => countedClicks(disk.folder) === before + redirects - lost)
      expect((await again.request('GET', '/_/ready')).status).toBe(200)
      for (const id of scene.made)
        expect((await again.request('GET', `/_/api/links/${id}`, { headers })).status).toBe(200)
      expect(await again.stop()).toMatchObject({ code: 0 })
    }, 60_000)
  })
}

function expectSound(path: string): void {
  const file = new SqliteFile(path, { readonly: true })
  expect(file.query('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  expect(file.query('pragma foreign_key_check').all()).toEqual([])
  file.close()
}

describe('a disk that prevents the start', () => {
  const disk = mountDisk()
  afterAll(() => disk?.close())

  test('full: the service reports it in one sentence and exits with 1, or serves', async () => {
    // Only a process that may mount a disk can fill one.
    if (!disk) return
    const first = await Server.start(disk.folder)
    expect(await first.stop()).toMatchObject({ code: 0 })
    disk.fill(first)
    const server = closeLater(Server.spawn(disk.folder))
    const outcome = await Promise.race([
      server.waitUntilListening().then(
        () => 'serves',
        () => 'ended',
      ),
      server.waitForExit(),
    ])
    if (outcome !== 'serves') {
      expect(await server.waitForExit()).toBe(1)
      expect(server.stderr).toMatch(/^[^\n]*(disk|written|room)[^\n]*\n$/)
    }
    disk.free()
  })

  test('read-only: the service reports it in one sentence and exits with 1', async () => {
    if (!disk) return
    expect(disk.remount('ro')).toBe(true)
    const server = closeLater(Server.spawn(disk.folder))
    await server.waitUntilListening().catch(() => undefined)
    expect(await server.waitForExit()).toBe(1)
    expect(server.stderr).toMatch(/^[^\n]*(read-only|cannot be (opened for writing|written|made))[^\n]*\n$/)
    expect(disk.remount('rw')).toBe(true)
  })
})

/** Another process that holds the write lock of a file until it is released. */
async function holdLock(path: string): Promise<{ release(): Promise<void>; close(): Promise<void> }> {
  const program = `
    const { Database } = require('bun:sqlite')
    const file = new Database(process.env.FILE)
    file.run('pragma busy_timeout = 5000')
    file.run('begin immediate')
    process.stdout.write('held')
    process.stdin.on('end', () => { file.run('rollback'); process.exit(0) })
    process.stdin.resume()`
  const child = Bun.spawn([process.execPath, '-e', program], {
    env: { PATH: process.env['PATH'] ?? '', FILE: path },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  await child.stdout.getReader().read()
  return {
    async release() {
      await child.stdin.end()
      expect(await child.exited).toBe(0)
    },
    async close() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

/** Follows a link repeatedly. Returns the number of redirects and the longest time of one. */
function watchRedirects(wire: Wire): {
  count(): number
  stop(): Promise<{ redirects: number; longestMs: number }>
} {
  let [running, redirects, longestMs] = [true, 0, 0]
  const watch = async () => {
    while (running) {
      const startedMs = performance.now()
      const { status } = await wire.request('GET', '/target')
      expect(status).toBe(302)
      redirects++
      longestMs = Math.max(longestMs, performance.now() - startedMs)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }
  const watching = watch()
  watching.catch(() => undefined)
  return {
    count: () => redirects,
    async stop() {
      running = false
      await watching
      return { redirects, longestMs }
    },
  }
}

/** The answer, undefined if the connection ended without one, and its time. */
async function timeAnswer(work: Promise<Answer>): Promise<{ answer: Answer | undefined; ms: number }> {
  const startedMs = performance.now()
  const answer = await work.catch(() => undefined)
  return { answer, ms: performance.now() - startedMs }
}

describe('another process holds the write lock', () => {
  test('of the database, beyond every timeout: writes are 503 in time, and redirects are not delayed', async () => {
    const folder = testFolder()
    const server = closeLater(await Server.start(folder))
    const scene = await setUp(server)
    const watched = watchRedirects(closeLater(await server.connect()))
    const lock = closeLater(await holdLock(databasePath(folder)))
    const before = watched.count()

    const wires = await Promise.all(Array.from({ length: 5 }, async () => closeLater(await server.connect())))
    const writes = await Promise.all(wires.map((wire) => timeAnswer(create({ ...scene, wire }))))
    const read = await timeAnswer(
      server.request('GET', `/_/api/links/${scene.id}`, { headers: scene.headers }),
    )
    const ready = await timeAnswer(server.request('GET', '/_/ready'))
    const during = watched.count() - before
    await lock.release()

    await until(
      'writing works',
      async () =>
        (await timeAnswer(create({ ...scene, wire: await server.connect() }))).answer?.status === 201,
    )
    const { redirects, longestMs } = await watched.stop()
    report('database lock', {
      writes: writes.map(({ ms }) => ms),
      read: [read.ms],
      ready: [ready.ms],
      redirect: [longestMs],
    })

    // One redirect may have been under way and one may follow the lock. Only more than these prove
    // progress.
    expect(during).toBeGreaterThan(2)
    expect(await server.metric('latchkey_links_clicks_lost_total')).toBe(0)
    await until('all is counted', () => countedClicks(folder) === redirects)
    expect(writes.map(({ answer }) => answer?.status)).toEqual([503, 503, 503, 503, 503])
    for (const { answer } of writes) if (answer) expectUnavailable(answer)
    expect([read.answer?.status, ready.answer?.status]).toEqual([200, 503])
    // Five seconds of waiting for any number of writes, and some for a busy machine.
    expect(Math.max(...writes.map(({ ms }) => ms))).toBeLessThan(9_000)
    expect(read.ms).toBeLessThan(9_000)
    expect(ready.ms).toBeLessThan(9_000)
    expect(await server.stop()).toMatchObject({ code: 0 })
  }, 90_000)

  test('of the database, for a moment: every write succeeds', async () => {
    const folder = testFolder()
    const server = closeLater(await Server.start(folder))
    const scene = await setUp(server)
    const lock = closeLater(await holdLock(databasePath(folder)))
    const wires = await Promise.all([1, 2, 3].map(async () => closeLater(await server.connect())))
    const writes = Promise.all(wires.map((wire) => create({ ...scene, wire })))
    await Promise.race([writes, Bun.sleep(500)])
    await lock.release()
    expect((await writes).map(({ status }) => status)).toEqual([201, 201, 201])
  })

  test('of the journal: redirects do not wait for seconds, and each is counted or reported as lost', async () => {
    const folder = testFolder()
    const server = closeLater(await Server.start(folder))
    const scene = await setUp(server)
    const watched = watchRedirects(closeLater(await server.connect()))
    const lock = closeLater(await holdLock(journalPath(folder)))
    const before = watched.count()
    // Shorter than the busy timeout of SQLite: a process that blocks on it sleeps for all of this
    // time.
    await Bun.sleep(4_000)
    const during = watched.count() - before
    await lock.release()
    const { redirects, longestMs } = await watched.stop()
    report('journal lock of 4 s', { redirect: [longestMs] })
    await scene.wire.request('GET', `/_/api/links/${scene.id}`, { headers: scene.headers })
    const lost = await server.metric('latchkey_links_clicks_lost_total')
    await until('all is counted', () => countedClicks(folder) + lost === redirects)
    expect(during).toBeGreaterThan(2)
  })
})

/** Prints the times for LATCHKEY_DURABILITY_REPORT=1. */
function report(what: string, times: Record<string, number[]>): void {
  if (process.env['LATCHKEY_DURABILITY_REPORT'])
    console.log(
      what,
      Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, ms.map(Math.round)])),
    )
}
