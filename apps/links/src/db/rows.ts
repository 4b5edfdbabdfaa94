import type { DialectName } from '@latchkey/database/url'
import { type RawBuilder, sql } from 'kysely'

/**
 * `(select ...)` of whole numbers as rows, with one parameter for any number of rows. A statement
 * joins with it instead of being sent once per row.
 */
export function numberRows<Column extends string>(
  dialect: DialectName,
  columns: readonly Column[],
  rows: readonly Readonly<Record<Column, number>>[],
): RawBuilder<unknown> {
  const values = columns.map((column) => rows.map((row) => row[column]))
  if (dialect === 'postgres') {
    const arrays = sql.join(values.map((column) => sql`${column}::bigint[]`))
    // Raw text costs a tenth of building a tree of identifiers.
    return sql`(select * from unnest(${arrays}) as input (${sql.raw(quoteNames(columns).join(', '))}))`
  }
  const lines = JSON.stringify(rows.map((row) => columns.map((column) => row[column])))
  const selection = quoteNames(columns).map((column, index) => `value ->> ${index} as ${column}`)
  return sql`(select ${sql.raw(selection.join(', '))} from json_each(${lines}))`
}

function quoteNames(columns: readonly string[]): string[] {
  return columns.map((column) => `"${column}"`)
}
