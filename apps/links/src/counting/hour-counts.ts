import { hourOf } from '../time/window.ts'
import type { ClassifiedClick } from '../clicks/click.ts'

/** Clicks of one slug in one hour, as the tables of hours store them. */
export interface HourCount {
  linkId: number
  slug: string
  hour: number
  clicks: number
  bots: number
  selfReferrers: number
  botSelfReferrers: number
}

/**
 * Counts a batch by slug and hour, in key order: adjacent rows share pages, and all nodes lock rows
 * in the same order.
 */
export function countByHour(clicks: readonly ClassifiedClick[]): HourCount[] {
  const counts = new Map<string, HourCount>()
  for (const { linkId, slug, clickedAt, isBot, isSelfReferrer } of clicks) {
    const hour = hourOf(clickedAt)
    const key = `${hour} ${linkId} ${slug}`
    let count = counts.get(key)
    if (!count) {
      count = { linkId, slug, hour, clicks: 0, bots: 0, selfReferrers: 0, botSelfReferrers: 0 }
      counts.set(key, count)
    }
    count.clicks++
    count.bots += isBot
    count.selfReferrers += isSelfReferrer
    count.botSelfReferrers += isBot & isSelfReferrer
  }
  return [...counts.values()].toSorted(
    (a, b) => a.linkId - b.linkId || a.hour - b.hour || compare(a.slug, b.slug),
  )
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
