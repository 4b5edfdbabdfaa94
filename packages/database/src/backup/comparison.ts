import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DialectName } from '../url.ts'

/** Columns by table, of which a comparison reads `replaced_TABLE` and `restored_TABLE`. */
export type ComparedTables = Readonly<Record<string, readonly string[]>>

/** A kind of thing that a restored copy brings back, or loses. */
export interface Revival {
  /** What its members have in common: `API keys that were revoked`. */
  readonly what: string
  /** One row with a `name` for each. */
  readonly query: RawBuilder<{ name: string }>
}

/** More are counted only up to here. */
export const MAX_REVIVALS = 100_000

/**
 * Makes the compared columns of the database that is being replaced readable as `replaced_TABLE`. On
 * SQLite that database is `main`, and its replacement is attached as `restored`. On PostgreSQL they
 * are copied, since one schema follows the other. Throws if it lacks one of them.
 */
export function keepReplaced(
  db: Kysely<unknown>,
  dialect: DialectName,
  compared: ComparedTables,
): Promise<void> {
  return dialect === 'sqlite'
    ? create(db, compared, (table) => [sql`temp view`, `replaced_${table}`, `main.${table}`])
    : create(db, compared, (table) => [sql`temp table`, `replaced_${table}`, table])
}

/** Returns what the restored database has that the replaced one had ended, after `keepReplaced`. */
export async function findRevivals(
  db: Kysely<unknown>,
  dialect: DialectName,
  { compared, revivals }: { compared: ComparedTables; revivals: readonly Revival[] },
): Promise<{ what: string; names: string[] }[]> {
  const schema = dialect === 'sqlite' ? 'restored.' : ''
  await create(db, compared, (table) => [sql`temp view`, `restored_${table}`, schema + table])
  const lists: { what: string; names: string[] }[] = []
  for (const { what, query } of revivals) {
    const { rows } = await sql<{ name: string }>`${query} limit ${sql.lit(MAX_REVIVALS)}`.execute(db)
    if (rows.length > 0) lists.push({ what, names: rows.map(({ name }) => name) })
  }
  return lists
}

async function create(
  db: Kysely<unknown>,
  compared: ComparedTables,
  describe: (table: string) => [kind: RawBuilder<unknown>, name: string, source: string],
): Promise<void> {
  for (const [table, columns] of Object.entries(compared)) {
    const [kind, name, source] = describe(table)
    const selected = sql.join(columns.map((column) => sql.ref(column)))
    await sql`create ${kind} ${sql.table(name)} as select ${selected} from ${sql.table(source)}`.execute(db)
  }
}
