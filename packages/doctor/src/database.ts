import { type Database, openDatabase } from '@latchkey/database/database'
import { type Migration, NewerDatabase, migrate } from '@latchkey/database/migrate'
import { type Kysely, sql } from 'kysely'
import { type Finding, fail, ok, warn } from './finding.ts'

/** A service's database, as its settings name it. */
export interface Examined<Tables> {
  url: string
  /** Where the address comes from: `LINKS_DATABASE_URL`. */
  setting: string
  migrations: Readonly<Record<string, Migration>>
  /**
   * When something was last stored, in Unix seconds: SQLite has no clock of its own, but nothing can have happened later
   * than now.
   */
  newestAt: (read: Kysely<Tables>) => Promise<number>
  /** What goes wrong when the clock does: `links would expire at the wrong time`. */
  harm: string
  /** Milliseconds since 1970. */
  now: () => number
}

/** Opens and migrates the database, as a start would, and looks at its soundness, its version and the clock. */
export async function checkDatabase<Tables>(examined: Examined<Tables>): Promise<Finding[]> {
  let database: Database<Tables> | undefined
  try {
    database = openDatabase<Tables>(examined.url)
    const applied = await migrate(database, examined.migrations)
    return [
      await checkStorage(database),
      await checkMigrations(database, applied),
      await checkClock(database, examined),
    ]
  } catch (error) {
    if (error instanceof NewerDatabase) return [fail('migrations', error.message)]
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

async function checkStorage<Tables>(database: Database<Tables>): Promise<Finding> {
  const [problem] = await storageProblems(database)
  if (problem !== undefined)
    return fail('database', `is damaged (${tellingLine(problem)}): stop the service and restore a backup`)
  return ok('database', `${await engineVersion(database)} can be read and is sound`)
}

/** What the engine finds wrong with its own files; empty when nothing is. */
async function storageProblems<Tables>({ dialect, read }: Database<Tables>): Promise<string[]> {
  if (dialect === 'postgres') {
    await sql`select 1 from migration limit 1`.execute(read)
    return []
  }
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check`.execute(read)
  return rows.map((row) => row.quick_check).filter((text) => text !== 'ok')
}

/** SQLite may say a hundred things at once below a heading; a finding is one line. */
function tellingLine(problem: string): string {
  const lines = problem.split('\n')
  return lines.find((line) => !line.startsWith('***')) ?? problem
}

async function engineVersion<Tables>({ dialect, read }: Database<Tables>): Promise<string> {
  const query =
    dialect === 'sqlite'
      ? sql<{ version: string }>`select sqlite_version() as version`
      : sql<{ version: string }>`select current_setting('server_version') as version`
  const { rows } = await query.execute(read)
  return `${dialect === 'sqlite' ? 'SQLite' : 'PostgreSQL'} ${rows[0]?.version}`
}

async function checkMigrations<Tables>(
  { read }: Database<Tables>,
  applied: readonly string[],
): Promise<Finding> {
  if (applied.length > 0) return ok('migrations', `applied now: ${applied.join(', ')}`)
  const { rows } = await sql<{ name: string }>`select name from migration order by name desc limit 1`.execute(
    read,
  )
  return ok('migrations', `up to date with ${rows[0]?.name}`)
}

/** 2025: a machine whose clock was never set wakes up long before. */
const EARLIEST_MS = 1_735_689_600_000
/** More than a slow answer of the database takes. */
const TOLERANCE_S = 5

async function checkClock<Tables>(database: Database<Tables>, examined: Examined<Tables>): Promise<Finding> {
  const { now, harm, newestAt } = examined
  const at = new Date(now()).toISOString()
  if (now() < EARLIEST_MS) return fail('clock', `says ${at}: set it, ${harm}`)
  if (database.dialect === 'sqlite') {
    const ahead = Math.round((await newestAt(database.read)) - now() / 1000)
    return ahead > TOLERANCE_S
      ? warn(
          'clock',
          `says ${at}, but the database has something ${ahead} s later: check that it was not set back`,
        )
      : ok('clock', `says ${at}`)
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
