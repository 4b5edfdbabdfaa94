import { existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Reader, openReader } from '@latchkey/database/database'
import { type Migration, NewerDatabase, pendingMigrations } from '@latchkey/database/migrate'
import { dialectOf, sqlitePath } from '@latchkey/database/url'
import { type Kysely, sql } from 'kysely'
import { type Finding, fail, ok, warn } from './finding.ts'

/** A service's database, as its settings name it. */
export interface DatabaseCheck<Tables> {
  url: string
  /** Where the address comes from: `LINKS_DATABASE_URL`. */
  setting: string
  migrations: Readonly<Record<string, Migration>>
  /**
   * When something was last stored, in Unix seconds: SQLite has no clock of its own, but nothing can have happened later
   * than now.
   */
  newestAt: (read: Kysely<Tables>) => Promise<number>
  /** Further checks of the tables, when they are those of this version. */
  checkTables?: (read: Kysely<Tables>) => Promise<Finding[]>
  /** What goes wrong when the clock does: `links would expire at the wrong time`. */
  harm: string
  /** Milliseconds since 1970. */
  now: () => number
}

/** Looks at the soundness of the database, its version and the clock. Makes nothing and changes nothing. */
export async function checkDatabase<Tables>(examined: DatabaseCheck<Tables>): Promise<Finding[]> {
  const { url, migrations } = examined
  let database: Reader<Tables> | undefined
  try {
    if (isNotYetCreated(url))
      return [
        warn('database', `there is none yet: the first start makes ${sqlitePath(url)}`),
        pendingFinding(Object.keys(migrations)),
        checkOwnClock(examined),
      ]
    database = openReader<Tables>(url)
    const version = await checkVersion(database, migrations)
    return [
      await checkStorage(database),
      version.finding,
      await checkClock(database, examined, version.isCurrent),
      ...(version.isCurrent ? ((await examined.checkTables?.(database.read)) ?? []) : []),
    ]
  } catch (error) {
    const unchecked = 'not checked: it needs the database'
    return [
      fail('database', `cannot be used (${reasonOf(error)}): check ${examined.setting}`),
      warn('migrations', unchecked),
      warn('clock', unchecked),
    ]
  } finally {
    await database?.close()
  }
}

// Refused connections come without a message of their own, SQLite's messages without the code that says which it is.
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? String(error.code) : error.name
  if (error.message === '') return code
  return error.message.includes(code) ? error.message : `${error.message}, ${code}`
}

/** Whether it is a file that a start would make; one in a place where none can be is a problem of its own. */
function isNotYetCreated(url: string): boolean {
  if (dialectOf(url) === 'postgres' || existsSync(sqlitePath(url))) return false
  let folder = dirname(resolve(sqlitePath(url)))
  while (!existsSync(folder)) folder = dirname(folder)
  return statSync(folder).isDirectory()
}

async function checkStorage<Tables>(database: Reader<Tables>): Promise<Finding> {
  const [problem] = await storageProblems(database)
  if (problem !== undefined)
    return fail('database', `is damaged (${problemLine(problem)}): stop the service and restore a backup`)
  return ok('database', `${await engineVersion(database)} can be read and is sound`)
}

/** What the engine finds wrong with its own files; empty when nothing is. */
async function storageProblems<Tables>({ dialect, read }: Reader<Tables>): Promise<string[]> {
  if (dialect === 'postgres') {
    await sql`select 1`.execute(read)
    return []
  }
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check`.execute(read)
  return rows.map((row) => row.quick_check).filter((text) => text !== 'ok')
}

/** SQLite may say a hundred things at once below a heading; a finding is one line. */
function problemLine(problem: string): string {
  const lines = problem.split('\n')
  return lines.find((line) => !line.startsWith('***')) ?? problem
}

async function engineVersion<Tables>({ dialect, read }: Reader<Tables>): Promise<string> {
  const query =
    dialect === 'sqlite'
      ? sql<{ version: string }>`select sqlite_version() as version`
      : sql<{ version: string }>`select current_setting('server_version') as version`
  const { rows } = await query.execute(read)
  return `${dialect === 'sqlite' ? 'SQLite' : 'PostgreSQL'} ${rows[0]?.version}`
}

/** Tables are known to be what they are here only in the very version that this is. */
async function checkVersion<Tables>(
  database: Reader<Tables>,
  migrations: DatabaseCheck<Tables>['migrations'],
): Promise<{ finding: Finding; isCurrent: boolean }> {
  try {
    const due = await pendingMigrations(database, migrations)
    if (due.length > 0) return { finding: pendingFinding(due), isCurrent: false }
    return { finding: await newestMigration(database), isCurrent: true }
  } catch (error) {
    if (!(error instanceof NewerDatabase)) throw error
    return { finding: fail('migrations', error.message), isCurrent: false }
  }
}

function pendingFinding(due: readonly string[]): Finding {
  return ok('migrations', `the next start applies ${due.join(', ')}`)
}

async function newestMigration<Tables>({ read }: Reader<Tables>): Promise<Finding> {
  const { rows } = await sql<{ name: string }>`select name from migration order by name desc limit 1`.execute(
    read,
  )
  return ok('migrations', `up to date with ${rows[0]?.name}`)
}

/** 2025: a machine whose clock was never set wakes up long before. */
const EARLIEST_MS = 1_735_689_600_000
/** More than a slow answer of the database takes. */
const TOLERANCE_S = 5

function checkOwnClock<Tables>({ now, harm }: DatabaseCheck<Tables>): Finding {
  const at = new Date(now()).toISOString()
  return now() < EARLIEST_MS ? fail('clock', `says ${at}: set it, ${harm}`) : ok('clock', `says ${at}`)
}

async function checkClock<Tables>(
  database: Reader<Tables>,
  examined: DatabaseCheck<Tables>,
  hasTables: boolean,
): Promise<Finding> {
  const own = checkOwnClock(examined)
  if (own.level === 'fail') return own
  const { now, newestAt } = examined
  const at = new Date(now()).toISOString()
  if (database.dialect === 'sqlite') {
    if (!hasTables) return own
    const ahead = Math.round((await newestAt(database.read)) - now() / 1000)
    return ahead > TOLERANCE_S
      ? warn(
          'clock',
          `says ${at}, but the database has something ${ahead} s later: check that it was not set back`,
        )
      : own
  }
  const ahead = Math.round((await serverTime(database.read)) - now() / 1000)
  return Math.abs(ahead) > TOLERANCE_S
    ? fail(
        'clock',
        `differs from the database's by ${Math.abs(ahead)} s: let both machines follow a time server`,
      )
    : ok('clock', `says ${at}, as the database's does`)
}

async function serverTime<Tables>(read: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{
    at: number
  }>`select extract(epoch from clock_timestamp())::float8 as at`.execute(read)
  return rows[0]?.at ?? Number.NaN
}
