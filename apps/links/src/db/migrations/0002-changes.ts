import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

/**
 * What changed is told by the database itself, so that nobody who writes can forget to: neither an API nor the command
 * line, nor another node. Not for every click: of those, SQLite's readers look at the newest rows.
 */
export const changes: Migration = async (tx, dialect) => {
  for (const statement of dialect === 'sqlite' ? sqlite : postgres) await sql.raw(statement).execute(tx)
}

/** Changes that are kept for open pages to read; whoever has missed older ones knows it by the numbers. */
const KEPT = 1_000

interface Source {
  table: string
  on: string
  kind: 'link' | 'bundle'
  column: string
}

/** A slug's sum of closed hours is none of its changes. */
const sources: readonly Source[] = [
  { table: 'link', on: 'insert', kind: 'link', column: 'id' },
  { table: 'link', on: 'update', kind: 'link', column: 'id' },
  { table: 'link', on: 'delete', kind: 'link', column: 'id' },
  { table: 'slug', on: 'insert', kind: 'link', column: 'link_id' },
  { table: 'slug', on: 'update of disabled_at', kind: 'link', column: 'link_id' },
  { table: 'slug', on: 'delete', kind: 'link', column: 'link_id' },
  { table: 'bundle', on: 'insert', kind: 'bundle', column: 'id' },
  { table: 'bundle', on: 'update', kind: 'bundle', column: 'id' },
  { table: 'bundle', on: 'delete', kind: 'bundle', column: 'id' },
  { table: 'bundle_link', on: 'insert', kind: 'bundle', column: 'bundle_id' },
  { table: 'bundle_link', on: 'delete', kind: 'bundle', column: 'bundle_id' },
  { table: 'bundle_link', on: 'insert', kind: 'link', column: 'link_id' },
  { table: 'bundle_link', on: 'delete', kind: 'link', column: 'link_id' },
]

function nameOf({ table, on, kind }: Source): string {
  return `${table}_${on.split(' ')[0]}_changes_${kind}`
}

const sqlite = [
  `create table change (seq integer primary key autoincrement, link_id integer, bundle_id integer) strict`,
  ...sources.map(
    (source) => `create trigger ${nameOf(source)} after ${source.on} on ${source.table} begin
      insert into change (${source.kind}_id) values (${source.on === 'delete' ? 'old' : 'new'}.${source.column});
      delete from change where seq <= last_insert_rowid() - ${KEPT};
    end`,
  ),
]

/** Ids in one announcement; PostgreSQL takes 8,000 bytes. */
const MOST_IDS = 400

/** Several instances may share a server in schemas of their own, but the channel is one for all of them. */
const postgres = [
  `create function announce_change() returns trigger language plpgsql as $$
    begin
      perform pg_notify('latchkey_changes', TG_ARGV[0] || ' '
        || (to_jsonb(case when TG_OP = 'DELETE' then OLD else NEW end) ->> TG_ARGV[1]) || ' ' || TG_TABLE_SCHEMA);
      return null;
    end $$`,
  ...sources.map(
    (source) => `create trigger ${nameOf(source)} after ${source.on} on ${source.table}
      for each row execute function announce_change('${source.kind}', '${source.column}')`,
  ),
  `create function announce_clicks() returns trigger language plpgsql as $$
    declare
      ids text[];
    begin
      select array_agg(link_id::text) into ids
        from (select distinct link_id from added limit ${MOST_IDS + 1}) as clicked;
      if ids is null then return null; end if;
      perform pg_notify('latchkey_changes', 'clicks '
        || case when array_length(ids, 1) > ${MOST_IDS} then '*' else array_to_string(ids, ',') end
        || ' ' || TG_TABLE_SCHEMA);
      return null;
    end $$`,
  `create trigger clicks_announced after insert on click referencing new table as added
    for each statement execute function announce_clicks()`,
]
