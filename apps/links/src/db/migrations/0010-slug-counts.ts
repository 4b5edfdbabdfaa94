import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

const COUNTS = ['clicks', 'bots', 'self_referrers', 'bot_self_referrers']

/** PostgreSQL looked for the open hours of each slug once for each count: now once for all four. */
export const slugCounts: Migration = async (tx, dialect) => {
  if (dialect === 'sqlite') return
  const list = (count: (name: string) => string) => sql.raw(COUNTS.map((name) => count(name)).join(', '))
  await sql`create or replace view counted_slug as
    select slug.slug, slug.link_id, is_custom, created_at, disabled_at,
      ${list((name) => `closed_${name} + coalesce(open.${name}, 0) as ${name}`)}
    from slug left join lateral (
      select ${list((name) => `sum(${name}) as ${name}`)} from click_hour_open as hours
      where hours.link_id = slug.link_id and hours.slug = slug.slug
    ) as open on true`.execute(tx)
}
