import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Server, createKey, withKey } from './server.ts'
import { closeAfterEach, testFolder } from '../test-database.ts'

const { closeLater } = closeAfterEach()

/** True if system calls can be traced here: `strace` is installed and permitted. */
const strace = Bun.which('strace')
const canWatch =
  strace !== null && Bun.spawnSync([strace, '-o', '/dev/null', 'true'], { stderr: 'ignore' }).exitCode === 0

type Event = { kind: 'write' | 'sync'; file: string } | { kind: 'answer'; text: string }

/**
 * Actions of the process in order: a sync counts at its end, an answer at the start of its send.
 */
function eventsIn(trace: string): Event[] {
  const pending = new Map<string, string>()
  return trace.split('\n').flatMap((line): Event[] => {
    const [, pid = '', call = ''] = /^(\d+) +(.*)$/.exec(line) ?? []
    const [, file = ''] = /^\w+\(\d+<([^>]*)>/.exec(call) ?? []
    if (/^(write|pwrite64|writev|pwritev)\(/.test(call) && file.endsWith('-wal'))
      return [{ kind: 'write', file }]
    const [, text] = /^(?:sendto|sendmsg|write|writev)\(.*"(HTTP\/1\.1 [^"]*)"/.exec(call) ?? []
    if (text !== undefined) return [{ kind: 'answer', text }]
    if (/^f(data)?sync\(/.test(call)) {
      if (call.endsWith('= 0')) return [{ kind: 'sync', file }]
      pending.set(pid, file)
    }
    const resumed = /^<\.\.\. f(?:data)?sync resumed>\) += 0$/.test(call)
    return resumed ? [{ kind: 'sync', file: pending.get(pid) ?? '' }] : []
  })
}

/**
 * Answers with this beginning that were sent while earlier writes to the file were not yet on disk.
 */
function answersAhead(events: readonly Event[], beginning: string, file: string): number {
  let [dirty, ahead] = [false, 0]
  for (const event of events)
    if (event.kind === 'answer') ahead += event.text.startsWith(beginning) && dirty ? 1 : 0
    else if (event.file.endsWith(file)) dirty = event.kind === 'write'
  return ahead
}

// A kill keeps the buffers of the kernel; a power failure does not. A container may forbid tracing
// and skips this test.
test('L12.4: writes for a redirect or an API request are on disk before the answer is sent', async () => {
  if (!canWatch) return
  const trace = join(testFolder(), 'trace')
  const calls = 'trace=pwrite64,pwritev,write,writev,fsync,fdatasync,sendto,sendmsg'
  const under = [strace ?? '', '-f', '-y', '-s', '20', '-o', trace, '-e', calls]
  const folder = testFolder()
  const server = closeLater(await Server.start(folder, { wrapper: under, isWrapped: true }))
  const headers = withKey(await createKey(server))
  const wire = closeLater(await server.connect())
  const send = async (method: string, path: string, body: unknown) =>
    (await wire.request(method, `/_/api${path}`, { headers, body })).status
  expect(await send('POST', '/links', { url: 'https://example.com/', slug: 'target' })).toBe(201)
  for (let index = 0; index < 20; index++) {
    expect((await wire.request('GET', '/target')).status).toBe(302)
    if (index % 4 === 0) expect(await send('PUT', '/links/1', { label: `label ${index}` })).toBe(200)
  }
  expect((await server.stop()).code).toBe(0)

  const events = eventsIn(readFileSync(trace, 'utf8'))
  const answers = (beginning: string) =>
    events.filter((event) => event.kind === 'answer' && event.text.startsWith(beginning)).length
  const writes = (file: string) =>
    events.filter((event) => event.kind === 'write' && event.file.endsWith(file)).length
  expect([answers('HTTP/1.1 302'), answers('HTTP/1.1 20')]).toEqual([20, 7])
  expect(writes('journal.db-wal')).toBeGreaterThanOrEqual(20)
  expect(writes('links.db-wal')).toBeGreaterThanOrEqual(6)
  // A file whose directory entry is not on disk is lost after a power failure.
  const named = events.findIndex((event) => event.kind === 'sync' && event.file === folder)
  const first = events.findIndex((event) => event.kind === 'answer')
  expect([named >= 0, named < first]).toEqual([true, true])
  expect(answersAhead(events, 'HTTP/1.1 302', 'journal.db-wal')).toBe(0)
  expect(answersAhead(events, 'HTTP/1.1 20', 'links.db-wal')).toBe(0)
}, 60_000)
