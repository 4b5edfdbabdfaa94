import type { DialectName } from '@latchkey/database/url'
import { type RawBuilder, sql } from 'kysely'

/**
 * A table of rows in its column `value`, for a FROM clause. All rows are in one parameter, to keep
 * the statement text equal for any number of them.
 */
export function rowsFrom(dialect: DialectName, rows: readonly unknown[]): RawBuilder<unknown> {
  const json = JSON.stringify(rows)
  return dialect === 'sqlite'
    ? sql`json_each(${json})`
    : sql`jsonb_array_elements(${json}::jsonb) as each (value)`
}
