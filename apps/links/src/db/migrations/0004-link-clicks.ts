import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

/** What a viewer counts of a slug's closed hours, for each choice of filters. */
const counted = {
  clicks_raw: ['clicks'],
  clicks_no_bots: ['clicks', '- bots'],
  clicks_no_self: ['clicks', '- self_referrers'],
  clicks_neither: ['clicks', '- bots', '- self_referrers', '+ bot_self_referrers'],
}
const columns = Object.keys(counted)

/** `clicks - bots` as columns of a slug's row, with this before their names. */
function ofSlug(terms: readonly string[], prefix: string): string {
  return terms.map((term) => term.replace(/\w+/, (name) => `${prefix}closed_${name}`)).join(' ')
}

/** `set` of one column after the other. */
function changed(change: (terms: readonly string[]) => string): string {
  return Object.entries(counted)
    .map(([column, terms]) => `${column} = ${column} ${change(terms)}`)
    .join(', ')
}

/**
 * Every link has a row of its clicks in closed hours, which lists by clicks go through in the order of an index. The
 * database keeps it itself, whoever changes the sums of a slug: closing an hour, an import, the removal of a slug.
 */
export const linkClicks: Migration = async (tx, dialect) => {
  const int = dialect === 'sqlite' ? 'integer' : 'bigint'
  const statements = [
    `create table link_clicks (
      link_id ${int} not null primary key references link (id) on delete cascade,
      created_at ${int} not null,
      ${columns.map((column) => `${column} ${int} not null default 0`).join(', ')}
    ) ${dialect === 'sqlite' ? 'strict' : ''}`,
    `insert into link_clicks (link_id, created_at, ${columns.join(', ')})
      select link.id, link.created_at, ${Object.values(counted)
        .map((terms) => `coalesce(sum(${ofSlug(terms, 'slug.')}), 0)`)
        .join(', ')}
      from link left join slug on slug.link_id = link.id group by link.id order by link.id`,
    ...columns.map(
      (column) => `create index link_by_${column} on link_clicks (${column}, created_at, link_id)`,
    ),
    ...(dialect === 'sqlite' ? sqlite : postgres),
  ]
  for (const statement of statements) await sql.raw(statement).execute(tx)
}

const add = changed((terms) => `+ (${ofSlug(terms, 'new.')})`)
const take = changed((terms) => `- (${ofSlug(terms, 'old.')})`)

const sqlite = [
  `create trigger link_clicks_begin after insert on link begin
    insert into link_clicks (link_id, created_at) values (new.id, new.created_at);
  end`,
  `create trigger slug_clicks_insert after insert on slug when new.closed_clicks > 0 begin
    update link_clicks set ${add} where link_id = new.link_id;
  end`,
  `create trigger slug_clicks_update
    after update of closed_clicks, closed_bots, closed_self_referrers, closed_bot_self_referrers on slug begin
    update link_clicks set ${changed((terms) => `+ (${ofSlug(terms, 'new.')}) - (${ofSlug(terms, 'old.')})`)}
    where link_id = new.link_id;
  end`,
  `create trigger slug_clicks_delete after delete on slug when old.closed_clicks > 0 begin
    update link_clicks set ${take} where link_id = old.link_id;
  end`,
]

/** Sums of one statement's slugs by link, `sign` times. */
function sumsOf(table: string, sign: '' | '-'): string {
  const sums = Object.entries(counted).map(([column, terms]) => `${sign}(${ofSlug(terms, '')}) as ${column}`)
  return `select link_id, ${sums.join(', ')} from ${table}`
}

/** For a whole statement at once: an hour that closes changes thousands of slugs. Rows are locked in order of their ids. */
function keepAfter(event: 'insert' | 'update' | 'delete', changes: string, referencing: string): string[] {
  return [
    `create function keep_link_clicks_${event}() returns trigger language plpgsql as $$
    begin
      perform 1 from link_clicks where link_id in (select link_id from (${changes}) as change
        where clicks_raw <> 0) order by link_id for no key update;
      update link_clicks set ${columns.map((column) => `${column} = link_clicks.${column} + change.${column}`).join(', ')}
      from (select link_id, ${columns.map((column) => `sum(${column}) as ${column}`).join(', ')}
        from (${changes}) as slugs group by link_id having sum(clicks_raw) <> 0) as change
      where link_clicks.link_id = change.link_id;
      return null;
    end $$`,
    `create trigger slug_clicks_${event} after ${event} on slug referencing ${referencing}
      for each statement execute function keep_link_clicks_${event}()`,
  ]
}

const postgres = [
  `create function begin_link_clicks() returns trigger language plpgsql as $$
    begin
      insert into link_clicks (link_id, created_at) select id, created_at from added;
      return null;
    end $$`,
  `create trigger link_clicks_begin after insert on link referencing new table as added
    for each statement execute function begin_link_clicks()`,
  ...keepAfter('insert', sumsOf('added', ''), 'new table as added'),
  ...keepAfter(
    'update',
    `${sumsOf('added', '')} union all ${sumsOf('gone', '-')}`,
    'new table as added old table as gone',
  ),
  ...keepAfter('delete', sumsOf('gone', '-'), 'old table as gone'),
]
