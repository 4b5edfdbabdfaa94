import { existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Reader, openReader } from '@latchkey/database/database'
import { type Migration, NewerDatabase, pendingMigrations } from '@latchkey/database/migrate'
import { dialectOf, sqlitePath } from '@latchkey/database/url'
import { type Kysely, sql } from 'kysely'
import { type Finding, fail, ok, warn } from './finding.ts'

/** The database of a service, as configured. */
export interface DatabaseCheck<Tables> {
  url: string
  /** Name of the setting with the URL: `LINKS_DATABASE_URL`. */
  setting: string
  migrations: Readonly<Record<string, Migration>>
  /**
   * Returns the newest time stored in the tables, in Unix seconds. SQLite has no clock of its own,
   * but no stored time can be later than now.
   */
  newestAt: (read: Kysely<Tables>) => Promise<number>
  /** Further checks of the tables, run only when the tables are those of this version. */
  checkTables?: (read: Kysely<Tables>) => Promise<Finding[]>
  /** The consequence of a wrong clock: `links would expire at the wrong time`. */
  harm: string
  /** Milliseconds since 1970. */
  now: () => number
}

/** Checks the integrity of the database, its version and the clock. Creates and changes nothing. */
export async function checkDatabase<Tables>(check: DatabaseCheck<Tables>): Promise<Finding[]> {
  const { url, migrations } = check
  let database: Reader<Tables> | undefined
  try {
    if (isNotYetCreated(url))
      return [
        warn('database', `does not exist yet: the first start creates ${sqlitePath(url)}`),
        pendingFinding(Object.keys(migrations)),
        checkOwnClock(check),
      ]
    database = openReader<Tables>(url)
    const version = await checkVersion(database, migrations)
    return [
      await checkStorage(database),
      version.finding,
      await checkClock(database, check, version.isCurrent),
      ...(version.isCurrent ? ((await check.checkTables?.(database.read)) ?? []) : []),
    ]
  } catch (error) {
    const unchecked = 'not checked: requires the database'
    return [
      fail('database', `cannot be used (${reasonOf(error)}): check ${check.setting}`),
      warn('migrations', unchecked),
      warn('clock', unchecked),
    ]
  } finally {
    await database?.close()
  }
}

// Refused connections arrive without a message, SQLite's errors with a message that lacks their
// code.
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? String(error.code) : error.name
  if (error.message === '') return code
  return error.message.includes(code) ? error.message : `${error.message}, ${code}`
}

/**
 * True when the database is a file that the first start would create. A path where no file can be
 * is a separate problem.
 */
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
  return ok('database', `${await engineVersion(database)} is readable and intact`)
}

/** Returns the problems that the engine finds in its own files. */
async function storageProblems<Tables>({ dialect, read }: Reader<Tables>): Promise<string[]> {
  if (dialect === 'postgres') {
    await sql`select 1`.execute(read)
    return []
  }
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check`.execute(read)
  return rows.map((row) => row.quick_check).filter((text) => text !== 'ok')
}

/** SQLite may report a hundred problems at once below a heading. A finding is one line. */
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

/** Table checks apply only to a database of exactly this version. */
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

/** The start of 2025. A machine whose clock was never set starts long before. */
const EARLIEST_MS = 1_735_689_600_000
/** More than a slow answer of the database takes, in seconds. */
const TOLERANCE_S = 5

function checkOwnClock<Tables>({ now, harm }: DatabaseCheck<Tables>): Finding {
  const at = new Date(now()).toISOString()
  return now() < EARLIEST_MS
    ? fail('clock', `says ${at}: set the clock, or ${harm}`)
    : ok('clock', `says ${at}`)
}

async function checkClock<Tables>(
  database: Reader<Tables>,
  check: DatabaseCheck<Tables>,
  hasTables: boolean,
): Promise<Finding> {
  const own = checkOwnClock(check)
  if (own.level === 'fail') return own
  const { now, newestAt } = check
  const at = new Date(now()).toISOString()
  if (database.dialect === 'sqlite') {
    if (!hasTables) return own
    const ahead = Math.round((await newestAt(database.read)) - now() / 1000)
    return ahead > TOLERANCE_S
      ? warn(
          'clock',
          `says ${at}, but the newest data in the database is ${ahead} s later: check whether the clock was set back`,
        )
      : own
  }
  const ahead = Math.round((await serverTime(database.read)) - now() / 1000)
  return Math.abs(ahead) > TOLERANCE_S
    ? fail(
        'clock',
        `differs from the database's by ${Math.abs(ahead)} s: synchronise both machines with a time server`,
      )
    : ok('clock', `says ${at}, in agreement with the database's`)
}

async function serverTime<Tables>(read: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{
    at: number
  }>`select extract(epoch from clock_timestamp())::float8 as at`.execute(read)
  return rows[0]?.at ?? Number.NaN
}
