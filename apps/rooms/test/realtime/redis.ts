import { freePort } from '@latchkey/http/free-port'
import { until } from '../until.ts'

/** Includes the folders of servers that are only on an administrator's path. */
const WIDE = { PATH: `${process.env['PATH']}:/usr/sbin:/usr/local/sbin` }
export const redisServer = Bun.which('redis-server', WIDE) ?? Bun.which('valkey-server', WIDE)

/** A real server without a disk, which can be killed and restarted on the same port. */
export async function ownRedis() {
  const port = await freePort()
  const start = async () => {
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
    const process = Bun.spawn([redisServer ?? 'redis-server', ...options], {
      stdout: 'ignore',
      stderr: 'ignore',
    })
    await until(() => answers(port))
    return process
  }
  let running: Awaited<ReturnType<typeof start>> | undefined = await start()
  return {
    url: `redis://127.0.0.1:${port}`,
    async kill() {
      running?.kill('SIGKILL')
      await running?.exited
      running = undefined
    },
    /** Keeps its connections and does not respond. */
    freeze: () => running?.kill('SIGSTOP'),
    thaw: () => running?.kill('SIGCONT'),
    async restart() {
      running ??= await start()
    },
  }
}

async function answers(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data: (_socket, data) => resolve(data.toString().startsWith('+PONG')),
      close: () => resolve(false),
      error: () => resolve(false),
    },
  }).catch(() => undefined)
  if (!socket) return false
  socket.write('PING\r\n')
  const answered = await Promise.race([promise, Bun.sleep(1_000).then(() => false)])
  socket.end()
  return answered
}
