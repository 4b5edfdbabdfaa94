import type { DialectName } from '@latchkey/database/url'
import { type RawBuilder, sql } from 'kysely'

/**
 * `(select ...)` of whole numbers as rows, one parameter however many there are: what a statement joins with instead of
 * being sent once for each.
 */
export function numberRows<Column extends string>(
  dialect: DialectName,
  columns: readonly Column[],
  rows: readonly Readonly<Record<Column, number>>[],
): RawBuilder<unknown> {
  const values = columns.map((column) => rows.map((row) => row[column]))
  const names = sql.join(columns.map((column) => sql.ref(column)))
  if (dialect === 'postgres') {
    const arrays = sql.join(values.map((column) => sql`${column}::bigint[]`))
    return sql`(select * from unnest(${arrays}) as given (${names}))`
  }
  const lines = JSON.stringify(rows.map((row) => columns.map((column) => row[column])))
  const picked = sql.join(
    columns.map((column, index) => sql`value ->> ${sql.lit(index)} as ${sql.ref(column)}`),
  )
  return sql`(select ${picked} from json_each(${lines}))`
}
