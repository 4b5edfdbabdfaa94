import type { ComparedTables, Revival } from '@latchkey/database/backup/comparison'
import { type LastBackup } from '@latchkey/database/backup/last-backup'
import { findStoredData } from '@latchkey/database/backup/stored-data'
import type { Migration } from '@latchkey/database/migrate'
import { type DialectName, dialectOf, sqlitePath } from '@latchkey/database/url'
import { drainJournal } from '@latchkey/links/backup/backup'
import { saveLastBackup as saveLinksBackup } from '@latchkey/links/backup/last-backup'
import * as linksRevivals from '@latchkey/links/backup/revivals'
import { migrations as linksMigrations } from '@latchkey/links/db/migrations'
import type { Tables as LinksTables } from '@latchkey/links/db/tables'
import { declarations as linksSettings } from '@latchkey/links/settings/declarations'
import { endAllSessions } from '@latchkey/rooms/backup/end-sessions'
import { saveLastBackup as saveRoomsBackup } from '@latchkey/rooms/backup/last-backup'
import * as roomsRevivals from '@latchkey/rooms/backup/revivals'
import { migrations as roomsMigrations } from '@latchkey/rooms/db/migrations'
import { openStorage } from '@latchkey/rooms/files/storage/open'
import type { FileStorage } from '@latchkey/rooms/files/storage/storage'
import { declarations as roomsSettings } from '@latchkey/rooms/settings/declarations'
import type { Kysely, Transaction } from 'kysely'
import { currentSettings, requireLinks, requireRooms, roomsStorage } from '../environment.ts'
import type { ServiceName } from './manifest.ts'

/** What a backup and a restore need of a service. */
export interface BackupService {
  readonly name: ServiceName
  readonly title: string
  readonly databaseUrl: string
  /** The setting that names the database. */
  readonly setting: string
  readonly engine: DialectName
  readonly migrations: Readonly<Record<string, Migration>>
  /** Tables that are empty in every copy. */
  readonly omitted: readonly string[]
  /** Tables without rows in an unused instance. */
  readonly userTables: readonly string[]
  /** The tables to count for people, with what a row of each is. */
  readonly counted: Readonly<Record<string, string>>
  readonly comparison: { compared: ComparedTables; revivals: readonly Revival[] }
  /** Where the contents of files are. Null for a service without files. */
  readonly storage: FileStorage | null
  /** Throws `CommandFailure` unless the database is one of this version. */
  require(): Promise<void>
  /** Moves into the database what waits elsewhere. */
  prepare(): Promise<void>
  /** Ends all sessions of a restored copy, and returns their number. */
  endSessions(tx: Transaction<unknown>): Promise<number>
  saveLastBackup(tx: Transaction<unknown>, backup: LastBackup): Promise<void>
}

/** Both services, with the settings of the environment. Throws `SettingsError`. */
export function allServices(): BackupService[] {
  return [linksService(), roomsService()]
}

/** The services that have a database, and those without one. */
export async function findServices(): Promise<{ present: BackupService[]; missing: BackupService[] }> {
  const present: BackupService[] = []
  const missing: BackupService[] = []
  for (const service of allServices()) {
    const isMissing = (await findStoredData(service.databaseUrl, ['migration'])) === 'none'
    if (isMissing) missing.push(service)
    else present.push(service)
  }
  return { present, missing }
}

function linksService(): BackupService {
  const settings = currentSettings()
  const { databaseUrl, journal, privacy } = settings
  return {
    name: 'links',
    title: 'Links',
    databaseUrl,
    setting: linksSettings.databaseUrl.name,
    engine: dialectOf(databaseUrl),
    migrations: linksMigrations,
    omitted: ['visitor_salt', 'favicon'],
    userTables: ['link', 'bundle', 'api_key', 'history'],
    counted: { link: 'link', slug: 'slug', click: 'click' },
    comparison: linksRevivals,
    storage: null,
    require: () => requireLinks(settings),
    prepare: () => drainJournal({ journalPath: sqlitePath(journal), databaseUrl, privacy }),
    endSessions: async () => 0,
    saveLastBackup: (tx, backup) => saveLinksBackup(tx as unknown as Kysely<LinksTables>, backup),
  }
}

function roomsService(): BackupService {
  const { databaseUrl, files } = roomsStorage()
  return {
    name: 'rooms',
    title: 'Rooms',
    databaseUrl,
    setting: roomsSettings.databaseUrl.name,
    engine: dialectOf(databaseUrl),
    migrations: roomsMigrations,
    omitted: [],
    userTables: ['users', 'rooms'],
    counted: { users: 'user', rooms: 'room', room_messages: 'message', files: 'file' },
    comparison: roomsRevivals,
    storage: openStorage(files),
    require: () => requireRooms({ databaseUrl }),
    prepare: async () => {},
    endSessions: (tx) => endAllSessions(tx, Date.now()),
    saveLastBackup: (tx, backup) => saveRoomsBackup(tx, backup),
  }
}

/** Names of the settings of both services that the environment has, without their values. */
export function namesOfSettings(env: Readonly<Record<string, string | undefined>>): string[] {
  const names = [...Object.values(linksSettings), ...Object.values(roomsSettings)].map(({ name }) => name)
  const isSet = (name: string) => (env[name] ?? '') !== '' || (env[`${name}_FILE`] ?? '') !== ''
  return [...new Set(names)].filter(isSet).toSorted()
}
