import { readStats } from '../analytics/operations.ts'
import type { Range } from '../time/ranges.ts'
import type { ClickStats, TimelineData } from '../analytics/schema.ts'
import type { NameCount } from '../api/fields.ts'
import { type View, readClickStats, readTimeline } from '../analytics/stats.ts'
import { readBundleStats } from '../analytics/bundle-stats.ts'
import { findBundleRow } from '../bundles/store.ts'
import type { Context } from '../api/context.ts'
import type { Db } from '../db/tables.ts'
import { shortUrl } from '../urls/host.ts'
import { slugKey } from '../urls/slug.ts'
import { findLinkRow } from '../links/store.ts'
import { findSharedSubject } from './store.ts'

/**
 * Everything that a public page shows, field by field: a new field of the statistics does not
 * become public by itself. No owner, no identity, no destination, no full referrer.
 */
export interface SharedStats {
  kind: 'link' | 'bundle'
  /** The label of a link, or its short URL without the scheme; the name of a bundle. */
  title: string
  /** The short URL of a link without the scheme, if the title is its label. */
  address: string | null
  range: Range
  /** Unix seconds. */
  now: number
  clicks: number
  /** Percent, against the previous window. */
  change: number | undefined
  /** Undefined if visitors are unknown, as for imported clicks. */
  visitors: number | undefined
  buckets: TimelineData['buckets']
  countries: Ranking
  referrers: Ranking
  browsers: Ranking
  devices: Ranking
  /** The links of a bundle with clicks, the most clicked first. */
  /** A slug of another domain than the default one has its host before it. */
  links: { title: string; slug: string; count: number }[]
  linkCount: number
}

/** The top of a list, and the number of all its values. */
export interface Ranking {
  items: NameCount[]
  total: number
}

const MAX_LINKS = 10

/** The statistics behind a secret; undefined if it is unknown or revoked. */
export async function readSharedStats(
  context: Context,
  secret: string,
  range: Range,
): Promise<SharedStats | undefined> {
  const subject = await findSharedSubject(context.database.read, secret)
  if (!subject) return undefined
  return readStats(context, { range }, (db, view) =>
    'link_id' in subject
      ? readLinkPage(db, subject.link_id, view, context.origin)
      : readBundlePage(db, subject.bundle_id, view),
  )
}

/** Undefined for a link that was deleted meanwhile. */
async function readLinkPage(
  db: Db,
  id: number,
  view: View,
  origin: string,
): Promise<SharedStats | undefined> {
  const link = await findLinkRow(db.read, id)
  if (!link) return undefined
  const { stats } = await readClickStats(db, [id], view)
  const address = shortUrl(origin, link.primary_slug).replace(/^https?:\/\//, '')
  return {
    kind: 'link',
    title: link.label ?? address,
    address: link.label === null ? null : address,
    ...publicStats(stats, view),
    buckets: (await readTimeline(db, [id], view)).buckets,
    links: [],
    linkCount: 1,
  }
}

async function readBundlePage(db: Db, id: number, view: View): Promise<SharedStats | undefined> {
  const bundle = await findBundleRow(db.read, id)
  if (!bundle) return undefined
  const stats = await readBundleStats(db, bundle, view)
  return {
    kind: 'bundle',
    title: bundle.name,
    address: null,
    ...publicStats(stats, view),
    buckets: stats.timeline.buckets,
    links: stats.per_link
      .filter(({ click_count }) => click_count > 0)
      .slice(0, MAX_LINKS)
      .map(({ label, primary_slug, domain = null, click_count: count }) => {
        const slug = slugKey(domain, primary_slug)
        return { title: label ?? slug, slug, count }
      }),
    linkCount: stats.link_count,
  }
}

function publicStats(stats: ClickStats, { range, now }: View) {
  return {
    range,
    now,
    clicks: stats.total_clicks,
    change: stats.delta_pct,
    visitors: stats.total_clicks > 0 ? stats.unique_visitors || undefined : 0,
    countries: { items: stats.countries, total: stats.num_countries },
    referrers: { items: stats.referrer_hosts, total: stats.num_referrer_hosts },
    browsers: { items: stats.browsers, total: stats.num_browsers },
    devices: { items: stats.devices, total: stats.devices.length },
  }
}
