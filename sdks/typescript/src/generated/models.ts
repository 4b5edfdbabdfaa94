// Made from the OpenAPI document by `npm run sdks`; changes made here are lost.

/** A window that ends now, exact to the second. */
export type Range = '24h' | '7d' | '30d' | '90d' | '1y' | 'all'

export interface NewLink {
  /**
   * Target of the link: an absolute http or https URL.
   * At most 2048 characters.
   */
  url: string
  /**
   * Custom slug. Upper-case letters are lower-cased.
   * At most 128 characters.
   */
  slug?: string | undefined
  /**
   * Another name of `slug`.
   * At most 128 characters.
   */
  custom_slug?: string | undefined
  /**
   * Format characters are dropped, but for joiners.
   * At most 500 characters.
   */
  label?: string | null | undefined
  /**
   * Length of the automatic slug.
   * 3 to 128.
   */
  slug_length?: number | undefined
  /** Unix seconds. */
  expires_at?: number | null | undefined
  /** Make a new link even where the URL has one. */
  allow_duplicate?: boolean | undefined
}

export interface ListLinksQuery {
  /** Exactly this owner; empty for anyone. */
  owner?: string | undefined
  range?: Range | undefined
  /**
   * Part of the label, URL, owner or any slug, in any case.
   * At most 256 characters.
   */
  search?: string | undefined
  /** `all` unless given. */
  status?: 'active' | 'disabled' | 'expired' | 'all' | undefined
  /** `created` unless given. */
  sort?: 'created' | 'clicks' | undefined
  /**
   * 1 to 1000.
   * `1000` unless given.
   */
  limit?: number | undefined
  /** From the `Link` header of the page before. */
  cursor?: string | undefined
}

export interface GetLinkQuery {
  range?: Range | undefined
}

export interface LinkChanges {
  /**
   * Target of the link: an absolute http or https URL.
   * At most 2048 characters.
   */
  url?: string | undefined
  /**
   * Custom slug. Upper-case letters are lower-cased.
   * At most 128 characters.
   */
  slug?: string | undefined
  /**
   * Format characters are dropped, but for joiners.
   * At most 500 characters.
   */
  label?: string | null | undefined
  /** Unix seconds. */
  expires_at?: number | null | undefined
}

export interface DeleteLinkQuery {
  /** Delete even with clicks; they are deleted too. */
  force?: boolean | undefined
}

export interface AddSlugBody {
  /**
   * Custom slug. Upper-case letters are lower-cased.
   * At most 128 characters.
   */
  slug: string
}

export interface AddSlugToLinkBody {
  /** The `id` of a link. */
  link_id: number
  /**
   * Custom slug. Upper-case letters are lower-cased.
   * At most 128 characters.
   */
  slug: string
}

export interface GetLinkBySlugQuery {
  range?: Range | undefined
}

export interface RemoveSlugBySlugQuery {
  /** Delete even with clicks; they are deleted too. */
  force?: boolean | undefined
}

export interface RemoveSlugQuery {
  /** Delete even with clicks; they are deleted too. */
  force?: boolean | undefined
}

export interface ListBundlesQuery {
  /**
   * 1 to 1000.
   * `1000` unless given.
   */
  limit?: number | undefined
  /** From the `Link` header of the page before. */
  cursor?: string | undefined
  /** `true`, `1` or `only` for archived bundles only, `all` for both; else active ones. */
  archived?: '1' | 'true' | 'only' | 'all' | undefined
  /** `all` unless given. */
  range?: Range | undefined
}

export interface NewBundle {
  /** At most 120 characters. */
  name: string
  /** At most 2000 characters. */
  description?: string | null | undefined
  /** At most 64 characters. */
  icon?: string | null | undefined
  /** `orange` unless given. */
  accent?: 'orange' | 'red' | 'green' | 'blue' | 'purple' | undefined
}

export interface GetBundleQuery {
  /** `all` unless given. */
  range?: Range | undefined
}

export interface BundleChanges {
  /** At most 120 characters. */
  name?: string | undefined
  /** At most 2000 characters. */
  description?: string | null | undefined
  /** At most 64 characters. */
  icon?: string | null | undefined
  accent?: 'orange' | 'red' | 'green' | 'blue' | 'purple' | undefined
}

export interface ListBundleLinksQuery {
  /**
   * 1 to 1000.
   * `1000` unless given.
   */
  limit?: number | undefined
  /** From the `Link` header of the page before. */
  cursor?: string | undefined
}

export interface AddLinkToBundleBody {
  /** The `id` of a link. */
  link_id: number
}

