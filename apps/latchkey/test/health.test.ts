import { afterAll, expect, test } from 'bun:test'
import { Workspace } from './running.ts'

const workspace = new Workspace()
afterAll(() => workspace.remove())

/** A server that always responds with the status, on all addresses of this machine. */
function answering(status: number) {
  return Bun.serve({ port: 0, hostname: '0.0.0.0', fetch: () => new Response('', { status }) })
}

test('latchkey health checks both services, bypassing the proxy of the environment', async () => {
  const service = await workspace.start(['start'], /--title "First key"/)
  const ports = {
    LINKS_PORT: new URL(service.originOf('links')).port,
    ROOMS_PORT: new URL(service.originOf('rooms')).port,
  }
  const env = { ...ports, HTTP_PROXY: 'http://127.0.0.1:1', http_proxy: 'http://127.0.0.1:1' }
  expect(await workspace.run(['health'], { env })).toEqual({
    code: 0,
    out: 'links: ok\nrooms: ok\n',
    err: '',
  })
  expect(await service.stop()).toBe(0)
  const { code, out } = await workspace.run(['health', '--service', 'links'], { env })
  expect(code).toBe(1)
  expect(out).toMatch(/^links: \S.*\n$/)
})

test('latchkey health fails if one service is unhealthy, and --service checks only that one', async () => {
  const [well, unwell] = [answering(200), answering(503)]
  const env = {
    LINKS_HOST: '0.0.0.0',
    LINKS_PORT: String(well.port),
    ROOMS_PORT: String(unwell.port),
  }
  expect(await workspace.run(['health'], { env })).toMatchObject({
    code: 1,
    out: 'links: ok\nrooms: answers 503\n',
  })
  expect(await workspace.run(['health', '--service', 'links'], { env })).toMatchObject({
    code: 0,
    out: 'links: ok\n',
  })
  expect((await workspace.run(['health', '--service', 'other'], { env })).code).toBe(2)
  await Promise.all([well.stop(true), unwell.stop(true)])
})

test('latchkey health waits 4 seconds for a response, even if it arrives byte by byte', async () => {
  let timer: Timer | undefined
  const answer = 'HTTP/1.1 200 OK'
  let written = 0
  const slow = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket) {
        timer ??= setInterval(() => socket.write(answer[written++] ?? ''), 500)
      },
    },
  })
  const env = { LINKS_PORT: String(slow.port) }
  expect(await workspace.run(['health', '--service', 'links'], { env })).toMatchObject({
    code: 1,
    out: 'links: no answer within 4 seconds\n',
  })
  clearInterval(timer)
  slow.stop(true)
}, 30_000)
