import { type Transaction, sql } from 'kysely'
import { openDatabase } from '../database.ts'
import { requireUnlocked } from '../instance-lock.ts'
import { type Migration, migrateIn } from '../migrate.ts'
import { ALLOW_IDLE_TRANSACTION } from '../session.ts'
import { storedColumns } from './dump-postgres.ts'

/** The dump does not fit the tables of its migrations. */
export class UnusableDump extends Error {
  override readonly name = 'UnusableDump'
}

/** An empty schema with the tables of a dump, in the transaction that makes them visible. */
export interface Load {
  readonly tx: Transaction<unknown>
  /** Inserts rows of objects in JSON. */
  insert(table: string, lines: readonly string[]): Promise<void>
}

interface LoadOptions {
  /** All migrations of this version. */
  migrations: Readonly<Record<string, Migration>>
  /** Names of those that the dump has. */
  applied: readonly string[]
  sequences: Readonly<Record<string, number>>
  /** The columns of each table of the dump. */
  columns: ReadonlyMap<string, readonly string[]>
  /** Runs before the tables of the schema are dropped. */
  before(tx: Transaction<unknown>): Promise<void>
  load(load: Load): Promise<void>
  /** Runs after all rows are stored, with the schema of this version. */
  after(tx: Transaction<unknown>): Promise<void>
}

/**
 * Replaces the content of the current schema of a PostgreSQL database with that of a dump, all or
 * nothing, and migrates it. Throws `DatabaseInUse` while a node works on it.
 */
export async function loadPostgres(url: string, options: LoadOptions): Promise<void> {
  const database = openDatabase<unknown>(url)
  try {
    await database.writer.transaction().execute(async (tx) => {
      await sql.raw(ALLOW_IDLE_TRANSACTION).execute(tx)
      await requireUnlocked({ query: async (text: string) => sql.raw(text).execute(tx) })
      await options.before(tx)
      await dropSchema(tx)
      const ofDump = Object.entries(options.migrations).filter(([name]) => options.applied.includes(name))
      await migrateIn(tx, 'postgres', Object.fromEntries(ofDump))
      await loadTables(tx, options)
      await migrateIn(tx, 'postgres', options.migrations)
      await options.after(tx)
    })
  } finally {
    await database.close()
  }
}

async function loadTables(tx: Transaction<unknown>, options: LoadOptions): Promise<void> {
  const tables = new Map((await storedColumns(tx)).map(({ table, columns }) => [table, columns]))
  requireEqualColumns(tables, options.columns)
  const restoreStructure = await dropStructure(tx)
  // Rows that migrations insert are also in the dump.
  await sql`truncate ${sql.join([...tables.keys()].map((name) => sql.table(name)))}`.execute(tx)
  await options.load({
    tx,
    async insert(table, lines) {
      const columns = sql.join((tables.get(table) ?? []).map((column) => sql.ref(column)))
      const rows = `[${lines.join(',')}]`
      await sql`insert into ${sql.table(table)} (${columns}) overriding system value
        select ${columns} from json_populate_recordset(null::${sql.table(table)}, ${rows}::json)`.execute(tx)
    },
  })
  await restoreStructure()
  for (const [name, last] of Object.entries(options.sequences))
    await sql`select setval(format('%I', ${name}::text)::regclass, ${last}::bigint)`.execute(tx)
}

function requireEqualColumns(tables: ReadonlyMap<string, string[]>, dump: LoadOptions['columns']): void {
  const unknown = [...dump.keys()].find((table) => !tables.has(table))
  if (unknown !== undefined) throw new UnusableDump(`There is no table ${unknown}`)
  for (const [table, columns] of tables) {
    const dumped = dump.get(table)
    if (!dumped) throw new UnusableDump(`The table ${table} is missing`)
    const different = [...new Set(columns).symmetricDifference(new Set(dumped))][0]
    if (different !== undefined)
      throw new UnusableDump(`The table ${table} differs in the column ${different}`)
  }
}

/** Drops everything in the current schema but what belongs to an extension. */
async function dropSchema(tx: Transaction<unknown>): Promise<void> {
  await runEach(
    tx,
    `select format('drop %s if exists %I cascade', case relkind when 'v' then 'view' else 'table' end, relname)
     from pg_class where relkind in ('r', 'v') and relnamespace = current_schema()::regnamespace
       and not exists (select 1 from pg_depend where objid = pg_class.oid and deptype = 'e')`,
  )
  await runEach(
    tx,
    `select format('drop routine if exists %s cascade', pg_proc.oid::regprocedure)
     from pg_proc where pronamespace = current_schema()::regnamespace
       and not exists (select 1 from pg_depend where objid = pg_proc.oid and deptype = 'e')`,
  )
}

const keysQuery = (action: string) => `
  select format('alter table %s ${action}', conrelid::regclass, conname, pg_get_constraintdef(oid))
  from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`

const indexesQuery = (value: string) => `
  select ${value} from pg_index join pg_class on pg_class.oid = indexrelid
  where relnamespace = current_schema()::regnamespace
    and not exists (select 1 from pg_constraint where conindid = indexrelid)`

const triggersQuery = (action: string) => `
  select distinct format('alter table %s ${action} trigger user', tgrelid::regclass)
  from pg_trigger join pg_class on pg_class.oid = tgrelid
  where relnamespace = current_schema()::regnamespace and not tgisinternal`

/**
 * Drops foreign keys and indexes, which are cheaper to build at the end, and disables triggers, whose
 * effects the dump already has. Returns the function that restores them.
 */
export async function dropStructure(tx: Transaction<unknown>): Promise<() => Promise<void>> {
  const keys = await readTexts(tx, keysQuery('add constraint %I %s'))
  const indexes = await readTexts(tx, indexesQuery('pg_get_indexdef(indexrelid)'))
  const drops = await readTexts(tx, indexesQuery(`format('drop index %s', indexrelid::regclass)`))
  await runEach(tx, triggersQuery('disable'))
  await runEach(tx, keysQuery('drop constraint %I'))
  await runAll(tx, drops)
  return async () => {
    await runAll(tx, [...indexes, ...keys])
    await runEach(tx, triggersQuery('enable'))
  }
}

async function readTexts(tx: Transaction<unknown>, query: string): Promise<string[]> {
  const { rows } = await sql.raw<Record<string, string>>(query).execute(tx)
  return rows.flatMap((row) => Object.values(row))
}

/** Runs the statements that a query returns. */
async function runEach(tx: Transaction<unknown>, query: string): Promise<void> {
  await runAll(tx, await readTexts(tx, query))
}

async function runAll(tx: Transaction<unknown>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(tx)
}
