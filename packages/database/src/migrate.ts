import { type Kysely, type Transaction, sql } from 'kysely'
import { type Database, type Reader, lockKey } from './database.ts'
import { LOCK_WAIT_MS } from './session.ts'
import type { DialectName } from './url.ts'

/**
 * One migration forward. It runs in the transaction that also records it, so it is applied
 * completely or not at all.
 */
export type Migration = (tx: Transaction<unknown>, dialect: DialectName) => Promise<void>

/**
 * The database has migrations that this version does not know. A newer version created it, or one
 * before 0.1.0.
 */
export class NewerDatabase extends Error {
  constructor(unknown: readonly string[]) {
    super(
      `The database was created by a newer version, or by one before 0.1.0 (it has ${unknown.join(', ')}). Run that version, restore a backup, or export everything there and import it here.`,
    )
    this.name = 'NewerDatabase'
  }
}

type BeforeMigrations = (tx: Transaction<unknown>, due: readonly string[]) => Promise<void>

/** Arbitrary, but the same on every node. */
const MIGRATION_LOCK = 4_170_617

/**
 * Applies the pending ones of `migrations` (numbered names, in order), forward only, in one
 * transaction. Safe when several processes start together: one migrates, and the others wait and
 * find nothing to do. Calls `before`, which may throw, before the first pending one. Returns the
 * names applied by this call. Throws `NewerDatabase`.
 */
export async function migrate<Tables>(
  database: Pick<Database<Tables>, 'dialect' | 'write' | 'writer'>,
  migrations: Readonly<Record<string, Migration>>,
  before?: BeforeMigrations,
): Promise<string[]> {
  if (database.dialect === 'postgres') return applyPending(database, migrations, before)
  // SQLite changes a column only by a new table in the place of the old one, whose deletion would
  // delete all rows that refer to it.
  await sql`pragma foreign_keys = off`.execute(database.writer)
  try {
    return await applyPending(database, migrations, before)
  } finally {
    await sql`pragma foreign_keys = on`.execute(database.writer)
  }
}

function applyPending<Tables>(
  database: Pick<Database<Tables>, 'dialect' | 'write'>,
  migrations: Readonly<Record<string, Migration>>,
  before: BeforeMigrations | undefined,
): Promise<string[]> {
  return database.write(async (typed) => {
    const tx = typed as unknown as Transaction<unknown>
    await acquireMigrationLock(database.dialect, tx)
    const due = await migrateIn(tx, database.dialect, migrations, before)
    if (database.dialect === 'sqlite' && due.length > 0) await requireForeignKeys(tx)
    return due
  })
}

/** Applies the pending ones in the transaction of the caller, which no other node shares. */
export async function migrateIn(
  tx: Transaction<unknown>,
  dialect: DialectName,
  migrations: Readonly<Record<string, Migration>>,
  before?: BeforeMigrations,
): Promise<string[]> {
  await sql`create table if not exists migration (name text primary key, applied_at text not null)`.execute(
    tx,
  )
  const due = await findPending(tx, migrations)
  const names = due.map(([name]) => name)
  if (names.length > 0) await before?.(tx, names)
  for (const [name, migration] of due) {
    await migration(tx, dialect)
    const appliedAt = new Date().toISOString()
    await sql`insert into migration (name, applied_at) values (${name}, ${appliedAt})`.execute(tx)
  }
  return names
}

async function requireForeignKeys(tx: Transaction<unknown>): Promise<void> {
  const { rows } = await sql<{ table: string; parent: string }>`pragma foreign_key_check`.execute(tx)
  const [first] = rows
  if (first) throw new Error(`A row of ${first.table} refers to no row of ${first.parent}`)
}

/**
 * Waits for another node's migration without a limit, but for a table in use only as long as for
 * any other lock.
 */
async function acquireMigrationLock(dialect: DialectName, tx: Transaction<unknown>): Promise<void> {
  if (dialect === 'postgres') await sql`set local lock_timeout = 0`.execute(tx)
  await lockKey(dialect, tx, MIGRATION_LOCK)
  if (dialect === 'postgres') await sql`set local lock_timeout = ${sql.lit(LOCK_WAIT_MS)}`.execute(tx)
}

/** Returns the names that `migrate` would apply, and changes nothing. Throws `NewerDatabase`. */
export async function pendingMigrations<Tables>(
  { dialect, read }: Pick<Reader<Tables>, 'dialect' | 'read'>,
  migrations: Readonly<Record<string, Migration>>,
): Promise<string[]> {
  const tableQuery =
    dialect === 'sqlite'
      ? sql`select 1 from sqlite_master where type = 'table' and name = 'migration'`
      : sql`select 1 where to_regclass('migration') is not null`
  const { rows } = await tableQuery.execute(read)
  if (rows.length === 0) return Object.keys(migrations)
  return (await findPending(read as unknown as Kysely<unknown>, migrations)).map(([name]) => name)
}

async function findPending(
  db: Kysely<unknown>,
  migrations: Readonly<Record<string, Migration>>,
): Promise<[string, Migration][]> {
  const { rows } = await sql<{ name: string }>`select name from migration`.execute(db)
  const applied = new Set(rows.map((row) => row.name))
  const unknown = [...applied].filter((name) => !Object.hasOwn(migrations, name))
  if (unknown.length > 0) throw new NewerDatabase(unknown)
  return Object.entries(migrations).filter(([name]) => !applied.has(name))
}
