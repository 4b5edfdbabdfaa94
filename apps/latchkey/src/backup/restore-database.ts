import { Database as SqliteFile } from 'bun:sqlite'
import { mkdir, open, realpath, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { findRevivals, keepReplaced } from '@latchkey/database/backup/comparison'
import { verifySqlite } from '@latchkey/database/backup/copy-sqlite'
import type { LastBackup } from '@latchkey/database/backup/last-backup'
import { type Load, loadPostgres } from '@latchkey/database/backup/load-postgres'
import { changeSqliteCopy, replaceSqlite } from '@latchkey/database/backup/replace-sqlite'
import { openDatabase, withSavepoint } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { sqliteDialect } from '@latchkey/database/sqlite'
import { sqlitePath } from '@latchkey/database/url'
import { Kysely, type Transaction } from 'kysely'
import { type ServiceManifest, databaseEntry, tableEntry } from './manifest.ts'
import { lockPartial } from './partial-file.ts'
import type { BackupService } from './services.ts'
import { InvalidBackup } from './tar.ts'
import { linesOf } from './text-lines.ts'
import type { VerifiedArchive } from './verify.ts'

/** What happened to a database. */
export interface RestoredDatabase {
  readonly endedSessions: number
  /** What works again. Undefined where there was no database that can be read to compare with. */
  readonly revivals: readonly { what: string; names: readonly string[] }[] | undefined
}

interface Source {
  readonly file: string
  readonly archive: VerifiedArchive
  readonly manifest: ServiceManifest
  readonly lastBackup: LastBackup
  /** Whether the database that is replaced has data to compare with. */
  readonly isCompared: boolean
}

interface PreparedRestore {
  /** Replaces the database, all or nothing. */
  apply(): Promise<RestoredDatabase>
  discard(): Promise<void>
}

/** Extracts the database beside its place, checks and migrates it, and ends its sessions. */
export async function prepareSqlite(service: BackupService, source: Source): Promise<PreparedRestore> {
  const path = await resolvePath(sqlitePath(service.databaseUrl))
  const copy = `${path}.restored`
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const release = lockPartial(copy)
  const discard = async () => {
    await deleteCopy(copy)
    await release()
  }
  await deleteCopy(copy)
  try {
    await extract(source, databaseEntry(service.name), copy)
    await checkCopy(copy, service, source.manifest)
    await migrateCopy(copy, service)
    let endedSessions = 0
    await changeSqliteCopy(copy, async (db) => {
      endedSessions = await finishCopy(db as Transaction<unknown>, service, source)
    })
    return {
      discard,
      async apply() {
        let revivals: RestoredDatabase['revivals']
        await replaceSqlite(path, copy, async (db) => {
          if (!source.isCompared) return
          revivals = await compare(async () => {
            await keepReplaced(db, 'sqlite', service.comparison.compared)
            return findRevivals(db, 'sqlite', service.comparison)
          })
        })
        return { endedSessions, revivals }
      },
    }
  } catch (error) {
    await discard()
    throw error
  }
}

/** The file behind a symbolic link, which stays. */
async function resolvePath(path: string): Promise<string> {
  return realpath(path).catch(() => path)
}

async function deleteCopy(copy: string): Promise<void> {
  for (const end of ['', '-journal', '-wal', '-shm']) await rm(copy + end, { force: true })
}

async function finishCopy(
  tx: Transaction<unknown>,
  service: BackupService,
  { lastBackup }: Source,
): Promise<number> {
  const ended = await service.endSessions(tx)
  await service.saveLastBackup(tx, lastBackup)
  return ended
}

async function extract(source: Source, name: string, to: string): Promise<void> {
  const file = await open(to, 'wx', 0o600)
  try {
    for await (const piece of readEntry(source, name)) await file.writeFile(piece)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** The content of an entry. Throws `InvalidBackup` if it has changed since it was verified. */
async function* readEntry({ file, archive }: Source, name: string): AsyncGenerator<Uint8Array> {
  const entry = archive.entries.get(name)
  if (!entry) throw new InvalidBackup(`it lacks ${name}`)
  const hash = new Bun.CryptoHasher('sha256')
  for await (const piece of Bun.file(file)
    .slice(entry.start, entry.start + entry.bytes)
    .stream()) {
    hash.update(piece)
    yield piece
  }
  if (hash.digest('hex') !== entry.sha256) throw new InvalidBackup('it changed while it was read')
}

/**
 * Throws unless the copy is sound and has exactly the tables, triggers and views of its migrations: a
 * database may run what is in its schema.
 */
async function checkCopy(copy: string, service: BackupService, manifest: ServiceManifest): Promise<void> {
  await checkSchema(copy, service, manifest)
  const rows = verifySqlite(copy)
  const different = Object.entries(manifest.tables).find(([table, each]) => rows.get(table) !== each.rows)
  if (different) throw new InvalidBackup(`the table ${different[0]} has another number of rows`)
}

/** Comes first: a check of the rows would already evaluate a hostile schema. */
async function checkSchema(copy: string, service: BackupService, manifest: ServiceManifest): Promise<void> {
  const expected = await expectedSchema(service, manifest)
  using file = new SqliteFile(copy, { readonly: true, strict: true })
  const [difference] = new Set(readSchema(file)).symmetricDifference(expected)
  if (difference !== undefined)
    throw new InvalidBackup(
      `the database of ${service.title} has another schema than its version: ${difference}`,
    )
}

async function migrateCopy(copy: string, { migrations }: BackupService): Promise<void> {
  const database = openDatabase<unknown>(`sqlite:${copy}`)
  try {
    await migrate(database, migrations)
  } finally {
    await database.close()
  }
}

async function expectedSchema(service: BackupService, manifest: ServiceManifest): Promise<Set<string>> {
  using file = new SqliteFile(':memory:', { strict: true })
  const db = new Kysely<unknown>({ dialect: sqliteDialect(file) })
  file.run('create table migration (name text primary key, applied_at text not null)')
  await db.transaction().execute(async (tx) => {
    for (const [name, migration] of Object.entries(service.migrations))
      if (manifest.migrations.includes(name)) await migration(tx, 'sqlite')
  })
  const schema = new Set(readSchema(file))
  await db.destroy()
  return schema
}

/** What ANALYZE leaves. A hostile file can also have a trigger or view of any such name. */
const STATISTICS = new Set([
  'table sqlite_stat1: CREATE TABLE sqlite_stat1(tbl,idx,stat)',
  'table sqlite_stat4: CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)',
])

/** One line for each table, index, trigger and view. Only these characters are white space to SQLite. */
function readSchema(file: SqliteFile): string[] {
  return file
    .query<{ type: string; name: string; sql: string | null }, []>(
      'select type, name, sql from sqlite_schema',
    )
    .all()
    .map(({ type, name, sql }) => `${type} ${name}: ${sql ?? ''}`.replaceAll(/[\t\n\f\r ]+/g, ' '))
    .filter((line) => !STATISTICS.has(line))
}

/** Loads the tables into an empty schema, in the transaction that replaces the present one. */
export function preparePostgres(
  service: BackupService,
  source: Source,
  onTable: (table: string) => void,
): PreparedRestore {
  const { manifest } = source
  const { compared } = service.comparison
  const columns = Object.entries(manifest.tables).map(([table, each]) => [table, each.columns] as const)
  return {
    discard: async () => {},
    async apply() {
      let endedSessions = 0
      let isCompared = false
      let revivals: RestoredDatabase['revivals']
      await loadPostgres(service.databaseUrl, {
        migrations: service.migrations,
        applied: manifest.migrations,
        sequences: manifest.sequences,
        columns: new Map(columns),
        async before(tx) {
          if (!source.isCompared) return
          const snapshot = await compare(() =>
            withSavepoint(tx, async () => {
              await keepReplaced(tx, 'postgres', compared)
              return []
            }),
          )
          isCompared = snapshot !== undefined
        },
        async load(load) {
          for (const [table] of columns) {
            onTable(table)
            await loadTable(load, table, readEntry(source, tableEntry(service.name, table)))
          }
        },
        async after(tx) {
          endedSessions = await finishCopy(tx, service, source)
          if (isCompared)
            revivals = await compare(() =>
              withSavepoint(tx, () => findRevivals(tx, 'postgres', service.comparison)),
            )
        },
      }).catch((error: unknown) => {
        throw explainError(error)
      })
      return { endedSessions, revivals }
    },
  }
}

/** Longer than any row that the services accept. */
const MAX_LINE = 64 * 1024 ** 2
const ROWS_AT_ONCE = 2_000
const CHARACTERS_AT_ONCE = 4 * 1024 ** 2

async function loadTable(load: Load, table: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  let lines: string[] = []
  let length = 0
  const flush = async () => {
    if (lines.length > 0) await load.insert(table, lines)
    lines = []
    length = 0
  }
  for await (const line of linesOf(content, MAX_LINE)) {
    lines.push(line)
    length += line.length
    if (lines.length >= ROWS_AT_ONCE || length >= CHARACTERS_AT_ONCE) await flush()
  }
  await flush()
}

/**
 * Undefined for a database that cannot be compared, such as one of another version: it can still be
 * replaced.
 */
async function compare<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work()
  } catch {
    return undefined
  }
}

/** Turns the engine's refusal of a row into `InvalidBackup`: SQLSTATE classes 22 and 23. */
function explainError(error: unknown): unknown {
  const isRefusal = /^2[23]...$/.test(String((error as { code?: unknown }).code))
  return isRefusal ? new InvalidBackup(`PostgreSQL rejects it: ${(error as Error).message}`) : error
}
