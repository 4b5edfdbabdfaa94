import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

/**
 * How many links an owner has is kept by the database, since lists tell it on every page, and PostgreSQL needs a tenth of a
 * second to count a million. There in several parts, so that those who create links seldom wait for each other.
 */
export const linkCount: Migration = async (tx, dialect) => {
  const words =
    dialect === 'sqlite'
      ? { int: 'integer', text: 'text', clustered: 'strict, without rowid' }
      : { int: 'bigint', text: 'text collate "C"', clustered: '' }
  const statements = [
    `create table link_count (
      created_by ${words.text} not null,
      part ${words.int} not null,
      links ${words.int} not null,
      primary key (created_by, part)
    ) ${words.clustered}`,
    'insert into link_count (created_by, part, links) select created_by, 0, count(*) from link group by created_by',
    ...(dialect === 'sqlite' ? sqlite : postgres),
  ]
  for (const statement of statements) await sql.raw(statement).execute(tx)
}

const count = (row: 'new' | 'old', change: '1' | '-1') =>
  `insert into link_count (created_by, part, links) values (${row}.created_by, 0, ${change})
    on conflict (created_by, part) do update set links = links + excluded.links;`

const sqlite = [
  `create trigger link_count_insert after insert on link begin ${count('new', '1')} end`,
  `create trigger link_count_delete after delete on link begin ${count('old', '-1')} end`,
  `create trigger link_count_update after update of created_by on link begin
    ${count('old', '-1')} ${count('new', '1')}
  end`,
]

const PARTS = 32

function countAfter(event: 'insert' | 'update' | 'delete', changes: string, referencing: string): string[] {
  return [
    `create function count_links_${event}() returns trigger language plpgsql as $$
    begin
      insert into link_count (created_by, part, links)
        select created_by, pg_backend_pid() % ${PARTS}, sum(change) from (${changes}) as changes
        group by created_by having sum(change) <> 0 order by created_by
        on conflict (created_by, part) do update set links = link_count.links + excluded.links;
      return null;
    end $$`,
    `create trigger link_count_${event} after ${event} on link referencing ${referencing}
      for each statement execute function count_links_${event}()`,
  ]
}

const postgres = [
  ...countAfter('insert', 'select created_by, 1 as change from added', 'new table as added'),
  ...countAfter('delete', 'select created_by, -1 as change from gone', 'old table as gone'),
  ...countAfter(
    'update',
    'select created_by, 1 as change from added union all select created_by, -1 from gone',
    'new table as added old table as gone',
  ),
]
