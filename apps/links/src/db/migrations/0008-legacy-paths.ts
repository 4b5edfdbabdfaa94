import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

/** Paths of another service that a link answers as well, and the clicks that came by them (L43). */
export const legacyPaths: Migration = async (tx, dialect) => {
  for (const statement of [...tables[dialect], ...triggers[dialect]]) await sql.raw(statement).execute(tx)
}

/** An empty domain is the default one. The index of the key is the one of the redirect. */
const columns = (int: string, text: string) => `(
  domain ${text} not null,
  path ${text} not null check (length(path) between 1 and 512),
  link_id ${int} not null references link (id) on delete cascade,
  source ${text} not null check (length(source) between 1 and 32),
  created_at ${int} not null,
  primary key (domain, path)
)`

const tables = {
  sqlite: [
    `create table legacy_path ${columns('integer', 'text')} strict, without rowid`,
    'create index legacy_path_by_link on legacy_path (link_id)',
    'alter table click add column legacy_path text',
  ],
  postgres: [
    `create table legacy_path ${columns('bigint', 'text collate "C"')}`,
    'create index legacy_path_by_link on legacy_path (link_id)',
    'alter table click add column legacy_path text',
  ],
}

/** Changes that are kept for open pages, as in the first migration. */
const KEPT_CHANGES = 1_000

const announceChange = (event: 'insert' | 'delete', row: 'new' | 'old') =>
  `create trigger legacy_path_${event}_changes_link after ${event} on legacy_path begin
    insert into change (link_id) values (${row}.link_id);
    delete from change where seq <= last_insert_rowid() - ${KEPT_CHANGES};
  end`

const triggers = {
  sqlite: [
    announceChange('insert', 'new'),
    announceChange('delete', 'old'),
    // The slash distinguishes a path from a slug of the same letters.
    `create trigger link_search_legacy_insert after insert on legacy_path begin
      update link_search set doc = doc || '/' || lower(new.path) || char(30) where link_id = new.link_id;
    end`,
    `create trigger link_search_legacy_delete after delete on legacy_path begin
      update link_search set doc = replace(doc, char(30) || '/' || lower(old.path) || char(30), char(30))
        where link_id = old.link_id;
    end`,
  ],
  postgres: [
    ...(['insert', 'delete'] as const).map(
      (event) => `create trigger legacy_path_${event}_changes_link after ${event} on legacy_path
        for each row execute function announce_change('link', 'link_id')`,
    ),
    `create function announce_legacy_path() returns trigger language plpgsql as $$
    declare
      changed legacy_path := case when TG_OP = 'DELETE' then OLD else NEW end;
    begin
      perform pg_notify('latchkey_redirect', '/' || changed.domain || '/' || changed.path);
      return null;
    end $$`,
    `create trigger legacy_path_changed after insert or delete on legacy_path
      for each row execute function announce_legacy_path()`,
    // Clicks of a legacy path count for the primary slug.
    `create function announce_link_of_legacy_path() returns trigger language plpgsql as $$
    begin
      perform pg_notify('latchkey_redirect', '/' || domain || '/' || path) from legacy_path where link_id = NEW.id;
      return null;
    end $$`,
    `create trigger legacy_path_link_changed
      after update of url, expires_at, disabled_at, behaviour, primary_slug on link
      for each row execute function announce_link_of_legacy_path()`,
    `create function keep_legacy_search() returns trigger language plpgsql as $$
    begin
      if TG_OP = 'INSERT' then
        update link_search set doc = doc || '/' || lower(NEW.path) || chr(30) where link_id = NEW.link_id;
      else
        update link_search set doc = replace(doc, chr(30) || '/' || lower(OLD.path) || chr(30), chr(30))
          where link_id = OLD.link_id;
      end if;
      return null;
    end $$`,
    `create trigger link_search_legacy after insert or delete on legacy_path
      for each row execute function keep_legacy_search()`,
  ],
}
