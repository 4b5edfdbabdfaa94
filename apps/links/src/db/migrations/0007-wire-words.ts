import type { Migration } from '@latchkey/database/migrate'
import { type RawBuilder, sql } from 'kysely'

/** Columns with JSON that may hold a behaviour. */
const COLUMNS = [
  ['link_behaviour', 'document'],
  ['history', 'before_values'],
  ['history', 'after_values'],
  ['plan', 'ops'],
  ['plan', 'diff'],
  ['event', 'data'],
] as const

/** `stick` of splits became `sticky`, and `also_of` of domains `alias_of`. */
export const wireWords: Migration = async (tx, dialect) => {
  const run = (query: RawBuilder<unknown>) => query.execute(tx)
  await run(sql`alter table domain rename column also_of to alias_of`)
  if (dialect === 'postgres') await run(sql`alter table history disable trigger history_stays`)
  else await run(sql`drop trigger history_stays`)
  for (const names of COLUMNS) {
    const [table, column] = [sql.table(names[0]), sql.ref(names[1])]
    // Only a key ends in a quote and a colon: JSON escapes the quotes of texts.
    await run(sql`update ${table} set ${column} = replace(${column}, '"stick":', '"sticky":')
      where ${column} like '%"stick":%'`)
  }
  if (dialect === 'postgres') await run(sql`alter table history enable trigger history_stays`)
  else
    await run(sql`create trigger history_stays before update on history
      begin select raise(abort, 'history is append-only'); end`)
}
