import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const TICK_US = 10_000

/** A server in a separate process. */
export interface Running {
  port: number
  pid: number
  /** CPU time since its start, in microseconds. */
  cpuUs(): number
  rssBytes(): number
  stop(): Promise<void>
  /** Ends it at once. */
  kill(): Promise<void>
}

let nextPort = 9211

/** Starts a server and waits until it answers. */
export async function start(
  script: string,
  env: Record<string, string>,
  { runtime = process.execPath, port = nextPort++ }: { runtime?: string; port?: number } = {},
): Promise<Running> {
  const child = Bun.spawn([runtime, join(import.meta.dir, script)], {
    env: { ...process.env, ...env, PORT: String(port), ROOMS_PORT: String(port) },
    stdout: 'ignore',
    stderr: 'inherit',
  })
  for (let tries = 0; ; tries++)
    try {
      await fetch(`http://127.0.0.1:${port}/api/health`)
      break
    } catch (error) {
      if (tries > 200) throw error
      await Bun.sleep(50)
    }
  return {
    port,
    pid: child.pid,
    cpuUs() {
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      return (Number(fields[11]) + Number(fields[12])) * TICK_US
    },
    rssBytes() {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024
    },
    async stop() {
      child.kill()
      await child.exited
    },
    async kill() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}
