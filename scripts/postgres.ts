import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@latchkey/http/free-port'

export interface TestPostgres {
  url: string
  stop(): Promise<void>
}

/**
 * Starts a separate PostgreSQL server for the tests. Undefined if PostgreSQL is not installed, or if
 * root has no `runuser` to start it as another user: the server refuses to run as root.
 */
export async function startPostgres(connections = 100): Promise<TestPostgres | undefined> {
  const bin = findBinaries()
  const isRoot = process.getuid?.() === 0
  if (bin === undefined || (isRoot && !Bun.which('runuser'))) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-postgres-'))
  const data = join(folder, 'data')
  if (isRoot) await run(['chown', 'postgres', folder])
  const as = isRoot ? ['runuser', '-u', 'postgres', '--'] : []
  await run([
    ...as,
    join(bin, 'initdb'),
    '-D',
    data,
    '-U',
    'postgres',
    '-A',
    'trust',
    '--no-sync',
    '-E',
    'UTF8',
  ])
  const port = await freePort()
  // A shell parses these options, and the folder may contain blanks.
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='${folder}' -c fsync=off -c full_page_writes=off -c wal_level=minimal -c max_wal_senders=0 -c jit=off -c max_connections=${connections}`
  const control = [...as, join(bin, 'pg_ctl'), '-D', data, '-w']
  const log = join(folder, 'log')
  await run([...control, '-l', log, '-o', options, 'start']).catch((error: Error) => {
    throw new Error(`${error.message}: ${existsSync(log) ? readFileSync(log, 'utf8') : ''}`)
  })
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async stop() {
      await run([...control, '-m', 'immediate', 'stop'])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function findBinaries(): string | undefined {
  const onPath = Bun.which('initdb')
  if (onPath) return join(onPath, '..')
  const packaged = '/usr/lib/postgresql'
  try {
    const newest = readdirSync(packaged)
      .filter((version) => Bun.which('initdb', { PATH: join(packaged, version, 'bin') }))
      .toSorted((a, b) => Number(a) - Number(b))
      .at(-1)
    return newest && join(packaged, newest, 'bin')
  } catch {
    return undefined
  }
}

async function run(command: string[]): Promise<void> {
  // pg_ctl leaves the server running with our handles, so no stream may be a pipe.
  const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore', cwd: '/' })
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed`)
}
