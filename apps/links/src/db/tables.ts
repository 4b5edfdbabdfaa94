import type { Generated } from 'kysely'

/** Times are integer Unix seconds, UTC. Flags are 0 or 1. */
export interface Tables {
  link: LinkTable
  slug: SlugTable
  retired_slug: { slug: string }
  domain: DomainTable
  bundle: BundleTable
  bundle_link: { bundle_id: number; link_id: number }
  api_key: ApiKeyTable
  preference: PreferenceTable
  instance: { name: string; value: string }
  link_clicks: LinkClicksTable
  /** Label, URL, owner and slugs of a link, folded. Maintained by the database. */
  link_search: { link_id: number; doc: string }
  /** Maintained by the database, in parts that add up. */
  link_count: { created_by: string; source: string; part: number; links: number }
  /** Links created on each UTC day. Maintained by the database, in parts that add up. */
  link_day: { start: number; part: number; links: number }
  click: ClickTable
  counted_slug: Omit<SlugTable, `closed_${keyof ClickCounts}` | 'added_by'> & ClickCounts
  click_hour: ClickHourTable
  click_hour_open: ClickHourTable
  click_hour_closed: ClickHourTable
  click_period: ClickPeriodTable
  click_sum: ClickSumTable
  click_link: ClickLinkTable
  click_block: ClickBlockTable
  click_due: { unit: PeriodUnit; start: number; stamp: number }
  click_forgotten: ClickForgottenTable
  journal_cursor: { journal_id: string; seq: number }
  /**
   * Random salts by the start of a UTC day. With a salt, addresses can be tested against that day's
   * visitor hashes.
   */
  visitor_salt: { day: number; salt: string }
  imported_file: { sha256: string; imported_at: number }
  favicon: FaviconTable
  stats_share: StatsShareTable
  /** JSON of `BehaviourDocument`. */
  link_behaviour: { link_id: number; document: string }
  link_limit: LinkLimitTable
  link_password: { link_id: number; hash: string }
}

/** What administrators set for a short domain (L31.1). */
export interface DomainTable {
  /** Empty for the default domain. */
  host: string
  root_url: string | null
  not_found_url: string | null
  /** Null: `LINKS_REDIRECT_STATUS`. */
  status: number | null
  robots: 'allow' | 'disallow'
  /** The host of the domain with whose slugs it answers as well; empty for the default domain. */
  also_of: string | null
  /** JSON of the files below `/.well-known/` by their names. */
  well_known: string | null
}

/** A public address of the statistics of either a link or a bundle. Its owner has the secret. */
export interface StatsShareTable {
  secret_hash: string
  link_id: number | null
  bundle_id: number | null
  created_at: number
}

/** A cache of the icons of destinations, which backups and archives leave out. */
export interface FaviconTable {
  /** With the port, if the URL has one. */
  host: string
  /** Null, like `bytes`, if the site has no icon. */
  type: string | null
  bytes: Uint8Array | null
  fetched_at: number
}

export interface LinkTable {
  id: Generated<number>
  url: string
  /**
   * 53 bits of the URL's hash. An index over long URLs would be as large as the links, and
   * PostgreSQL refuses it.
   */
  url_key: number
  /** Host of the URL, lower case, with a port other than the usual one. */
  host: string
  label: string | null
  expires_at: number | null
  disabled_at: number | null
  created_via: string | null
  created_by: string
  created_at: number
  primary_slug: string
  /** Label, URL and owner, folded: the engines fold letters beyond ASCII differently. */
  search_text: string
  /** One more with each write of the link or of what belongs to it (L25.3). */
  version: Generated<number>
  /** The compiled behaviour; null for a link that leads every visitor to its URL. */
  behaviour: Generated<string | null>
  /** Host of the domain with all slugs of the link; null for the default domain. */
  domain: Generated<string | null>
}

/** Counts the visitors of a link that lets a maximum through. */
export interface LinkLimitTable {
  link_id: number
  max_clicks: number
  used: number
}

export interface SlugTable {
  /** A `slugKey`, as in every other table. */
  slug: string
  link_id: number
  is_custom: number
  created_at: number
  disabled_at: number | null
  /**
   * The identity that added the slug to a link of another owner; null for slugs of the link's
   * owner.
   */
  added_by: Generated<string | null>
  /**
   * Clicks of closed hours. With those of open hours they are the lifetime counts in
   * `counted_slug`.
   */
  closed_clicks: Generated<number>
  closed_bots: Generated<number>
  closed_self_referrers: Generated<number>
  closed_bot_self_referrers: Generated<number>
}

/**
 * Clicks of a link in closed hours, for each combination of viewer filters. Maintained by the
 * database.
 */
export interface LinkClicksTable {
  link_id: number
  created_at: number
  clicks_raw: number
  clicks_no_bots: number
  clicks_no_self: number
  clicks_neither: number
}

export interface BundleTable {
  id: Generated<number>
  name: string
  description: string | null
  icon: string | null
  accent: string
  archived_at: number | null
  created_via: string | null
  created_by: string
  created_at: number
  updated_at: number
  /** The name, folded for search. */
  search_text: string
}

export interface ApiKeyTable {
  id: Generated<number>
  title: string
  key_prefix: string
  key_hash: string
  scope: string
  identity: string
  created_at: number
  last_used_at: number | null
}

export interface PreferenceTable {
  identity: string
  slug_default_length: Generated<number>
  theme: string | null
  lang: string | null
  /** IANA name. Null: the browser's. */
  time_zone: string | null
  default_range: Generated<string>
  filter_bots: Generated<number>
  filter_self_referrers: Generated<number>
  /** Saved views of the list of links: JSON of `ListView[]`. */
  list_views: Generated<string>
}

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
  /** That of the period in `click_period` whose clicks the block has. */
  stamp: number
  /** Written and read by `analytics/rollups/blocks/block.ts`. */
  data: Uint8Array
}

/** The clicked links of the instance in a period, and its visitors. */
export interface ClickLinkTable extends Pick<
  ClickPeriodTable,
  `distinct_${string}` & keyof ClickPeriodTable
> {
  unit: PeriodUnit
  start: number
  /** The links and the four counts of each. Written and read by `analytics/rollups/link-tally.ts`. */
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
   * `analytics/rollups/value-counts.ts`.
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
