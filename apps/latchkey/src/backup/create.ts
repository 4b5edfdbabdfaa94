import { rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import {
  BackupFailure,
  checkBackupTarget,
  copyDatabase,
  syncToDisk,
} from '@latchkey/database/backup/copy-sqlite'
import { type TableDump, dumpPostgres } from '@latchkey/database/backup/dump-postgres'
import { openDatabase, openReader } from '@latchkey/database/database'
import { sqlitePath } from '@latchkey/database/url'
import { VERSION } from '@latchkey/links/api/version'
import type { Db, Tables as RoomsTables } from '@latchkey/rooms/db/tables'
import { type UsedContent, listContents } from '@latchkey/rooms/transfer/contents'
import type { Transaction } from 'kysely'
import { sql } from 'kysely'
import { nowSeconds } from '../environment.ts'
import type { Progress } from '../progress.ts'
import { ArchiveWriter, sumsPath } from './archive-writer.ts'
import { type ServiceManifest, createHead, databaseEntry, tableEntry } from './manifest.ts'
import { copyPath, deleteLeftOvers, deletePartial, partialPath, withPartialLock } from './partial-file.ts'
import { type BackupService, namesOfSettings } from './services.ts'
import { type VerifiedArchive, verifyArchive } from './verify.ts'

/**
 * Writes the databases and files of the services to a new archive, beside running services, and
 * verifies it. One that was interrupted continues. Throws `BackupFailure` and `CommandFailure`.
 */
export async function createBackup(
  file: string,
  services: readonly BackupService[],
  progress: Progress,
): Promise<VerifiedArchive> {
  checkBackupTarget(file)
  const partial = partialPath(file)
  return withPartialLock(partial, async () => {
    await deleteLeftOvers(dirname(resolve(file)), resolve(partial))
    await writeBackup(partial, services, progress)
    const archive = await verifyArchive(Bun.file(partial).stream(), (bytes) =>
      progress.showBytes('verifying', bytes, Bun.file(partial).size),
    )
    checkBackupTarget(file)
    await rename(partial, file)
    await syncToDisk(dirname(resolve(file)))
    await rm(sumsPath(partial), { force: true })
    return archive
  })
}

async function writeBackup(
  partial: string,
  services: readonly BackupService[],
  progress: Progress,
): Promise<void> {
  const head = createHead(
    VERSION,
    services.map(({ name, engine }) => ({ name, engine })),
  )
  const writer = await ArchiveWriter.open(partial, head)
  try {
    for (const service of services) await copyContents(writer, service, progress)
    const createdAt = nowSeconds()
    const manifests: ServiceManifest[] = []
    for (const service of services) {
      await service.prepare()
      progress.showStatus(`copying the database of ${service.title}`)
      const { contents, ...manifest } =
        service.engine === 'sqlite' ? await copySqlite(writer, service) : await copyPostgres(writer, service)
      const files = await completeContents(writer, service, contents)
      manifests.push({ ...manifest, ...(files && { files }) })
    }
    await writer.finish({
      created_at: createdAt,
      services: manifests,
      settings: namesOfSettings(process.env),
    })
  } catch (error) {
    if (error instanceof TooManyUnused) {
      await deletePartial(partial)
      throw new BackupFailure(
        'So many files were deleted since this backup was interrupted that it must begin again: run it once more',
      )
    }
    throw error
  } finally {
    await rm(copyPath(partial), { force: true })
    await writer.close()
  }
}

/**
 * Copies contents before the database, which is then the newer of the two: it refers to few contents
 * that are missing. An archive that continues has the first of them.
 */
async function copyContents(
  writer: ArchiveWriter,
  { storage, databaseUrl }: BackupService,
  progress: Progress,
): Promise<void> {
  if (!storage) return
  const reader = openReader<RoomsTables>(databaseUrl)
  try {
    for await (const { key, bytes } of listContents(reader.read, writer.lastKey.slice(0, SHA256_LENGTH))) {
      const content = await storage.read(key, { start: 0, end: bytes - 1 })
      if (content) await writer.addContent(key, content)
      progress.showBytes('copying files', writer.files.bytes)
    }
  } finally {
    await reader.close()
  }
}

const SHA256_LENGTH = 64

/** What a copy of a database needs of the contents of files. */
interface ContentChanges {
  /** In use, and not in the archive yet. */
  missing: UsedContent[]
  /** In the archive, and not in use any more. */
  unused: string[]
}

type DatabaseCopy = Omit<ServiceManifest, 'files'> & { contents: ContentChanges | undefined }

async function copySqlite(writer: ArchiveWriter, service: BackupService): Promise<DatabaseCopy> {
  const copy = copyPath(writer.path)
  await rm(copy, { force: true })
  const { rows } = await copyDatabase(sqlitePath(service.databaseUrl), copy, { without: service.omitted })
  const reader = openReader<RoomsTables>(`sqlite:${copy}`)
  try {
    const { rows: applied } = await sql<{ name: string }>`select name from migration order by name`.execute(
      reader.read,
    )
    const contents = service.storage ? await compareContents(writer, reader.read) : undefined
    await writer.add(databaseEntry(service.name), Bun.file(copy).stream())
    return {
      name: service.name,
      engine: 'sqlite',
      migrations: applied.map(({ name }) => name),
      tables: Object.fromEntries([...rows].map(([table, count]) => [table, { rows: count, columns: [] }])),
      sequences: {},
      contents,
    }
  } finally {
    await reader.close()
    await rm(copy, { force: true })
  }
}

async function copyPostgres(writer: ArchiveWriter, service: BackupService): Promise<DatabaseCopy> {
  return dumpPostgres<RoomsTables, DatabaseCopy>(service.databaseUrl, service.omitted, async (dump) => {
    const contents = service.storage ? await compareContents(writer, dump.read) : undefined
    const tables: ServiceManifest['tables'] = {}
    for await (const table of dump.tables()) {
      const counter = { rows: 0 }
      await writer.add(tableEntry(service.name, table.table), bytesOf(table, counter))
      tables[table.table] = { rows: counter.rows, columns: [...table.columns] }
    }
    const { migrations, sequences } = dump
    return {
      name: service.name,
      engine: 'postgres',
      migrations: [...migrations],
      tables,
      sequences,
      contents,
    }
  })
}

async function* bytesOf({ lines }: TableDump, counter: { rows: number }): AsyncGenerator<Uint8Array> {
  for await (const batch of lines) {
    counter.rows += batch.length
    if (batch.length > 0) yield Buffer.from(`${batch.join('\n')}\n`)
  }
}

/** The manifest names them. Few contents lose their last file while a backup runs or is interrupted. */
const MAX_UNUSED = 5_000

class TooManyUnused extends Error {
  override readonly name = 'TooManyUnused'
}

/** Keys are hexadecimal. */
const AFTER_ALL_KEYS = 'g'

/** Compares the contents in the archive with those in use: both are in the order of their keys. */
async function compareContents(writer: ArchiveWriter, read: Db): Promise<ContentChanges> {
  const changes: ContentChanges = { missing: [], unused: [] }
  const archived = writer.keys()
  let next = await archived.next()
  const skipTo = async (key: string) => {
    for (; !next.done && next.value < key; next = await archived.next()) changes.unused.push(next.value)
    if (changes.unused.length > MAX_UNUSED) throw new TooManyUnused()
  }
  for await (const content of listContents(read)) {
    await skipTo(content.key)
    if (next.done || next.value !== content.key) changes.missing.push(content)
    else next = await archived.next()
  }
  await skipTo(AFTER_ALL_KEYS)
  return changes
}

async function completeContents(
  writer: ArchiveWriter,
  { storage }: BackupService,
  changes: ContentChanges | undefined,
): Promise<ServiceManifest['files']> {
  if (!storage || !changes) return undefined
  let lost = 0
  for (const { key, bytes } of changes.missing) {
    const content = await storage.read(key, { start: 0, end: bytes - 1 })
    if (!content || !(await writer.addContent(key, content))) lost++
  }
  return { ...writer.files, lost, unused: changes.unused }
}

/** Stores in each database that it was backed up, for `doctor` and for upgrades. */
export async function recordBackup(
  services: readonly BackupService[],
  backup: { at: number; place: string },
): Promise<void> {
  for (const service of services) {
    const database = openDatabase<unknown>(service.databaseUrl)
    try {
      await database.write((tx: Transaction<unknown>) => service.saveLastBackup(tx, backup))
    } finally {
      await database.close()
    }
  }
}
