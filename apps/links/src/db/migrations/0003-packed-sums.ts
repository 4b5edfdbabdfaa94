import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

const words = {
  sqlite: { int: 'integer', text: 'text', bytes: 'blob', table: 'strict', random: 'random() >> 11' },
  postgres: {
    int: 'bigint',
    text: 'text collate "C"',
    bytes: 'bytea',
    table: '',
    random: 'cast(random() * 9007199254740991 as bigint)',
  },
}

/**
 * Sums by value and by link take a row per period instead of a row per value and period: reading is then a matter of
 * bytes. What was summed before is summed again in the background; until then its clicks are counted one by one.
 */
export const packedSums: Migration = async (tx, dialect) => {
  const { int, text, bytes, table, random } = words[dialect]
  const statements = [
    `insert into click_due (unit, start, stamp)
      select unit, start, ${random} from (select distinct unit, start from click_period) as known where true
      on conflict (unit, start) do update set stamp = excluded.stamp`,
    'delete from click_period',
    'drop table click_sum',
    'drop table click_link',
    // The values as a JSON list, and four counts of each in the same order (analytics/packed.ts).
    `create table click_sum (
      link_id ${int} not null,
      unit ${text} not null,
      start ${int} not null,
      dimension ${text} not null,
      names ${text} not null,
      counts ${bytes} not null,
      primary key (link_id, unit, start, dimension)
    ) ${table}`,
    // Every link clicked in a period of the instance, with four counts of each (analytics/link-tally.ts).
    `create table click_link (
      unit ${text} not null,
      start ${int} not null,
      links ${bytes} not null,
      primary key (unit, start)
    ) ${table}`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(tx)
}
