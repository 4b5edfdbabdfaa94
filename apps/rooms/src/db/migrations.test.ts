import { expect, test } from 'bun:test'
import { openDatabase } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { eachDialect } from '@latchkey/database/testing'
import { sql } from 'kysely'
import { migrations } from './migrations.ts'

/** Each with the columns, separated by commas, in their order. `only` says of which rows. */
const QUERIES = {
  sqlite: {
    keys: sql<{ child: string; columns: string }>`
      select s.name as child, group_concat(k."from") as columns
      from sqlite_schema as s, pragma_foreign_key_list(s.name) as k
      where s.type = 'table' group by s.name, k.id`,
    indexes: sql<{ child: string; columns: string; only: string | null }>`
      select s.name as child,
        (select group_concat(name) from (select name from pragma_index_info(i.name) order by seqno)) as columns,
        (select substr(sql, instr(sql, ' where ') + 7) from sqlite_schema where name = i.name and i.partial) as only
      from sqlite_schema as s, pragma_index_list(s.name) as i where s.type = 'table'`,
  },
  postgres: {
    keys: sql<{ child: string; columns: string }>`
      select conrelid::regclass::text as child, (
        select string_agg(attname, ',') from pg_attribute where attrelid = conrelid and attnum = any (conkey)
      ) as columns
      from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`,
    indexes: sql<{ child: string; columns: string; only: string | null }>`
      select indrelid::regclass::text as child, (
        select string_agg(attname, ',' order by place) from unnest(indkey) with ordinality as k (number, place)
        join pg_attribute on attrelid = indrelid and attnum = number
      ) as columns, trim(both '()' from pg_get_expr(indpred, indrelid)) as only
      from pg_index join pg_class on pg_class.oid = indexrelid
      where relnamespace = current_schema()::regnamespace`,
  },
}

eachDialect((dialect, newUrl) => {
  test('whatever refers to a row is found by an index when the row goes', async () => {
    const database = openDatabase(await newUrl())
    await migrate(database, migrations)
    const { rows: keys } = await QUERIES[dialect].keys.execute(database.read)
    const { rows: indexes } = await QUERIES[dialect].indexes.execute(database.read)
    await database.close()
    expect(keys.length).toBeGreaterThan(20)
    const slow = keys.filter(({ child, columns }) => {
      const referring = columns.split(',')
      return !indexes.some(
        (index) =>
          index.child === child &&
          index.columns
            .split(',')
            .slice(0, referring.length)
            .every((column) => referring.includes(column)) &&
          (index.only === null ||
            referring.some((column) => `${column} is not null` === index.only?.toLowerCase())),
      )
    })
    expect(slow).toEqual([])
  })
})
