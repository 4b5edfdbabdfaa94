import { openReader } from '@latchkey/database/database'
import type { DialectName } from '@latchkey/database/url'
import { type RawBuilder, sql } from 'kysely'

/** Each query returns one text per row. Columns may stand in another order after a migration. */
const QUERIES: Readonly<Record<DialectName, readonly RawBuilder<{ line: string }>[]>> = {
  sqlite: [
    sql`select concat_ws(' ', t.name, c.name, c.type, c."notnull", c.dflt_value, c.pk) as line
      from pragma_table_list as t, pragma_table_xinfo(t.name) as c where t.type = 'table'`,
    sql`select concat_ws(' ', t.name, k."from", k."table", k."to", k.on_delete) as line
      from pragma_table_list as t, pragma_foreign_key_list(t.name) as k`,
    sql`select concat_ws(' ', type, name, sql) as line from sqlite_schema where type <> 'table'`,
  ],
  postgres: [
    sql`select concat_ws(' ', table_name, column_name, data_type, collation_name, is_nullable, column_default,
        is_identity, generation_expression) as line
      from information_schema.columns where table_schema = current_schema()`,
    sql`select concat_ws(' ', conrelid::regclass, pg_get_constraintdef(oid)) as line
      from pg_constraint where connamespace = current_schema()::regnamespace`,
    sql`select indexdef as line from pg_indexes where schemaname = current_schema()`,
    sql`select pg_get_triggerdef(oid) as line from pg_trigger where not tgisinternal`,
    sql`select concat_ws(' ', proname, prosrc) as line
      from pg_proc where pronamespace = current_schema()::regnamespace`,
  ],
}

/** The columns, constraints, indexes, triggers and functions of a database, sorted. */
export async function readStructure(url: string): Promise<string[]> {
  const reader = openReader<unknown>(url)
  try {
    const lines: string[] = []
    for (const query of QUERIES[reader.dialect]) {
      const { rows } = await query.execute(reader.read)
      // SQLite puts a renamed table in quotes.
      lines.push(...rows.map(({ line }) => line.replaceAll(/\s+/g, ' ').replaceAll('"', '')))
    }
    return lines.toSorted()
  } finally {
    await reader.close()
  }
}