export interface GetLinkAnalyticsQuery {
  /** `all` unless given. */
  range?: Range | undefined
  /**
   * Time zone by whose calendar clicks are grouped; it never moves the window.
   * `UTC` unless given.
   */
  tz?: string | undefined
}

export interface GetLinkTimelineQuery {
  /** `all` unless given. */
  range?: Range | undefined
  /**
   * Time zone by whose calendar clicks are grouped; it never moves the window.
   * `UTC` unless given.
   */
  tz?: string | undefined
}

export interface GetLinkBreakdownQuery {
  /** `all` unless given. */
  range?: Range | undefined
  dimension:
    | 'countries'
    | 'referrers'
    | 'referrer_hosts'
    | 'os'
    | 'browsers'
    | 'utm_sources'
    | 'utm_mediums'
    | 'utm_campaigns'
    | 'devices'
    | 'link_modes'
    | 'channels'
  /** `0` unless given. */
  offset?: number | undefined
  /**
   * 1 to 100.
   * `10` unless given.
   */
  limit?: number | undefined
}

export interface GetBundleAnalyticsQuery {
  /** `all` unless given. */
  range?: Range | undefined
  /**
   * Time zone by whose calendar clicks are grouped; it never moves the window.
   * `UTC` unless given.
   */
  tz?: string | undefined
}

export interface GetBundleBreakdownQuery {
  /** `all` unless given. */
  range?: Range | undefined
  dimension:
    | 'countries'
    | 'referrers'
    | 'referrer_hosts'
    | 'os'
    | 'browsers'
    | 'utm_sources'
    | 'utm_mediums'
    | 'utm_campaigns'
    | 'devices'
    | 'link_modes'
    | 'channels'
  /** `0` unless given. */
  offset?: number | undefined
  /**
   * 1 to 100.
   * `10` unless given.
   */
  limit?: number | undefined
}

export interface GetLinkQrQuery {
  /**
   * A slug of this link, enabled or not; the primary one by default.
   * At most 128 characters.
   */
  slug?: string | undefined
  /**
   * Pixels.
   * 1 to 2048.
   * `220` unless given.
   */
  size?: number | undefined
  /** Without it, `Accept: image/png` chooses PNG, else SVG. */
  format?: 'svg' | 'png' | undefined
  /**
   * Error correction.
   * `M` unless given.
   */
  level?: 'L' | 'M' | 'Q' | 'H' | undefined
  /**
   * Quiet zone in modules.
   * 0 to 16.
   * `4` unless given.
   */
  margin?: number | undefined
  /** `000000` unless given. */
  dark?: string | undefined
  /** `ffffff` unless given. */
  light?: string | undefined
}

export interface Link {
  id: number
  url: string
  label: string | null
  /** Unix seconds; from then on the link does not redirect. */
  expires_at: number | null
  /** Unix seconds; set while the link is disabled. */
  disabled_at: number | null
  created_via: string | null
  /** Identity of the owner. */
  created_by: string
  created_at: number
  /** The first is always the automatic slug. */
  slugs: Slug[]
  /** Raw clicks: lifetime, or in the window when `range` is given. */
  total_clicks: number
  /** Change in percent against the preceding window; missing when nothing was clicked in it. */
  delta_pct?: number
  /** Public origin of short URLs, such as `https://go.example.com`: they are this, a slash and a slug. */
  short_origin: string
  duplicate?: true
  duplicate_count?: number
}

export interface Slug {
  link_id: number
  slug: string
  is_custom: 0 | 1
  is_primary: 0 | 1
  /** Raw clicks: lifetime, or in the window when `range` is given. */
  click_count: number
  created_at: number
  disabled_at: number | null
}

export interface DeleteLinkResult {
  deleted: true
}

export interface GetConfigResult {
  /** Public origin of short URLs, such as `https://go.example.com`: they are this, a slash and a slug. */
  short_origin: string
}

export interface RemoveSlugBySlugResult {
  removed: true
}

export interface RemoveSlugResult {
  removed: true
}

export interface BundleWithSummary {
  id: number
  name: string
  description: string | null
  icon: string | null
  accent: 'orange' | 'red' | 'green' | 'blue' | 'purple'
  /** Unix seconds; set while the bundle is archived. */
  archived_at: number | null
  created_via: string | null
  /** Identity of the owner. */
  created_by: string
  created_at: number
  updated_at: number
  link_count: number
  /** Raw clicks of all members in the window. */
  total_clicks: number
  /** Change in percent against the preceding window; missing when nothing was clicked in it. */
  delta_pct?: number
  /** Clicks by hour (24h), day (7d, 30d, 90d) or month (1y, all), in UTC; they add up to the total. */
  sparkline: number[]
  /**
   * The most clicked members; those without clicks are left out.
   * At most 3.
   */
  top_links: TopLink[]
}

