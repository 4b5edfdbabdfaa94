import { type Kysely, type Transaction, sql } from 'kysely'
import type { Tables } from '../db/tables.ts'
import type { Icon } from './fetch-favicon.ts'

/** Null where the site has no icon. `fetchedAt` is in Unix seconds. */
export interface StoredFavicon {
  icon: Icon | null
  fetchedAt: number
}

/** Finds the stored icons of these hosts. */
export async function findFavicons(
  db: Kysely<Tables>,
  hosts: readonly string[],
): Promise<Map<string, StoredFavicon>> {
  const rows = await db.selectFrom('favicon').selectAll().where('host', 'in', hosts).execute()
  return new Map(
    rows.map(({ host, type, bytes, fetched_at: fetchedAt }) => [
      host,
      { icon: type === null || bytes === null ? null : { type, bytes }, fetchedAt },
    ]),
  )
}

/** Finds a destination at this host. Undefined if no link leads there. */
export async function findSite(db: Kysely<Tables>, host: string): Promise<URL | undefined> {
  const link = await db.selectFrom('link').select('url').where('host', '=', host).limit(1).executeTakeFirst()
  return link && new URL(link.url)
}

/**
 * Stores the result of a fetch. A site that does not answer keeps the icon it had. Beyond
 * `maxHosts`, the hosts that were fetched the longest time ago are deleted.
 */
export async function saveFavicon(
  tx: Transaction<Tables>,
  favicon: { host: string; icon: Icon | null; now: number },
  maxHosts: number,
): Promise<void> {
  const { host, icon, now } = favicon
  await sql`insert into favicon (host, type, bytes, fetched_at)
    values (${host}, ${icon?.type ?? null}, ${icon?.bytes ?? null}, ${now})
    on conflict (host) do update set fetched_at = excluded.fetched_at,
      type = coalesce(excluded.type, favicon.type), bytes = coalesce(excluded.bytes, favicon.bytes)`.execute(
    tx,
  )
  await sql`delete from favicon where host in (
    select host from favicon order by fetched_at desc, host limit ${MAX_DELETED} offset ${maxHosts})`.execute(
    tx,
  )
}

/** Each fetch adds one host. More are deleted only if the limit was lowered. */
const MAX_DELETED = 1_000
