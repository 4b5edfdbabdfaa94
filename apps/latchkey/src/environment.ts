import { existsSync } from 'node:fs'
import { type Database, openDatabase, openReader } from '@latchkey/database/database'
import { type Migration, pendingMigrations, migrate } from '@latchkey/database/migrate'
import { dialectOf, sqlitePath } from '@latchkey/database/url'
import { migrations } from '@latchkey/links/db/migrations'
import type { Tables } from '@latchkey/links/db/tables'
import { type Settings, readSettings, settingsWarnings } from '@latchkey/links/settings/settings'
import { migrations as roomsMigrations } from '@latchkey/rooms/db/migrations'
import type { Tables as RoomsTables } from '@latchkey/rooms/db/tables'
import { DEMO_DATABASE_URL, DEMO_FILES } from '@latchkey/rooms/settings/demo'
import { readStorageSettings } from '@latchkey/rooms/settings/storage'
import {
  type Settings as RoomsSettings,
  readSettings as readRoomsSettings,
  settingsWarnings as roomsSettingsWarnings,
} from '@latchkey/rooms/settings/settings'
import { type Problem, SettingsError } from '@latchkey/settings/settings'
import { CommandFailure } from './command.ts'
import { checkDemoRooms } from './demo-rooms.ts'
import { printError } from './output.ts'

/** The settings with which the Links service would start. Throws `SettingsError`. */
export function currentSettings(): Settings {
  for (const warning of settingsWarnings(process.env)) printError(warning)
  return readSettings(process.env)
}

/** The settings with which the Rooms service would start. Throws `SettingsError`. */
export function currentRoomsSettings(): RoomsSettings {
  for (const warning of roomsSettingsWarnings(process.env)) printError(warning)
  return readRoomsSettings(process.env)
}

/**
 * The settings of both services. Without AUTH_PROVIDER, Rooms is a demo. Throws `SettingsError`
 * with the problems of both, and `CommandFailure` if the demo may not start.
 */
export function readAllSettings(): { links: Settings; rooms: RoomsSettings | 'demo' } {
  const problems: Problem[] = []
  const reading = <T>(read: () => T): T | undefined => {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error
      problems.push(...error.problems)
      return undefined
    }
  }
  const links = reading(currentSettings)
  const rooms = reading<RoomsSettings | 'demo'>(
    process.env['AUTH_PROVIDER'] ? currentRoomsSettings : demoRooms,
  )
  if (!links || !rooms) throw new SettingsError(problems)
  return { links, rooms }
}

function demoRooms(): 'demo' {
  checkDemoRooms(process.env)
  return 'demo'
}

/** The storage of Rooms, for commands that need no identity provider. Throws `SettingsError`. */
export const roomsStorage = () => readStorageSettings(process.env)

/**
 * For commands that require existing data. Throws `CommandFailure` for a missing or empty database,
 * and for one of an earlier version: a service of that version may be using it.
 */
export async function requireLinks({ databaseUrl }: Pick<Settings, 'databaseUrl'>): Promise<void> {
  await requireCurrent(databaseUrl, 'LINKS_DATABASE_URL', migrations)
}

/** `requireLinks` for Rooms. */
export async function requireRooms({ databaseUrl }: Pick<RoomsSettings, 'databaseUrl'>): Promise<void> {
  await requireCurrent(databaseUrl, 'ROOMS_DATABASE_URL', roomsMigrations)
}

async function requireCurrent(
  url: string,
  setting: string,
  steps: Readonly<Record<string, Migration>>,
): Promise<void> {
  requireFile(url, setting)
  const reader = openReader(url)
  try {
    if (isEmpty(await pendingMigrations(reader, steps), steps))
      throw new CommandFailure(`The database in ${setting} is empty`)
  } finally {
    await reader.close()
  }
}

/**
 * Whether the database has no schema yet. Throws `CommandFailure` for one of an earlier version.
 */
function isEmpty(due: readonly string[], steps: Readonly<Record<string, Migration>>): boolean {
  if (due.length === 0) return false
  if (due.length === Object.keys(steps).length) return true
  throw new CommandFailure(
    'The database is from an earlier version: use that version for this command, or start this version to migrate the database',
  )
}

function requireFile(url: string, setting: string): void {
  if (dialectOf(url) === 'postgres' || existsSync(sqlitePath(url))) return
  const missing = `There is no database at ${sqlitePath(url)} (${setting})`
  const isOfDemo = setting === 'ROOMS_DATABASE_URL' && existsSync(sqlitePath(DEMO_DATABASE_URL))
  throw new CommandFailure(
    isOfDemo
      ? `${missing}. To use the demo's database, set ROOMS_DATABASE_URL=${DEMO_DATABASE_URL} and ROOMS_FILES=${DEMO_FILES}`
      : missing,
  )
}

/**
 * Opens the Links database, and creates it if necessary. Throws `CommandFailure` for one of an
 * earlier version.
 */
export async function withDatabase<Result>(
  { databaseUrl }: Settings,
  work: (database: Database<Tables>) => Promise<Result>,
): Promise<Result> {
  return withCurrent<Tables, Result>(databaseUrl, migrations, work)
}

/** `withDatabase` for Rooms. */
export async function withRoomsDatabase<Result>(
  { databaseUrl }: Pick<RoomsSettings, 'databaseUrl'>,
  work: (database: Database<RoomsTables>) => Promise<Result>,
): Promise<Result> {
  return withCurrent<RoomsTables, Result>(databaseUrl, roomsMigrations, work)
}

async function withCurrent<AnyTables, Result>(
  url: string,
  steps: Readonly<Record<string, Migration>>,
  work: (database: Database<AnyTables>) => Promise<Result>,
): Promise<Result> {
  const database = openDatabase<AnyTables>(url)
  try {
    if (isEmpty(await pendingMigrations(database, steps), steps)) await migrate(database, steps)
    return await work(database)
  } finally {
    await database.close()
  }
}

export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000)
}
