import type { LastBackup } from '@latchkey/database/backup/last-backup'
import { findStoredData } from '@latchkey/database/backup/stored-data'
import { openReader } from '@latchkey/database/database'
import { type Migration, NewerDatabase, pendingMigrations } from '@latchkey/database/migrate'
import { CannotCopy, timeMigrations } from '@latchkey/database/time-migrations'
import { reasonOf } from '@latchkey/doctor/database'
import { type Finding, fail, ok, warn } from '@latchkey/doctor/finding'
import { type Declared, checkSettings } from '@latchkey/doctor/settings'
import { findLastBackup as findLinksBackup } from '@latchkey/links/backup/last-backup'
import { migrationNotes as linksNotes } from '@latchkey/links/db/migration-notes'
import { migrations as linksMigrations } from '@latchkey/links/db/migrations'
import type { Tables as LinksTables } from '@latchkey/links/db/tables'
import * as linksSettings from '@latchkey/links/settings/settings'
import { findLastBackup as findRoomsBackup } from '@latchkey/rooms/backup/last-backup'
import { migrationNotes as roomsNotes } from '@latchkey/rooms/db/migration-notes'
import { migrations as roomsMigrations } from '@latchkey/rooms/db/migrations'
import type { Tables as RoomsTables } from '@latchkey/rooms/db/tables'
import { readDemoSettings } from '@latchkey/rooms/settings/demo'
import * as roomsSettings from '@latchkey/rooms/settings/settings'
import type { Environment } from '@latchkey/settings/settings'
import type { Kysely } from 'kysely'
import { nowSeconds } from './environment.ts'

/** What the check needs of a service. */
interface Upgrade<Tables> {
  readonly declared: Declared<{ readonly databaseUrl: string }>
  /** The setting that names the database. */
  readonly setting: string
  readonly migrations: Readonly<Record<string, Migration>>
  readonly notes: Readonly<Record<string, string>>
  readonly findLastBackup: (read: Kysely<Tables>) => Promise<LastBackup | undefined>
}

export function checkLinksUpgrade(env: Environment): AsyncGenerator<Finding> {
  const upgrade: Upgrade<LinksTables> = {
    declared: linksSettings,
    setting: 'LINKS_DATABASE_URL',
    migrations: linksMigrations,
    notes: linksNotes,
    findLastBackup: findLinksBackup,
  }
  return checkUpgrade(upgrade, env)
}

export function checkRoomsUpgrade(env: Environment): AsyncGenerator<Finding> {
  const { settingsWarnings } = roomsSettings
  const readSettings = env['AUTH_PROVIDER'] ? roomsSettings.readSettings : readDemoSettings
  const upgrade: Upgrade<RoomsTables> = {
    declared: { readSettings, settingsWarnings },
    setting: 'ROOMS_DATABASE_URL',
    migrations: roomsMigrations,
    notes: roomsNotes,
    findLastBackup: findRoomsBackup,
  }
  return checkUpgrade(upgrade, env)
}

/** Says what a start of this version would change. Changes nothing. */
async function* checkUpgrade<Tables>(upgrade: Upgrade<Tables>, env: Environment): AsyncGenerator<Finding> {
  const { settings, findings } = checkSettings(upgrade.declared, env)
  yield* findings
  if (!settings) return
  try {
    yield* checkDatabase(upgrade, settings.databaseUrl)
  } catch (error) {
    if (error instanceof NewerDatabase) yield fail('migrations', error.message)
    else yield fail('database', `${reasonOf(error)}: check ${upgrade.setting}`)
  }
}

async function* checkDatabase<Tables>(upgrade: Upgrade<Tables>, url: string): AsyncGenerator<Finding> {
  const stored = await findStoredData(url, ['migration'])
  if (stored === 'none') yield ok('database', 'none yet: there is nothing to upgrade')
  else if (stored === 'foreign') yield fail('database', 'has tables of another program')
  else yield* checkTables(upgrade, url)
}

async function* checkTables<Tables>(upgrade: Upgrade<Tables>, url: string): AsyncGenerator<Finding> {
  const reader = openReader<Tables>(url)
  try {
    const due = await pendingMigrations(reader, upgrade.migrations)
    if (due.length === 0) yield ok('migrations', 'none: this version changes no table')
    for (const name of due)
      yield ok('migration', `${name}: ${upgrade.notes[name] ?? 'Without a description'}`)
    if (due.length > 0) yield await checkTime(upgrade, url)
    yield checkBackup(await upgrade.findLastBackup(reader.read))
  } finally {
    await reader.close()
  }
}

async function checkTime<Tables>({ migrations }: Upgrade<Tables>, url: string): Promise<Finding> {
  try {
    const milliseconds = await timeMigrations(url, migrations)
    return ok('time', `${(milliseconds / 1000).toFixed(1)} s on a copy of this database, now`)
  } catch (error) {
    if (!(error instanceof CannotCopy)) throw error
    return warn('time', `not measured: ${error.message}`)
  }
}

const DAY_S = 86_400

function checkBackup(last: LastBackup | undefined): Finding {
  if (!last) return warn('backup', 'none is known: run latchkey backup with the version that runs')
  const hours = Math.floor((nowSeconds() - last.at) / 3600)
  const age = hours === 1 ? 'an hour' : `${hours} hours`
  const sentence = `verified ${age} ago, ${last.place}`
  return nowSeconds() - last.at > DAY_S
    ? warn('backup', `${sentence}: run latchkey backup with the version that runs`)
    : ok('backup', sentence)
}