export interface TopLink {
  /** The primary slug. */
  slug: string
  click_count: number
}

export interface Bundle {
  id: number
  name: string
  description: string | null
  icon: string | null
  accent: 'orange' | 'red' | 'green' | 'blue' | 'purple'
  /** Unix seconds; set while the bundle is archived. */
  archived_at: number | null
  created_via: string | null
  /** Identity of the owner. */
  created_by: string
  created_at: number
  updated_at: number
}

export interface DeleteBundleResult {
  deleted: true
}

export interface AddLinkToBundleResult {
  added: true
}

export interface RemoveLinkFromBundleResult {
  removed: boolean
}

export interface ClickStats {
  total_clicks: number
  /** Change in percent against the preceding window; missing when nothing was clicked in it. */
  delta_pct?: number
  /** One per visitor and UTC day. */
  unique_visitors: number
  /** At most 10. */
  countries: NameCount[]
  /** At most 10. */
  referrers: NameCount[]
  /** At most 10. */
  referrer_hosts: NameCount[]
  /** At most 10. */
  os: NameCount[]
  /** At most 10. */
  browsers: NameCount[]
  /** At most 10. */
  utm_sources: NameCount[]
  /** At most 10. */
  utm_mediums: NameCount[]
  /** At most 10. */
  utm_campaigns: NameCount[]
  devices: NameCount[]
  link_modes: NameCount[]
  channels: NameCount[]
  /**
   * The latest days in the window that have clicks, ascending.
   * At most 30.
   */
  clicks_over_time: DateCount[]
  slug_clicks: SlugCount[]
  num_countries: number
  num_referrers: number
  num_referrer_hosts: number
  num_os: number
  num_browsers: number
}

export interface NameCount {
  name: string
  count: number
}

export interface DateCount {
  /** YYYY-MM-DD */
  date: string
  count: number
}

export interface SlugCount {
  slug: string
  count: number
}

export interface TimelineData {
  range: Range
  /** One per calendar unit that touches the window; they add up to its total. */
  buckets: Bucket[]
  summary: Summary
}

export interface Bucket {
  label: string
  count: number
}

export interface Summary {
  last_24h: number
  last_7d: number
  last_30d: number
  last_90d: number
  last_1y: number
}

export interface Breakdown {
  items: NameCount[]
  /** Number of distinct values. */
  total: number
}

export interface BundleStats {
  total_clicks: number
  /** Change in percent against the preceding window; missing when nothing was clicked in it. */
  delta_pct?: number
  /** One per visitor and UTC day. */
  unique_visitors: number
  /** At most 10. */
  countries: NameCount[]
  /** At most 10. */
  referrers: NameCount[]
  /** At most 10. */
  referrer_hosts: NameCount[]
  /** At most 10. */
  os: NameCount[]
  /** At most 10. */
  browsers: NameCount[]
  /** At most 10. */
  utm_sources: NameCount[]
  /** At most 10. */
  utm_mediums: NameCount[]
  /** At most 10. */
  utm_campaigns: NameCount[]
  devices: NameCount[]
  link_modes: NameCount[]
  channels: NameCount[]
  /**
   * The latest days in the window that have clicks, ascending.
   * At most 30.
   */
  clicks_over_time: DateCount[]
  slug_clicks: SlugCount[]
  num_countries: number
  num_referrers: number
  num_referrer_hosts: number
  num_os: number
  num_browsers: number
  bundle: Bundle
  link_count: number
  clicked_links: number
  top_performer?: Performer
  countries_reached: number
  top_country?: BundleStatsTopCountry
  timeline: TimelineData
  /** Every member, the most clicked first; those without clicks last. */
  per_link: MemberClicks[]
}

export interface Performer {
  /** The primary slug. */
  slug: string
  label: string | null
  click_count: number
  /** Percent of all clicks of the bundle in the window. */
  pct_of_bundle: number
}

export interface BundleStatsTopCountry {
  name: string
  /** Percent of all clicks of the bundle in the window. */
  pct: number
}

export interface MemberClicks {
  link_id: number
  label: string | null
  primary_slug: string
  url: string
  click_count: number
  /** Percent of all clicks of the bundle in the window. */
  pct_of_bundle: number
  delta_pct?: number
}
