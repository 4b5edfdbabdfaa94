import { afterAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { Workspace } from './running.ts'

/** Less than the longest timeout of a statement. */
const SLOW_MS = 7_000
const STOP_WITHIN_MS = 10_000

const workspace = new Workspace()
afterAll(() => workspace.remove())

/** A request whose body is incomplete until `finish` is called. */
async function beginRequest(origin: string, path: string, content: object) {
  const { hostname, port, host } = new URL(origin)
  const body = JSON.stringify(content)
  const socket = connect({ host: hostname, port: Number(port) })
  let received = ''
  socket.setEncoding('latin1').on('data', (text) => (received += text))
  await new Promise((resolve) => socket.once('connect', resolve))
  const head = [`POST ${path} HTTP/1.1`, `Host: ${host}`, `Content-Length: ${body.length}`]
  socket.write(`${head.join('\r\n')}\r\nContent-Type: application/json\r\n\r\n${body.slice(0, 3)}`)
  return {
    finish: () => socket.write(body.slice(3)),
    answer: new Promise<string>((resolve) =>
      socket.once('close', () => resolve(received.split('\r\n')[0] ?? '')),
    ),
  }
}

async function isRefused(origin: string): Promise<boolean> {
  return fetch(origin).then(
    () => false,
    () => true,
  )
}

test('after SIGTERM, new connections are refused, a request of seven more seconds is answered, and the exit code is 0 in time', async () => {
  const service = await workspace.start(['start'], /First key/)
  const [links, rooms] = [service.originOf('links'), service.originOf('rooms')]
  const slow = [
    await beginRequest(links, '/_/admin/api/links', { url: 'https://example.com/slow' }),
    await beginRequest(rooms, '/api/session', { nickname: 'Slow Sam' }),
  ]
  // The requests have arrived once later ones are answered.
  for (const health of [`${links}/_/health`, `${rooms}/api/health`])
    expect((await fetch(health)).status).toBe(200)
  const startedMs = performance.now()
  const stopped = service.stop()
  while (!(await isRefused(links)) || !(await isRefused(rooms)))
    expect(performance.now() - startedMs).toBeLessThan(SLOW_MS)
  await Bun.sleep(SLOW_MS - (performance.now() - startedMs))
  for (const { finish } of slow) finish()
  expect(await Promise.all(slow.map(({ answer }) => answer))).toEqual([
    'HTTP/1.1 201 Created',
    'HTTP/1.1 201 Created',
  ])
  expect(await stopped).toBe(0)
  expect(performance.now() - startedMs).toBeLessThan(STOP_WITHIN_MS)
}, 30_000)
