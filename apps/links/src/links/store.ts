import { inList, lockKeys } from '@latchkey/database/database'
import { lockRows } from '@latchkey/database/locks'
import { type Kysely, type Selectable, type SqlBool, type Updateable, sql } from 'kysely'
import { markAllHoursChanged } from '../clicks/changed-hours.ts'
import { requireTrackedLink, trackLinks } from '../changes/change-tracker.ts'
import { entityTag } from '../api/entity-tag.ts'
import type { Db, Tables, Tx } from '../db/tables.ts'
import type { Domain } from '../urls/slug.ts'
import { retireSlugs } from './slugs/store.ts'
import { derivedColumns } from './insert.ts'
import { urlKey } from '../urls/destination-url.ts'

export type LinkRow = Selectable<Tables['link']>
export async function updateLinkRow(
  tx: Tx,
  row: LinkRow,
  changes: Updateable<Tables['link']>,
  now: number,
): Promise<void> {
  requireTrackedLink(tx, row.id)
  await tx
    .updateTable('link')
    .set({
      ...changes,
      ...derivedColumns({
        url: changes.url ?? row.url,
        label: changes.label === undefined ? row.label : changes.label,
        created_by: changes.created_by ?? row.created_by,
      }),
      version: row.version + 1,
      updated_at: now,
    })
    .where('id', '=', row.id)
    .execute()
}

/**
 * Raises the version of a locked link by one, also if a transaction raises it several times
 * (L25.3).
 */
export async function raiseVersion(tx: Tx, { id, version }: LinkRow, now: number): Promise<void> {
  requireTrackedLink(tx, id)
  await tx
    .updateTable('link')
    .set({ version: version + 1, updated_at: now })
    .where('id', '=', id)
    .execute()
}

/** The `ETag` of a link; undefined if it does not exist. */
export async function findEntityTag(db: Kysely<Tables>, id: number): Promise<string | undefined> {
  const row = await db.selectFrom('link').select('version').where('id', '=', id).executeTakeFirst()
  return row && entityTag(row)
}

/**
 * Deletes the link with its slugs, clicks and memberships. Slugs go first, because clicks are only
 * ever added to an existing slug.
 */
export async function deleteLinkRow(tx: Tx, { dialect }: Pick<Db, 'dialect'>, id: number): Promise<void> {
  requireTrackedLink(tx, id)
  await retireSlugs(tx, { link_id: id })
  await tx.deleteFrom('link').where('id', '=', id).execute()
  await markAllHoursChanged(tx, dialect, id)
  for (const table of ['click_period', 'click_sum', 'click_forgotten'] as const)
    await tx.deleteFrom(table).where('link_id', '=', id).execute()
  await tx.deleteFrom('click').where('link_id', '=', id).execute()
  await tx.deleteFrom('click_hour_open').where('link_id', '=', id).execute()
  await tx.deleteFrom('click_hour_closed').where('link_id', '=', id).execute()
}

export async function findLinkRow(db: Kysely<Tables>, id: number): Promise<LinkRow | undefined> {
  return db.selectFrom('link').selectAll().where('id', '=', id).executeTakeFirst()
}

/**
 * Returns the row of the link and locks it until the transaction ends. SQLite has a single writer
 * anyway.
 */
export async function lockLinkRow(tx: Tx, { dialect }: Db, id: number): Promise<LinkRow | undefined> {
  return lockRows(dialect, tx.selectFrom('link').selectAll().where('id', '=', id), 'id').executeTakeFirst()
}

/** `lockLinkRow` for a write of the link. Its state is tracked for its history. */
export async function lockLinkForWrite(tx: Tx, database: Db, id: number): Promise<LinkRow | undefined> {
  const row = await lockLinkRow(tx, database, id)
  if (row) await trackLinks(tx, [id])
  return row
}

/** `lockLinkForWrite` for several links. */
export async function lockLinksForWrite(
  tx: Tx,
  { dialect }: Db,
  ids: readonly number[],
): Promise<Map<number, LinkRow>> {
  const query = tx
    .selectFrom('link')
    .selectAll()
    .where(inList(dialect, 'id', ids))
  const rows = await lockRows(dialect, query, 'id').execute()
  await trackLinks(
    tx,
    rows.map((row) => row.id),
  )
  return new Map(rows.map((row) => [row.id, row]))
}

export async function countLifetimeClicks(tx: Tx, linkId: number): Promise<number> {
  const { clicks } = await tx
    .selectFrom('counted_slug')
    .select((eb) => eb.fn.sum<number | null>('clicks').as('clicks'))
    .where('link_id', '=', linkId)
    .executeTakeFirstOrThrow()
  return clicks ?? 0
}

/** Serialises creations of the same URL. The second one then finds the link of the first. */
export async function lockUrl(tx: Tx, { dialect }: Db, url: string): Promise<void> {
  await lockUrls(tx, { dialect }, [url])
}

/** `lockUrl` for several URLs. */
export async function lockUrls(
  tx: Tx,
  { dialect }: Pick<Db, 'dialect'>,
  urls: readonly string[],
): Promise<void> {
  await lockKeys(dialect, tx, urls.map(urlKey))
}

/** The keys of these URLs for which there are links, of any owner, domain and state. */
export async function findUrlKeys(tx: Tx, { dialect }: Db, urls: readonly string[]): Promise<Set<number>> {
  const rows = await tx
    .selectFrom('link')
    .select('url_key')
    .distinct()
    .where(inList(dialect, 'url_key', urls.map(urlKey)))
    .execute()
  return new Set(rows.map((row) => row.url_key))
}

interface DuplicateQuery {
  url: string
  domain: Domain
  identity: string
  now: number
  ownOnly: boolean
}

/**
 * Returns the active link that a create of this URL reuses, and the number of active ones (L6.2).
 * With `ownOnly` only the caller's own links qualify.
 */
export async function findDuplicate(
  tx: Tx,
  { url, domain, identity, now, ownOnly }: DuplicateQuery,
): Promise<{ id: number; count: number } | undefined> {
  const candidates = tx
    .selectFrom('link')
    .where('url_key', '=', urlKey(url))
    .where('url', '=', url)
    .where('domain', domain === null ? 'is' : '=', domain)
    // A link with behaviour may lead elsewhere, or stop to lead anywhere.
    .where('behaviour', 'is', null)
    .where(isActive(now))
  const newest = await candidates
    .select('id')
    .$if(ownOnly, (query) => query.where('created_by', '=', identity))
    .orderBy(sql`created_by = ${identity}`, 'desc')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!newest) return undefined
  const { count } = await candidates
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return { id: newest.id, count }
}

/** Whether `link` is active. */
export function isActive(now: number) {
  return sql<SqlBool>`link.disabled_at is null and (link.expires_at is null or link.expires_at > ${now})`
}
