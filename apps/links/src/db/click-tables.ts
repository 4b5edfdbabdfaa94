import type { Generated } from 'kysely'

export interface ClickTable {
  id: Generated<number>
  link_id: number
  slug: string
  clicked_at: number
  referrer: string | null
  referrer_host: string | null
  country: string | null
  device_type: string | null
  os: string | null
  browser: string | null
  link_mode: string
  channel: string
  utm_source: string | null
  utm_medium: string | null
  utm_campaign: string | null
  utm_term: string | null
  utm_content: string | null
  user_agent: string | null
  is_bot: number
  is_self_referrer: number
  visitor_fp: string | null
  /** The number of the rule and the part that chose the destination; null for the link's URL. */
  variant: string | null
  /** The legacy path that the visitor came by; null for a slug. */
  legacy_path: string | null
}

/**
 * All clicks, and three subsets of them, from which every combination of viewer filters can be
 * computed.
 */
export interface ClickCounts {
  clicks: number
  bots: number
  self_referrers: number
  bot_self_referrers: number
}

/** Clicks of one slug in one UTC hour. */
export interface ClickHourTable extends ClickCounts {
  link_id: number
  slug: string
  /** Unix seconds of the start of the hour. */
  hour: number
}

/** `10d` are the thirds of a month: its first ten days, the next ten, and the rest. */
export type PeriodUnit = 'hour' | '6h' | 'day' | '10d' | 'month' | 'quarter'

/** A UTC period of a link with complete rollups. Link 0 is the whole instance. */
export interface ClickPeriodTable extends ClickCounts {
  link_id: number
  unit: PeriodUnit
  /** Unix seconds of the start of the period. */
  start: number
  /**
   * Distinct visitors of a link's day or month, or clicked links of the instance, among the clicks
   * that pass each filter.
   */
  distinct_raw: number
  distinct_no_bots: number
  distinct_no_self: number
  distinct_neither: number
  /**
   * The stamp of the due row at the time of the rollup. While it is the same, the rollups are
   * valid.
   */
  stamp: number
}

/** All clicks of the instance in a period, as columns. */
export interface ClickBlockTable {
  unit: PeriodUnit
  start: number
  clicks: number
  /** The stamp of the period in `click_period` whose clicks the block has. */
  stamp: number
  /** Written and read by `rollups/blocks/block.ts`. */
  data: Uint8Array
}

/** The clicked links of the instance in a period, and its visitors. */
export interface ClickLinkTable extends Pick<
  ClickPeriodTable,
  `distinct_${string}` & keyof ClickPeriodTable
> {
  unit: PeriodUnit
  start: number
  /** The links and the four counts of each. Written and read by `rollups/link-tally.ts`. */
  links: Uint8Array
}

/** Clicks of a link in a period by the values of a dimension. */
export interface ClickSumTable {
  link_id: number
  unit: PeriodUnit
  start: number
  dimension: string
  /**
   * The keys of the values and the four counts of each. Written and read by
   * `rollups/value-counts.ts`.
   */
  sums: Uint8Array
  /** A JSON array in the same order; empty for visitors, which have no names. */
  names: string
}

/**
 * Clicks of one slug in one UTC hour by one value of a dimension, kept after the raw clicks are
 * deleted.
 */
export interface ClickForgottenTable extends ClickCounts {
  link_id: number
  slug: string
  hour: number
  dimension: string
  name: string
}
