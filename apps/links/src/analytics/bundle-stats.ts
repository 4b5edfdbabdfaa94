import type { Database } from '@latchkey/database/database'
import { readClickStats, readTimeline, type View } from './stats.ts'
import { delta, percentage, sum } from '../time/window.ts'
import type { Tables } from '../db/tables.ts'
import { parseSlugKey } from '../urls/slug.ts'
import type { BundleStats } from './bundle-stats-schema.ts'
import { type BundleRow, type Member, findMembers, toBundle } from '../bundles/store.ts'

/**
 * BundleStats of a bundle (L14.7). Run it in a `snapshot`: all numbers then describe one moment.
 */
export async function readBundleStats(
  db: Database<Tables>,
  bundle: BundleRow,
  view: View,
): Promise<BundleStats> {
  const members = await findMembers(db, bundle.id)
  const ids = members.map((member) => member.link_id)
  const { stats, clicks } = await readClickStats(db, ids, view)
  const total = stats.total_clicks
  const share = (count: number) => (total === 0 ? 0 : percentage(count, total))
  const slugsOf = Map.groupBy(clicks.slugs, (slug) => slug.link_id)
  const memberStats = members
    .map((member) => {
      const count = sum((slugsOf.get(member.link_id) ?? []).map((slug) => slug.clicks))
      return memberClicks(member, { count, previous: clicks.previous?.get(member.link_id), share })
    })
    .toSorted((a, b) => b.click_count - a.click_count || a.link_id - b.link_id)
  const [best] = memberStats
  const [country] = stats.countries
  return {
    ...stats,
    bundle: toBundle(bundle),
    link_count: members.length,
    clicked_links: memberStats.filter((link) => link.click_count > 0).length,
    ...(best && best.click_count > 0
      ? {
          top_performer: {
            slug: best.primary_slug,
            ...(best.domain !== undefined && { domain: best.domain }),
            label: best.label,
            click_count: best.click_count,
            pct_of_bundle: best.pct_of_bundle,
          },
        }
      : {}),
    countries_reached: stats.num_countries,
    ...(country ? { top_country: { name: country.name, pct: share(country.count) } } : {}),
    timeline: await readTimeline(db, ids, view),
    per_link: memberStats,
  }
}

function memberClicks(
  { link_id, label, primary_slug, url }: Member,
  {
    count,
    previous,
    share,
  }: { count: number; previous: number | undefined; share: (count: number) => number },
): BundleStats['per_link'][number] {
  const { slug, domain } = parseSlugKey(primary_slug)
  return {
    link_id,
    label,
    primary_slug: slug,
    ...(domain !== undefined && { domain }),
    url,
    click_count: count,
    pct_of_bundle: share(count),
    ...delta('delta_pct', count, previous),
  }
}
