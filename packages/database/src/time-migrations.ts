import { rmSync } from 'node:fs'
import { mkdtemp, stat, statfs } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Transaction, sql } from 'kysely'
import { copyDatabase } from './backup/copy-sqlite.ts'
import { storedColumns } from './backup/dump-postgres.ts'
import { dropStructure } from './backup/load-postgres.ts'
import { openDatabase } from './database.ts'
import { type Migration, migrate, migrateIn } from './migrate.ts'
import { ALLOW_IDLE_TRANSACTION } from './session.ts'
import { dialectOf, sqlitePath } from './url.ts'

type Migrations = Readonly<Record<string, Migration>>

/** There is no place for a copy. The message is the reason. */
export class CannotCopy extends Error {
  override readonly name = 'CannotCopy'
}

/**
 * Applies the pending migrations to a copy of the database, in use or not, and returns how many
 * milliseconds they took. Leaves the database as it is and deletes the copy. Throws `CannotCopy`.
 */
export async function timeMigrations(url: string, migrations: Migrations): Promise<number> {
  return dialectOf(url) === 'sqlite'
    ? timeOnSqlite(sqlitePath(url), migrations)
    : timeOnPostgres(url, migrations)
}

async function timeOnSqlite(path: string, migrations: Migrations): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-upgrade-'))
  const stop = () => {
    rmSync(folder, { recursive: true, force: true })
    process.exit(130)
  }
  for (const signal of SIGNALS) process.once(signal, stop)
  try {
    await requireSpace(path, folder)
    const copy = join(folder, 'copy.db')
    await copyDatabase(path, copy)
    const database = openDatabase<unknown>(`sqlite:${copy}`)
    try {
      return await timeOf(() => migrate(database, migrations))
    } finally {
      await database.close()
    }
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop)
    rmSync(folder, { recursive: true, force: true })
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** Migrations may write each row once more, to the log. */
async function requireSpace(path: string, folder: string): Promise<void> {
  const log = await stat(`${path}-wal`).catch(() => ({ size: 0 }))
  const bytes = 2 * ((await stat(path)).size + log.size)
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < bytes)
    throw new CannotCopy(`${tmpdir()} has less than ${bytes} free bytes: set TMPDIR to a folder that has`)
}

/**
 * The copy is a schema in a transaction that is rolled back: no other session ever sees it, and
 * nothing of it stays when this process is killed.
 */
async function timeOnPostgres(url: string, migrations: Migrations): Promise<number> {
  const database = openDatabase<unknown>(url)
  try {
    const tx = await database.writer.startTransaction().setIsolationLevel('repeatable read').execute()
    try {
      await sql.raw(ALLOW_IDLE_TRANSACTION).execute(tx)
      await copySchema(tx, migrations)
      return await timeOf(() => migrateIn(tx, 'postgres', migrations))
    } finally {
      // A server that does not answer rolls back by itself.
      await tx
        .rollback()
        .execute()
        .catch(() => {})
    }
  } finally {
    await database.close()
  }
}

/** Copies the tables to a new schema, which is then the only one in which names are looked up. */
async function copySchema(tx: Transaction<unknown>, migrations: Migrations): Promise<void> {
  const applied = await sql<{ name: string; schema: string }>`
    select name, current_schema() as schema from migration`.execute(tx)
  const source = applied.rows[0]?.schema ?? 'public'
  const sequences = await sql<{ name: string; last: string }>`
    select sequencename as name, last_value::text as last from pg_sequences
    where schemaname = ${source} and last_value is not null`.execute(tx)
  await createSchema(tx, `latchkey-${randomUUID()}`)
  const names = new Set(applied.rows.map(({ name }) => name))
  await migrateIn(
    tx,
    'postgres',
    Object.fromEntries(Object.entries(migrations).filter(([name]) => names.has(name))),
  )
  const restoreStructure = await dropStructure(tx)
  for (const { table, columns } of await storedColumns(tx)) {
    const list = sql.join(columns.map((column) => sql.ref(column)))
    // Rows that migrations insert are also in the source.
    await sql`truncate ${sql.table(table)}`.execute(tx)
    await sql`insert into ${sql.table(table)} (${list}) overriding system value
      select ${list} from ${sql.table(`${source}.${table}`)}`.execute(tx)
  }
  await restoreStructure()
  for (const { name, last } of sequences.rows)
    await sql`select setval(format('%I', ${name}::text)::regclass, ${last}::bigint)`.execute(tx)
}

async function createSchema(tx: Transaction<unknown>, name: string): Promise<void> {
  try {
    await sql`create schema ${sql.id(name)}`.execute(tx)
  } catch (error) {
    if ((error as { code?: unknown }).code !== INSUFFICIENT_PRIVILEGE) throw error
    throw new CannotCopy('the role may not create a schema: GRANT CREATE ON DATABASE lets it')
  }
  await sql`set local search_path = ${sql.id(name)}`.execute(tx)
}

const INSUFFICIENT_PRIVILEGE = '42501'

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now()
  await work()
  return performance.now() - startMs
}
