import { existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { openBulk } from '@latchkey/database/archive/bulk'
import { findStoredData } from '@latchkey/database/backup/stored-data'
import { DatabaseInUse } from '@latchkey/database/instance-lock'
import { sqlitePath } from '@latchkey/database/url'
import { type RestoredContent, restoreContents } from '@latchkey/rooms/backup/restore-contents'
import { CommandFailure } from '../command.ts'
import type { Progress } from '../progress.ts'
import { type ServiceManifest, type ServiceName, contentKeyOf } from './manifest.ts'
import { readEntries } from './read-entries.ts'
import { type RestoredDatabase, preparePostgres, prepareSqlite } from './restore-database.ts'
import { type BackupService, allServices } from './services.ts'
import { type VerifiedArchive, verifyArchive } from './verify.ts'

export interface RestoreOptions {
  /** The archive, on this machine. */
  readonly file: string
  /** Where the archive is kept: its path or address. */
  readonly place: string
  /** Null for all services of the archive. */
  readonly only: ServiceName | null
  /** Whether data of a service may be replaced. */
  readonly replace: boolean
}

export interface RestoredService {
  readonly service: BackupService
  readonly manifest: ServiceManifest
  readonly database: RestoredDatabase
}

/**
 * Verifies an archive, and then replaces the databases of the services in it, each all or nothing.
 * The files of Rooms come first: contents never change, so a restore that fails has only added some.
 * `onRestored` is called after each service. Throws `InvalidBackup` and `CommandFailure`, and has then
 * changed nothing in the service that it is about.
 */
export async function restoreBackup(
  { file, place, only, replace }: RestoreOptions,
  progress: Progress,
  onRestored: (restored: RestoredService) => void,
): Promise<VerifiedArchive> {
  const { size } = Bun.file(file)
  const archive = await verifyArchive(Bun.file(file).stream(), (bytes) =>
    progress.showBytes('verifying', bytes, size),
  )
  const chosen = chooseServices(archive, only)
  const replaced = new Set<BackupService>()
  for (const { service, manifest } of chosen) {
    requireKnown(service, manifest, archive)
    if (await requireReplaceable(service, replace)) replaced.add(service)
  }
  const at = archive.manifest.created_at
  const prepared: { apply(): Promise<RestoredDatabase>; discard(): Promise<void> }[] = []
  try {
    for (const { service, manifest } of chosen) {
      const isCompared = replaced.has(service)
      const source = { file, archive, manifest, lastBackup: { at, place }, isCompared }
      prepared.push(
        service.engine === 'sqlite'
          ? await prepareSqlite(service, source)
          : preparePostgres(service, source, (table) => progress.showStatus(`restoring ${table}`)),
      )
    }
    for (const { service, manifest } of chosen)
      if (service.storage) await restoreContents(service.storage, contentsOf(file, manifest, progress))
    for (const [index, { service, manifest }] of chosen.entries()) {
      const database = await prepared[index]?.apply().catch((error: unknown) => {
        throw explainUse(error, service)
      })
      if (database) onRestored({ service, manifest, database })
    }
    return archive
  } finally {
    for (const each of prepared) await each.discard()
  }
}

interface ChosenService {
  service: BackupService
  manifest: ServiceManifest
}

function chooseServices({ manifest }: VerifiedArchive, only: ServiceName | null): ChosenService[] {
  const services = new Map(allServices().map((service) => [service.name, service]))
  const chosen = manifest.services
    .filter(({ name }) => only === null || name === only)
    .flatMap((each) => {
      const service = services.get(each.name)
      return service ? [{ service, manifest: each }] : []
    })
  if (chosen.length === 0) throw new CommandFailure(`The backup does not contain ${only}`)
  return chosen
}

function requireKnown(service: BackupService, manifest: ServiceManifest, { head }: VerifiedArchive): void {
  const { title, setting } = service
  if (manifest.engine !== service.engine)
    throw new CommandFailure(
      `The backup has ${title} on ${ENGINES[manifest.engine]}, and ${setting} names ${ENGINES[service.engine]}: restore it there, and move with \`${service.name} export\``,
    )
  const unknown = manifest.migrations.filter((name) => !Object.hasOwn(service.migrations, name))
  if (unknown.length > 0)
    throw new CommandFailure(
      `The backup was made by Latchkey ${head.latchkey}, whose ${title} this version does not know (${unknown.join(', ')}): restore it with that version`,
    )
}

const ENGINES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const

/**
 * Files that the administrator of the machine creates could not be opened by the user that the service
 * runs as.
 */
function requireOwner({ databaseUrl, title }: BackupService): void {
  if (process.getuid?.() !== 0) return
  let path = resolve(sqlitePath(databaseUrl))
  while (!existsSync(path)) path = dirname(path)
  const { uid } = statSync(path)
  if (uid !== 0)
    throw new CommandFailure(
      `${path} belongs to the user ${uid}: restore ${title} as that user (sudo -u '#${uid}' latchkey restore …)`,
    )
}

/** Returns whether there is data to replace. */
async function requireReplaceable(service: BackupService, replace: boolean): Promise<boolean> {
  const { databaseUrl, setting, title } = service
  const stored = await findStoredData(databaseUrl, service.userTables)
  if (stored === 'foreign')
    throw new CommandFailure(`The database in ${setting} holds tables of another program`)
  if (stored === 'data' && !replace)
    throw new CommandFailure(
      `${title} has data in ${setting}, and a restore would replace it. Back it up, then use --replace`,
    )
  if (service.engine === 'sqlite') requireOwner(service)
  await requireUnused(service)
  return stored === 'data'
}

/** Refuses a service that runs, before anything is changed. */
async function requireUnused(service: BackupService): Promise<void> {
  const { databaseUrl, engine } = service
  if (engine === 'sqlite' && !existsSync(sqlitePath(databaseUrl))) return
  try {
    await (await openBulk(databaseUrl)).close()
  } catch (error) {
    if (!/^SQLITE_(NOTADB|CORRUPT)/.test(String((error as { code?: unknown }).code)))
      throw explainUse(error, service)
  }
}

function explainUse(error: unknown, { title, setting }: BackupService): unknown {
  return error instanceof DatabaseInUse
    ? new CommandFailure(`${title} runs on the database in ${setting}: stop it on every node first`)
    : error
}

async function* contentsOf(
  file: string,
  { files }: ServiceManifest,
  progress: Progress,
): AsyncGenerator<RestoredContent> {
  const unused = new Set(files?.unused)
  let done = 0
  for await (const { name, bytes, content } of readEntries(Bun.file(file).stream())) {
    const key = contentKeyOf(name)
    if (key !== undefined && !unused.has(key)) yield { key, bytes, content }
    else for await (const _ of content);
    done += bytes
    progress.showBytes('restoring files', done, Bun.file(file).size)
  }
}
