import { type Database, openDatabase } from '@latchkey/database/database'
import { NewerDatabase, migrate } from '@latchkey/database/migrate'
import { dialectOf, sqlitePath } from '@latchkey/database/url'
import { type Environment, SettingsError } from '@latchkey/settings/settings'
import { migrations } from '../db/migrations.ts'
import type { Tables } from '../db/tables.ts'
import { type Settings, readSettings, settingsWarnings } from '../settings.ts'
import { type Finding, fail, ok, warn } from './finding.ts'
import { engineVersion, newestMigration, referenceTime, storageProblems } from './store.ts'
import { checkAccess, checkDisk, checkPublicAddress } from './surroundings.ts'

/**
 * Looks at everything the service depends on, as the environment says it. Makes and migrates the database, as a start
 * would.
 */
export async function* examine(env: Environment, now: () => number = Date.now): AsyncGenerator<Finding> {
  const { settings, findings } = checkSettings(env)
  yield* findings
  if (!settings) return
  const { databaseUrl, journal } = settings
  yield* await checkDatabase(databaseUrl, now)
  const files = dialectOf(databaseUrl) === 'sqlite' ? [databaseUrl, journal] : [journal]
  yield* await checkDisk(files.map(sqlitePath))
  yield await checkAccess(settings)
  yield await checkPublicAddress(settings)
}

function checkSettings(env: Environment): { settings?: Settings; findings: Finding[] } {
  const findings = settingsWarnings(env).map((warning) => warn('settings', warning))
  try {
    const settings = readSettings(env)
    return { settings, findings: [...findings, ok('settings', 'all can be used')] }
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    const problems = error.problems.map(({ name, problem, example }) =>
      fail('settings', `${name} ${problem}. Example: ${name}=${example}`),
    )
    return { findings: [...findings, ...problems] }
  }
}

async function checkDatabase(url: string, now: () => number): Promise<Finding[]> {
  let database: Database<Tables> | undefined
  try {
    database = openDatabase<Tables>(url)
    const applied = await migrate(database, migrations)
    return [
      await checkStorage(database),
      await checkMigrations(database, applied),
      await checkClock(database, now),
    ]
  } catch (error) {
    if (error instanceof NewerDatabase) return [fail('migrations', error.message)]
    const unchecked = 'not checked: it needs the database'
    return [
      fail('database', `cannot be used (${reasonOf(error)}): check LINKS_DATABASE_URL`),
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

async function checkStorage(database: Database<Tables>): Promise<Finding> {
  const [problem] = await storageProblems(database)
  if (problem !== undefined)
    return fail('database', `is damaged (${tellingLine(problem)}): stop the service and restore a backup`)
  return ok('database', `${await engineVersion(database)} can be read and is sound`)
}

/** SQLite may say a hundred things at once below a heading; a finding is one line. */
function tellingLine(problem: string): string {
  const lines = problem.split('\n')
  return lines.find((line) => !line.startsWith('***')) ?? problem
}

async function checkMigrations(database: Database<Tables>, applied: readonly string[]): Promise<Finding> {
  if (applied.length > 0) return ok('migrations', `applied now: ${applied.join(', ')}`)
  return ok('migrations', `up to date with ${await newestMigration(database)}`)
}

/** 2025: a machine whose clock was never set wakes up long before. */
const EARLIEST_MS = 1_735_689_600_000
/** More than a slow answer of the database takes. */
const TOLERANCE_S = 5

async function checkClock(database: Database<Tables>, now: () => number): Promise<Finding> {
  const at = new Date(now()).toISOString()
  if (now() < EARLIEST_MS) return fail('clock', `says ${at}: set it, links would expire at the wrong time`)
  const reference = await referenceTime(database)
  const ahead = Math.round(reference - now() / 1000)
  if (database.dialect === 'sqlite')
    return ahead > TOLERANCE_S
      ? warn('clock', `says ${at}, but a click was counted ${ahead} s later: check that it was not set back`)
      : ok('clock', `says ${at}`)
  return Math.abs(ahead) > TOLERANCE_S
    ? fail(
        'clock',
        `differs from the database's by ${Math.abs(ahead)} s: let both machines follow a time server`,
      )
    : ok('clock', `says ${at}, as the database's does`)
}
