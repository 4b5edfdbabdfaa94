import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

/**
 * All that a redirect by a primary slug needs is in an index, which the engine keeps true: one page to read instead of one of
 * the slug and one of the link. Such a redirect does not ask whether the slug is disabled, so a primary one cannot be. On
 * PostgreSQL targets are kept in memory, and the question is one anyway.
 */
export const primarySlugIndex: Migration = async (tx, dialect) => {
  if (dialect === 'postgres') return
  await sql`create index link_by_primary_slug on link (primary_slug, disabled_at, url, expires_at)`.execute(
    tx,
  )
  // None is known, but a file of a whole instance could have brought one: its automatic slug takes over, as when it is disabled.
  await sql`update link set primary_slug = auto.slug from slug as auto
    where auto.link_id = link.id and auto.is_custom = 0
      and link.primary_slug in (select slug from slug where disabled_at is not null)`.execute(tx)
  const refuse = sql`begin select raise(abort, 'a primary slug is never disabled'); end`
  const isDisabledPrimary = sql`new.disabled_at is not null
    and exists (select 1 from link where id = new.link_id and primary_slug = new.slug)`
  await sql`create trigger primary_slug_not_disabled before update of disabled_at on slug
    when ${isDisabledPrimary} ${refuse}`.execute(tx)
  await sql`create trigger primary_slug_not_made_disabled before insert on slug
    when ${isDisabledPrimary} ${refuse}`.execute(tx)
  await sql`create trigger disabled_slug_not_primary before update of primary_slug on link
    when exists (select 1 from slug where slug = new.primary_slug and disabled_at is not null)
    ${refuse}`.execute(tx)
}
