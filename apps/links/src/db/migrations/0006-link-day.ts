import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

/**
 * How many links were made on each UTC day is kept by the database, since dashboards show it of years. In parts on
 * PostgreSQL, so that those who create links seldom wait for each other.
 */
export const linkDay: Migration = async (tx, dialect) => {
  const words =
    dialect === 'sqlite'
      ? { int: 'integer', clustered: 'strict, without rowid' }
      : { int: 'bigint', clustered: '' }
  const statements = [
    `create table link_day (
      start ${words.int} not null,
      part ${words.int} not null,
      links ${words.int} not null,
      primary key (start, part)
    ) ${words.clustered}`,
    `insert into link_day (start, part, links)
      select ${dayOf('created_at')}, 0, count(*) from link group by 1`,
    ...(dialect === 'sqlite' ? sqlite : postgres),
  ]
  for (const statement of statements) await sql.raw(statement).execute(tx)
}

function dayOf(moment: string): string {
  return `${moment} - ${moment} % 86400`
}

const count = (row: 'new' | 'old', change: '1' | '-1') =>
  `insert into link_day (start, part, links) values (${dayOf(`${row}.created_at`)}, 0, ${change})
    on conflict (start, part) do update set links = links + excluded.links;`

const sqlite = [
  `create trigger link_day_insert after insert on link begin ${count('new', '1')} end`,
  `create trigger link_day_delete after delete on link begin ${count('old', '-1')} end`,
  `create trigger link_day_update after update of created_at on link begin
    ${count('old', '-1')} ${count('new', '1')}
  end`,
]

const PARTS = 32

function countAfter(event: 'insert' | 'update' | 'delete', changes: string, referencing: string): string[] {
  return [
    `create function count_link_days_${event}() returns trigger language plpgsql as $$
    begin
      insert into link_day (start, part, links)
        select start, pg_backend_pid() % ${PARTS}, sum(change) from (${changes}) as changes
        group by start having sum(change) <> 0 order by start
        on conflict (start, part) do update set links = link_day.links + excluded.links;
      return null;
    end $$`,
    `create trigger link_day_${event} after ${event} on link referencing ${referencing}
      for each statement execute function count_link_days_${event}()`,
  ]
}

const added = `select ${dayOf('created_at')} as start, 1 as change from added`
const gone = `select ${dayOf('created_at')} as start, -1 as change from gone`

const postgres = [
  ...countAfter('insert', added, 'new table as added'),
  ...countAfter('delete', gone, 'old table as gone'),
  ...countAfter('update', `${added} union all ${gone}`, 'new table as added old table as gone'),
]
