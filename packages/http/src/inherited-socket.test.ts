import { afterEach, expect, test } from 'bun:test'
import { openSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { inodeOf } from './inherited-socket.ts'
import { HeldSocket, passSockets } from './testing-sockets.ts'

/** Listens on the port of its first argument, and answers who asked which process. */
const PROGRAM = `
  import { listen } from ${JSON.stringify(join(import.meta.dir, 'serve.ts'))}
  const listener = listen({ host: '127.0.0.1', port: Number(process.argv.at(-1)) }, {
    async fetch(request, server) {
      const { searchParams } = new URL(request.url)
      await Bun.sleep(Number(searchParams.get('wait')))
      return Response.json({ pid: process.pid, client: server.requestIP(request).address })
    },
    error: () => new Response(null, { status: 500 }),
  })
  console.log(listener.url.href)
  process.on('SIGTERM', async () => {
    await listener.stopAccepting()
    console.log('paused')
    await listener.finish()
    process.exit(0)
  })`

const held: HeldSocket[] = []
const children: Bun.Subprocess[] = []
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL')
    await child.exited
  }
  for (const socket of held.splice(0)) socket.close()
})

function hold(): HeldSocket {
  const socket = new HeldSocket()
  held.push(socket)
  return socket
}

function spawn(port: number, { command, env, fds }: ReturnType<typeof passing>) {
  const child = Bun.spawn([...command, String(port)], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe', ...fds],
  })
  children.push(child)
  const out = child.stdout.getReader()
  return {
    child,
    line: async () => new TextDecoder().decode((await out.read()).value).trim(),
    error: () => new Response(child.stderr).text(),
  }
}

const passing = (...sockets: HeldSocket[]) => passSockets([process.execPath, '-e', PROGRAM], sockets)

const ask = async ({ port }: HeldSocket, query = '') => {
  const answer = await fetch(`http://127.0.0.1:${port}/${query}`, { keepalive: false })
  return (await answer.json()) as { pid: number; client: string }
}

test('O4.2b: a connection that waits in an inherited socket is answered by the process that starts', async () => {
  const socket = hold()
  const early = ask(socket)
  const { child, line } = spawn(socket.port, passing(socket))
  expect(await early).toEqual({ pid: child.pid, client: '127.0.0.1' })
  expect(await line()).toBe(`http://127.0.0.1:${socket.port}/`)
})

test('O4.2b: of several inherited sockets, a service takes the one with its port', async () => {
  const [other, socket] = [hold(), hold()]
  const { child } = spawn(socket.port, passing(other, socket))
  expect((await ask(socket)).pid).toBe(child.pid)
})

test('O4.2c: a process that stops leaves new connections to the next, and answers those that it has', async () => {
  const socket = hold()
  const first = spawn(socket.port, passing(socket))
  await first.line()
  const running = ask(socket, '?wait=300')
  await ask(socket)
  first.child.kill('SIGTERM')
  expect(await first.line()).toBe('paused')
  const later = ask(socket)
  expect((await running).pid).toBe(first.child.pid)
  expect(await first.child.exited).toBe(0)
  const second = spawn(socket.port, passing(socket))
  expect((await later).pid).toBe(second.child.pid)
})

test('O4.2d: while a request runs that is older than the stop, new ones are still answered', async () => {
  const socket = hold()
  const { child, line } = spawn(socket.port, passing(socket))
  await line()
  const running = ask(socket, '?wait=4000')
  await ask(socket)
  child.kill('SIGTERM')
  const stoppedAtMs = performance.now()
  // Longer than the second in which connections end.
  while (performance.now() - stoppedAtMs < 1_500) expect((await ask(socket)).pid).toBe(child.pid)
  expect((await running).pid).toBe(child.pid)
  expect(await child.exited).toBe(0)
}, 30_000)

test('O4.2b: a process to which the sockets were not passed listens on its own', async () => {
  const socket = hold()
  const { command, env, fds } = passing(socket)
  const { line } = spawn(0, {
    command: command.slice(4),
    env: { ...env, LISTEN_PID: '1' } as typeof env,
    fds,
  })
  expect(await line()).not.toContain(`:${socket.port}/`)
})

test('O4.2b: a process does not start without a socket of its port, whose clients would wait forever', async () => {
  const [socket, other] = [hold(), hold()]
  const { child, error } = spawn(other.port, passing(socket))
  expect(await child.exited).not.toBe(0)
  expect(await error()).toContain(
    `The service is to listen on port ${other.port}, but the ports of the sockets that its supervisor passed are: ${socket.port}. Set the same port in both places, the service and its socket unit`,
  )
})

test('O4.2b: a process does not start with anything else than a listening socket', async () => {
  const file = { fd: openSync('/dev/null', 'r') } as HeldSocket
  const { child, error } = spawn(8080, passing(file))
  expect(await child.exited).not.toBe(0)
  expect(await error()).toContain('passed are: not of TCP.')
})

test('O4.2b: a process does not start with two sockets of its port', async () => {
  const socket = hold()
  const { child, error } = spawn(socket.port, passing(socket, socket))
  expect(await child.exited).not.toBe(0)
  expect(await error()).toContain(`The supervisor passed several sockets with port ${socket.port}: pass one`)
})

test('O4.2b: no program that a service starts gets its socket', async () => {
  const socket = hold()
  const program = `${PROGRAM}
  console.log(Bun.spawnSync(['/bin/sh', '-c', 'ls -l /proc/self/fd']).stdout.toString(), 'listed')`
  const { line } = spawn(socket.port, passSockets([process.execPath, '-e', program], [socket]))
  let files = ''
  while (!files.includes('listed')) files += await line()
  expect(files).not.toContain(`socket:[${inodeOf(socket.fd)}]`)
})

test('O4.2c: a connection that has sent nothing yet does not keep a process from stopping', async () => {
  const socket = hold()
  const { child, line } = spawn(socket.port, passing(socket))
  await line()
  const silent = connect(socket.port, '127.0.0.1')
  silent.on('error', () => undefined)
  await new Promise((resolve) => silent.once('connect', resolve))
  await ask(socket)
  const startedMs = performance.now()
  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
  expect(performance.now() - startedMs).toBeLessThan(5_000)
  silent.destroy()
})
