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
import { declarations as linksDeclarations } from '@latchkey/links/settings/declarations'
import { findKnownSettings as findKnownOfLinks } from '@latchkey/links/settings/known'
import * as linksSettings from '@latchkey/links/settings/settings'
import { findLastBackup as findRoomsBackup } from '@latchkey/rooms/backup/last-backup'
import { migrationNotes as roomsNotes } from '@latchkey/rooms/db/migration-notes'
import { migrations as roomsMigrations } from '@latchkey/rooms/db/migrations'
import type { Tables as RoomsTables } from '@latchkey/rooms/db/tables'
import { findKnownSettings as findKnownOfRooms } from '@latchkey/rooms/platform/known-settings'
import { declarations as roomsDeclarations } from '@latchkey/rooms/settings/declarations'
import { readDemoSettings } from '@latchkey/rooms/settings/demo'
import * as roomsSettings from '@latchkey/rooms/settings/settings'
import { compareSettings } from '@latchkey/settings/known'
import type { Declarations, Environment } from '@latchkey/settings/settings'
import type { Kysely } from 'kysely'
import { nowSeconds } from './environment.ts'

/** What the check needs of a service. */
interface Upgrade<Tables> {
  readonly declared: Declared<{ readonly databaseUrl: string }>
  readonly declarations: Declarations
  /** The setting that names the database. */
  readonly setting: string
  readonly migrations: Readonly<Record<string, Migration>>
  readonly notes: Readonly<Record<string, string>>
  readonly findLastBackup: (read: Kysely<Tables>) => Promise<LastBackup | undefined>
  readonly findKnownSettings: (read: Kysely<Tables>) => Promise<string | undefined>
}

export function checkLinksUpgrade(env: Environment): AsyncGenerator<Finding> {
  const upgrade: Upgrade<LinksTables> = {
    declared: linksSettings,
    declarations: linksDeclarations,
    setting: 'LINKS_DATABASE_URL',
    migrations: linksMigrations,
    notes: linksNotes,
    findLastBackup: findLinksBackup,
    findKnownSettings: findKnownOfLinks,
  }
  return checkUpgrade(upgrade, env)
}

export function checkRoomsUpgrade(env: Environment): AsyncGenerator<Finding> {
  const { settingsWarnings } = roomsSettings
  const readSettings = env['AUTH_PROVIDER'] ? roomsSettings.readSettings : readDemoSettings
  const upgrade: Upgrade<RoomsTables> = {
    declared: { readSettings, settingsWarnings },
    declarations: roomsDeclarations,
    setting: 'ROOMS_DATABASE_URL',
    migrations: roomsMigrations,
    notes: roomsNotes,
    findLastBackup: findRoomsBackup,
    findKnownSettings: findKnownOfRooms,
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
    yield* describeSettings(await upgrade.findKnownSettings(reader.read), upgrade.declarations)
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

function* describeSettings(listed: string | undefined, declarations: Declarations): Generator<Finding> {
  if (listed === undefined) {
    yield ok('setting', 'what changed is unknown: the version that runs has stored no list')
    return
  }
  const { since, added, renamed, dropped } = compareSettings(listed, declarations)
  for (const { name, sentence } of added) yield ok('setting', `${name} is new: ${sentence}`)
  for (const { from, to } of renamed) yield ok('setting', `${from} is now called ${to}`)
  for (const name of dropped) yield ok('setting', `${name} no longer exists`)
  if (added.length + renamed.length + dropped.length === 0)
    yield ok('setting', `none is new, renamed or dropped since ${since}`)
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
