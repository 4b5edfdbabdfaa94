import type { DialectName } from '@latchkey/database/url'
import { type RawBuilder, sql } from 'kysely'
import type { BucketUnit } from './sparkline.ts'
import { DAY, HOUR } from './window.ts'

/** `bucketOf` of the sparkline, in SQL. */
export function bucketSql(
  dialect: DialectName,
  unit: BucketUnit,
  column: RawBuilder<unknown>,
): RawBuilder<unknown> {
  if (unit === 'hour') return sql`${column} / ${sql.lit(HOUR)}`
  if (unit === 'day') return sql`${column} / ${sql.lit(DAY)}`
  return dialect === 'sqlite'
    ? sql`cast(strftime('%Y%m', ${column}, 'unixepoch') as integer)`
    : sql`cast(to_char(to_timestamp(${column}) at time zone 'UTC', 'YYYYMM') as bigint)`
}
