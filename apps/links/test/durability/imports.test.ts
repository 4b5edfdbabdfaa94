import { expect, test } from 'bun:test'
import { Database as SqliteFile } from 'bun:sqlite'
import { mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { type Socket, connect } from 'node:net'
import { join } from 'node:path'
import { findUnequalRecords } from './event-checks.ts'
import { Server, databasePath } from './server.ts'
import { closeAfterEach, testFolder, until } from '../test-database.ts'

const { closeLater } = closeAfterEach()

const TIMEOUT_MS = 50_000
const MEGABYTE = 1024 ** 2
/** More rows than are imported during a test. */
const LONG = `url\n${Array.from({ length: 200_000 }, (_, at) => `https://example.com/${at}`).join('\n')}`

async function start(): Promise<{ server: Server; folder: string; scratch: string }> {
  const folder = testFolder()
  const scratch = join(folder, 'scratch')
  mkdirSync(scratch)
  const environment = {
    TMPDIR: scratch,
    LINKS_ACCESS: 'header',
    LINKS_ACCESS_HEADER: 'X-Forwarded-Email',
    TRUSTED_PROXIES: '127.0.0.1',
  }
  return { server: closeLater(await Server.start(folder, { environment })), folder, scratch }
}

interface Sender {
  socket: Socket
  received: () => string
}

/** Sends a whole file and leaves the connection to the test. */
function send(server: Server, file: string, { query = 'format=csv', as = 'ann', lines = true } = {}): Sender {
  const socket = connect({ host: '127.0.0.1', port: server.port })
  let text = ''
  socket.on('data', (chunk) => (text += chunk.toString('latin1')))
  socket.on('error', () => undefined)
  const head = [
    `POST /_/admin/api/import?${query} HTTP/1.1`,
    `Host: 127.0.0.1:${server.port}`,
    `X-Forwarded-Email: ${as}@example.com`,
    `Content-Length: ${Buffer.byteLength(file)}`,
    ...(lines ? ['Accept: application/x-ndjson'] : []),
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${file}`)
  return { socket, received: () => text }
}

function countLinks(folder: string): number {
  const file = new SqliteFile(databasePath(folder), { readonly: true })
  try {
    return file.query<{ count: number }, []>('select count(*) as count from link').get()?.count ?? 0
  } finally {
    file.close()
  }
}

/** Waits until the node has released the import slot of this person. */
async function mayImport(server: Server, as = 'ann'): Promise<boolean> {
  const headers = { 'X-Forwarded-Email': `${as}@example.com` }
  const { status } = await server.request('POST', '/_/admin/api/import?format=csv&dry_run=true', { headers })
  return status === 200
}

for (const lines of [true, false])
  test(`L17: closing the connection ends the import, ${lines ? 'reported line by line' : 'reported at its end'}, and stores no further link`, async () => {
    const { server, folder } = await start()
    const { socket } = send(server, LONG, { lines })
    await until('links are stored', () => countLinks(folder) > 0, TIMEOUT_MS)
    expect(await mayImport(server)).toBe(false)
    socket.destroy()
    await until('the next import is let in', () => mayImport(server), TIMEOUT_MS)
    const stored = countLinks(folder)
    expect(stored).toBeLessThan(200_000)
    // The next import succeeds only if no other import of this person runs.
    const { received } = send(server, 'url\nhttps://example.com/after\n')
    await until('the report is there', () => received().includes('"report"'), TIMEOUT_MS)
    expect(countLinks(folder)).toBe(stored + 1)
  })

test('SIGTERM ends imports after whole rows, states how many are stored, and leaves no file behind', async () => {
  const { server, folder, scratch } = await start()
  const wet = send(server, LONG)
  const dry = send(server, LONG, { query: 'format=csv&dry_run=true', as: 'ben' })
  await until(
    'both are under way',
    () => countLinks(folder) > 0 && dry.received().includes('"row"'),
    TIMEOUT_MS,
  )
  expect(readdirSync(scratch)).toEqual([])
  expect((await server.stop()).code).toBe(0)
  const [, output] =
    /The service is stopping; the (\d+) links up to line \d+ were imported/.exec(wet.received()) ?? []
  expect(Number(output)).toBe(countLinks(folder))
  expect(dry.received()).toContain('The service is stopping; nothing was imported. Try again later.')
  expect(readdirSync(scratch)).toEqual([])
})

test('L30.1: SIGKILL in the middle of an upload, an import and a dry run leaves no file behind, and one event of each link', async () => {
  const { server, folder, scratch } = await start()
  send(server, LONG)
  const dry = send(server, LONG, { query: 'format=csv&dry_run=true', as: 'ben' })
  await until(
    'both are under way',
    () => countLinks(folder) > 0 && dry.received().includes('"row"'),
    TIMEOUT_MS,
  )
  await server.kill()
  expect(readdirSync(scratch)).toEqual([])
  expect(countLinks(folder)).toBeGreaterThan(0)
  const file = new SqliteFile(databasePath(folder))
  expect(findUnequalRecords(file)).toEqual([])
  file.close()
})

function memoryMiB(server: Server, name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8')
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024
}

test('six hostile uploads at once use no more memory than a few entries of a link file', async () => {
  const { server } = await start()
  const before = memoryMiB(server, 'VmRSS')
  const deep = `{"url":"https://example.com/","x":${'['.repeat(7 * MEGABYTE)}${']'.repeat(7 * MEGABYTE)}}`
  const wide = `{"url":"https://example.com/","x":[${'[0],'.repeat(450_000)}0]}`
  const files: readonly [query: string, file: string][] = [
    ['format=kutt', `{"data":[${deep},${deep}]}`],
    ['format=ndjson', Array.from({ length: 14 }, () => wide).join('\n')],
  ]
  const answers = await Promise.all(
    ['a', 'b', 'c', 'd', 'e', 'f'].map(async (as, at) => {
      const [query, file] = files[at % 2] ?? ['', '']
      const { socket, received } = send(server, file, { query, as, lines: false })
      await until('an answer', () => /HTTP\/1\.1 \d{3}[^]*\r\n\r\n\{.*\}$/.test(received()), TIMEOUT_MS)
      socket.destroy()
      return received()
    }),
  )
  const imported = answers.filter((answer) => answer.startsWith('HTTP/1.1 200'))
  const refused = answers.filter((answer) => answer.startsWith('HTTP/1.1 429'))
  expect([imported.length >= 2, imported.length + refused.length]).toEqual([true, 6])
  for (const answer of imported)
    expect(answer).toMatch(/"imported":0,.*"bad":(?:2|14),.*(?:is longer|has more)/)
  // 60 as measured; 1,200 for one such file without a limit.
  expect(memoryMiB(server, 'VmHWM') - before).toBeLessThan(400)
})
