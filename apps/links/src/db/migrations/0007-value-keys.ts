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
 * Sums are known by the keys of their values, and names are read of those only that are shown. What was summed before is
 * summed again in the background; until then its clicks are counted one by one.
 */
export const valueKeys: Migration = async (tx, dialect) => {
  const { int, text, bytes, table, random } = words[dialect]
  const statements = [
    `insert into click_due (unit, start, stamp)
      select unit, start, ${random} from (select distinct unit, start from click_period) as known where true
      on conflict (unit, start) do update set stamp = excluded.stamp`,
    'delete from click_period',
    // That of the due row it was summed from.
    `alter table click_period add column stamp ${int} not null default 0`,
    'drop table click_sum',
    // Names last: SQLite reads a long row only as far as it has to.
    `create table click_sum (
      link_id ${int} not null,
      unit ${text} not null,
      start ${int} not null,
      dimension ${text} not null,
      sums ${bytes} not null,
      names ${text} not null,
      primary key (link_id, unit, start, dimension)
    ) ${table}`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(tx)
}
