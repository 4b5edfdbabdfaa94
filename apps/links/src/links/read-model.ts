import { inList } from '@latchkey/database/database'
import type { Context } from '../api/context.ts'
import type { ViewerFilters } from '../clicks/filters.ts'
import { filteredClicks } from '../clicks/store.ts'
import type { ClickCounts } from '../db/click-tables.ts'
import { withSnapshot } from '../db/snapshot.ts'
import type { Db, Tx } from '../db/tables.ts'
import { readWindowClicks } from '../rollups/index.ts'
import type { Range } from '../time/ranges.ts'
import { delta, sum, windowsOf } from '../time/window.ts'
import { originOfDomain } from '../urls/host.ts'
import { parseSlugKey } from '../urls/slug.ts'
import { type LegacyPathRow, listLegacyPathsOf } from './legacy/store.ts'
import type { Link } from './schema.ts'
import type { Slug } from './slugs/schema.ts'
import type { SlugRow } from './slugs/store.ts'
import { type LinkRow, findEntityTag } from './store.ts'

/** The clicks of displayed links: those in the window of `range`, or lifetime. */
export interface LinkView {
  range?: Range | undefined
  now: number
  filters: ViewerFilters
}

/** A link independent of the request, which determines the origin of its short URLs. */
export type StoredLink = Omit<Link, 'short_origin'>

/**
 * Reads the links with these ids in this order, with slugs and clicks, from one snapshot. Unknown
 * ids are left out.
 */
export async function readLinks(database: Db, ids: readonly number[], view: LinkView): Promise<StoredLink[]> {
  return ids.length === 0 ? [] : withSnapshot(database, (db) => readLinksByIds(db, ids, view))
}

type WriteContext = Pick<Context, 'database' | 'origin' | 'headers'> & Omit<LinkView, 'range'>

/**
 * Returns the answer of a write: the link after the transaction, with its lifetime clicks. It is
 * read before the commit, so no write succeeds and then fails to answer. The link must exist.
 */
export async function readChangedLink(tx: Tx, id: number, context: WriteContext): Promise<Link> {
  const [link] = await readChangedLinks(tx, [id], context)
  const tag = await findEntityTag(tx, id)
  if (!link || tag === undefined) throw new Error('A link was gone before its transaction ended')
  context.headers['ETag'] = tag
  return link
}

/** Like `readChangedLink`, for the answer of a write of several links. */
export async function readChangedLinks(
  tx: Tx,
  ids: readonly number[],
  { database, now, filters, origin }: Omit<WriteContext, 'headers'>,
): Promise<Link[]> {
  const links = await readLinksByIds({ ...database, read: tx }, ids, { now, filters })
  return links.map((link) => withOrigin({ origin }, link))
}

/** Adds the origin of the link's short URLs, which depends on the request. */
export function withOrigin({ origin }: { origin: string }, link: StoredLink): Link {
  const { domain, ...rest } = link
  const short_origin = originOfDomain(origin, domain)
  return domain === undefined ? { ...rest, short_origin } : { ...rest, short_origin, domain }
}

async function readLinksByIds(db: Db, ids: readonly number[], view: LinkView): Promise<StoredLink[]> {
  const rows = await db.read
    .selectFrom('link')
    .selectAll()
    .where(inList(db.dialect, 'id', ids))
    .execute()
  const slugs = await db.read
    .selectFrom('counted_slug')
    .selectAll()
    .where(inList(db.dialect, 'link_id', ids))
    .orderBy('is_custom')
    .orderBy('created_at')
    .orderBy('slug')
    .execute()
  const legacyPaths = await listLegacyPathsOf({ db: db.read, dialect: db.dialect }, ids)
  const legacyPathsOf = Map.groupBy(legacyPaths, (row) => row.link_id)
  const { range, now, filters } = view
  const clicks = range && (await readWindowClicks(db, ids, windowsOf(range, now), filters))
  const slugsOf = Map.groupBy(slugs, (slug) => slug.link_id)
  const inWindow = clicks && new Map(clicks.slugs.map((row) => [row.slug, row.clicks]))
  const countOf = (row: SlugRow) => (inWindow ? (inWindow.get(row.slug) ?? 0) : filteredClicks(row, filters))
  const links = new Map(
    rows.map((row) => [
      row.id,
      {
        ...toLink(row, slugsOf.get(row.id) ?? [], { countOf, previousClicks: clicks?.previous?.get(row.id) }),
        ...legacyPathsField(legacyPathsOf.get(row.id)),
      },
    ]),
  )
  return ids.flatMap((id) => links.get(id) ?? [])
}

/** Only links that have legacy paths have the field. */
function legacyPathsField(rows: readonly LegacyPathRow[] | undefined): Pick<StoredLink, 'legacy_paths'> {
  return rows
    ? { legacy_paths: rows.map(({ path, source, created_at }) => ({ path, source, created_at })) }
    : {}
}

function toLink(
  row: LinkRow,
  slugs: SlugRow[],
  { countOf, previousClicks }: { countOf: (slug: SlugRow) => number; previousClicks: number | undefined },
): StoredLink {
  const { id, url, label, expires_at, disabled_at, created_via, created_by, created_at, domain } = row
  const slugAnswers = slugs.map((slug) => toSlug(slug, row.primary_slug, countOf(slug)))
  const total = sum(slugAnswers.map((slug) => slug.click_count))
  return {
    id,
    url,
    label,
    expires_at,
    disabled_at,
    created_via,
    created_by,
    created_at,
    slugs: slugAnswers,
    total_clicks: total,
    ...delta('delta_pct', total, previousClicks),
    ...(domain !== null && { domain }),
  }
}

export function toSlug(row: Omit<SlugRow, keyof ClickCounts>, primary: string, clickCount: number): Slug {
  return {
    link_id: row.link_id,
    ...parseSlugKey(row.slug),
    is_custom: row.is_custom === 1 ? 1 : 0,
    is_primary: row.slug === primary ? 1 : 0,
    click_count: clickCount,
    created_at: row.created_at,
    disabled_at: row.disabled_at,
  }
}
