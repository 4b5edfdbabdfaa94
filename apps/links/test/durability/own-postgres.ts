import { readFileSync, readlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { startPostgres } from '../../../../scripts/postgres.ts'

/** A PostgreSQL server that a test may kill and start again. */
export interface OwnPostgres {
  url: string
  /** Kills the server at once, like a crash. */
  kill(): Promise<void>
  /** Starts the server on the same files and port. */
  start(): Promise<void>
  /**
   * Stops all answers until `thaw`, as if the network dropped every packet: connections stay open.
   */
  freeze(): void
  thaw(): void
  close(): Promise<void>
}

/** Undefined without an installation. */
export async function startOwnPostgres(): Promise<OwnPostgres | undefined> {
  const server = await startPostgres()
  if (!server) return undefined
  const data = await keepOptions(server.url)
  const postmaster = () => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
  const bin = dirname(readlinkSync(`/proc/${postmaster()}/exe`))
  const control = async (...rest: string[]) => {
    const asUser = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--'] : []
    const command = [...asUser, join(bin, 'pg_ctl'), '-D', data, '-w', ...rest]
    const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore', cwd: '/' })
    if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed`)
  }
  let [running, stoppedPids] = [true, [] as number[]]
  const start = async () => {
    if (running) return
    await control('-l', join(data, '..', 'log'), 'start')
    running = true
  }
  const thaw = () => {
    for (const pid of stoppedPids.splice(0)) signal(pid, 'SIGCONT')
  }
  return {
    url: server.url,
    start,
    thaw,
    async kill() {
      await control('-m', 'immediate', 'stop')
      running = false
    },
    freeze() {
      const main = postmaster()
      stoppedPids = [main, ...childrenOf(main)]
      for (const pid of stoppedPids) signal(pid, 'SIGSTOP')
    },
    async close() {
      thaw()
      await start()
      await server.stop()
    },
  }
}

/**
 * Port and other options were given on the command line; a plain start reads them from the
 * settings. Returns the data folder.
 */
async function keepOptions(url: string): Promise<string> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const show = async (name: string) =>
      (await client.query<Record<string, string>>(`show ${name}`)).rows[0]?.[name] ?? ''
    for (const name of ['port', 'listen_addresses', 'unix_socket_directories', 'fsync', 'max_connections'])
      await client.query(`alter system set ${name} = '${await show(name)}'`)
    return await show('data_directory')
  } finally {
    await client.end()
  }
}

function childrenOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return children === '' ? [] : children.split(' ').map(Number)
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // The process has ended in the meantime.
  }
}
