// Made from the OpenAPI document by `npm run sdks`; changes made here are lost.

/** A window that ends now, exact to the second. */
export type Range = '24h' | '7d' | '30d' | '90d' | '1y' | 'all'

export type EventType =
  | 'link.created'
  | 'link.updated'
  | 'link.disabled'
  | 'link.enabled'
  | 'link.transferred'
  | 'link.deleted'
  | 'bundle.created'
  | 'bundle.updated'
  | 'bundle.archived'
  | 'bundle.unarchived'
  | 'bundle.transferred'
  | 'bundle.deleted'
  | 'bundle.link_added'
  | 'bundle.link_removed'
  | 'link.clicked'
  | 'link.expired'
  | 'link.limit_reached'
  | 'link.imported'
  | 'plan.pending'

export interface NewLink {
  /**
   * Destination of the link: an absolute http or https URL.
   * At most 2048 characters.
   */
  url: string
  /**
   * Custom slug. Upper-case letters are lower-cased.
   * At most 128 characters.
   */
  slug?: string | undefined
  /**
   * Same as `slug`.
   * At most 128 characters.
   */
  custom_slug?: string | undefined
  /**
   * Format characters other than joiners are removed.
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
  /** Create a new link even if one exists for the URL. */
  allow_duplicate?: boolean | undefined
}

export interface ListLinksQuery {
  /** The exact owner; empty for all owners. */
  owner?: string | undefined
  /**
   * Words in any order. Each is a part of the label, URL, owner, a slug or the name of a bundle with the link, in any case.
   * At most 256 characters.
   */
  search?: string | undefined
  /**
   * The exact host of the destination.
   * At most 261 characters.
   */
  host?: string | undefined
  /**
   * Host of a short domain; without it, links of all domains.
   * At most 253 characters.
   */
  domain?: string | undefined
  /** The id of a bundle. */
  bundle?: number | undefined
  /** Only links that are in no bundle. */
  no_bundle?: boolean | undefined
  /** Unix seconds; links that were changed since. */
  updated_since?: number | undefined
  /** Unix seconds; links that were created before, and not clicked since. */
  unused_since?: number | undefined
  range?: Range | undefined
  /**
   * Only links in this state.
   * `all` unless given.
   */
  status?: 'active' | 'disabled' | 'expired' | 'all' | undefined
  /**
   * The newest, most or latest first. `last_click` is by the hour.
   * `created` unless given.
   */
  sort?: 'created' | 'clicks' | 'updated' | 'last_click' | undefined
  /**
   * The most entries of an answer.
   * 1 to 1000.
   * `1000` unless given.
   */
  limit?: number | undefined
  /** The cursor from the `Link` header of the previous page. */
  cursor?: string | undefined
}

export interface GetLinkQuery {
  range?: Range | undefined
}

export interface LinkChanges {
  /**
   * Destination of the link: an absolute http or https URL.
   * At most 2048 characters.
   */
  url?: string | undefined
  /**
   * Custom slug. Upper-case letters are lower-cased.
   * At most 128 characters.
   */
  slug?: string | undefined
  /**
   * Format characters other than joiners are removed.
   * At most 500 characters.
   */
  label?: string | null | undefined
  /** Unix seconds. */
  expires_at?: number | null | undefined
}

export interface DeleteLinkQuery {
  /** Delete even if there are clicks, and delete them too. */
  force?: boolean | undefined
}

export interface BulkLinks {
  /**
   * `each`: an item that fails leaves the others. `all`: if one fails, nothing is created, and the error names the item.
   * `each` unless given.
   */
  mode?: 'each' | 'all' | undefined
  /**
   * Links, each as the body of `POST /links`.
   * At least 1.
   * At most 1000.
   */
  items: NewLink[]
}

export interface BulkChanges {
  /**
   * Either these links …
   * At least 1.
   * At most 1000.
   */
  ids?: number[] | undefined
  /** … or those that match, newest first, at most 5000. */
  filter?: LinkFilter | undefined
  set: BulkChangesSet
}

export interface NewBehaviour {
  /**
   * The first rule whose conditions all hold decides.
   * At least 1.
   * At most 32.
   */
  rules?: BehaviourRule[] | undefined
  /**
   * Where the link leads if no rule decides.
   * At least 2.
   * At most 10.
   */
  split?: BehaviourPart[] | undefined
  /** `day`: a visitor gets the same part all day, without a cookie; `visit`: a new part each time. */
  sticky?: 'day' | 'visit' | undefined
  /** Unix seconds. */
  starts_at?: number | undefined
  /**
   * Where the link leads before `starts_at`.
   * At most 2048 characters.
   */
  before_url?: string | undefined
  /**
   * Where the link leads once it is expired or used up.
   * At most 2048 characters.
   */
  after_url?: string | undefined
  /** How many people get through, counted from when this number was set. */
  max_clicks?: number | undefined
  /** A GET shows a page with a button, and only pressing it uses a place of `max_clicks` up: for links in mail, which scanners open with the agents of browsers. */
  confirm_visit?: true | undefined
  /** Which parameters of the short URL are added to the destination; `none` by default. */
  forward_query?: 'none' | 'utm' | 'all' | undefined
  /** What follows the slug, as in `/pr/123`, fills the destination: `{path}` is all of it, `{1}` to `{9}` are its segments. */
  parameters?: true | undefined
  /** A new password. Left out or `true` keeps the present one, null removes it. */
  password?: true | string | null | undefined
}

export interface PromoteVariantBody {
  /**
   * As in the breakdown by variant: `0.2` is the second part of the split without a rule.
   * At most 10 characters.
   */
  variant: string
}

export interface ExplainLinkQuery {
  /** Unix seconds; now by default. */
  at?: number | undefined
  /**
   * The `User-Agent` of the visitor; empty for none.
   * At most 2048 characters.
   */
  user_agent?: string | undefined
  /**
   * The country of the visitor; empty for an unknown one.
   * At most 2 characters.
   */
  country?: string | undefined
  /**
   * The `Accept-Language` of the visitor, such as `sv` or `pt-BR,en;q=0.8`; empty for none.
   * At most 2048 characters.
   */
  language?: string | undefined
  /**
   * The page that the visitor comes from; empty for none.
   * At most 2048 characters.
   */
  referrer?: string | undefined
  /**
   * The query of the short URL, such as `utm_source=mail`; none by default.
   * At most 8192 characters.
   */
  query?: string | undefined
  /**
   * What follows the slug, such as `123` of `/pr/123`, for a link with `parameters`.
   * At most 8192 characters.
   */
  path?: string | undefined
  /** GET by default; POST enters the right password, or presses the button of a link with a limit. */
  method?: 'GET' | 'HEAD' | 'POST' | undefined
  /**
   * Host of a short domain; the default domain if it is left out.
   * At most 253 characters.
   */
  domain?: string | undefined
}

export interface ExplainSlugQuery {
  /** Unix seconds; now by default. */
  at?: number | undefined
  /**
   * The `User-Agent` of the visitor; empty for none.
   * At most 2048 characters.
   */
  user_agent?: string | undefined
  /**
   * The country of the visitor; empty for an unknown one.
   * At most 2 characters.
   */
  country?: string | undefined
  /**
   * The `Accept-Language` of the visitor, such as `sv` or `pt-BR,en;q=0.8`; empty for none.
   * At most 2048 characters.
   */
  language?: string | undefined
  /**
   * The page that the visitor comes from; empty for none.
   * At most 2048 characters.
   */
  referrer?: string | undefined
  /**
   * The query of the short URL, such as `utm_source=mail`; none by default.
   * At most 8192 characters.
   */
  query?: string | undefined
  /**
   * What follows the slug, such as `123` of `/pr/123`, for a link with `parameters`.
   * At most 8192 characters.
   */
  path?: string | undefined
  /** GET by default; POST enters the right password, or presses the button of a link with a limit. */
  method?: 'GET' | 'HEAD' | 'POST' | undefined
  /**
   * Host of a short domain; the default domain if it is left out.
   * At most 253 characters.
   */
  domain?: string | undefined
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
  /**
   * Host of a short domain; the default domain if it is left out.
   * At most 253 characters.
   */
  domain?: string | undefined
}

export interface RemoveSlugBySlugQuery {
  /**
   * Host of a short domain; the default domain if it is left out.
   * At most 253 characters.
   */
  domain?: string | undefined
  /** Delete even if there are clicks, and delete them too. */
  force?: boolean | undefined
}

export interface RemoveSlugQuery {
  /** Delete even if there are clicks, and delete them too. */
  force?: boolean | undefined
}

export interface DisableSlugBySlugQuery {
  /**
   * Host of a short domain; the default domain if it is left out.
   * At most 253 characters.
   */
  domain?: string | undefined
}

export interface EnableSlugBySlugQuery {
  /**
   * Host of a short domain; the default domain if it is left out.
   * At most 253 characters.
   */
  domain?: string | undefined
}

export interface SetPrimarySlugBySlugQuery {
  /**
   * Host of a short domain; the default domain if it is left out.
   * At most 253 characters.
   */
  domain?: string | undefined
}

export interface ListLegacyPathsQuery {
  /**
   * Only this path, decoded; a slash before it is left out.
   * At most 512 characters.
   */
  path?: string | undefined
  /**
   * Host of a short domain; without it, legacy paths of all domains.
   * At most 253 characters.
   */
  domain?: string | undefined
  /** The cursor from the `Link` header of the previous page. */
  cursor?: string | undefined
  /**
   * The most entries of an answer.
   * 1 to 1000.
   * `100` unless given.
   */
  limit?: number | undefined
}

export interface DomainSettings {
  /**
   * Where `/` leads visitors; null for the landing page.
   * At most 2048 characters.
   * `null` unless given.
   */
  root_url?: string | null | undefined
  /**
   * Where short URLs that lead nowhere redirect; null for the 404 page.
   * At most 2048 characters.
   * `null` unless given.
   */
  not_found_url?: string | null | undefined
  /**
   * HTTP status of redirects; null for the one in the settings of the instance.
   * `null` unless given.
   */
  status?: 301 | 302 | 307 | 308 | null | undefined
  /**
   * Robots that `robots.txt` admits to short URLs: none, those that show previews of links, or all; null for the value in the settings of the instance.
   * `null` unless given.
   */
  robots?: 'disallow' | 'previews' | 'allow' | null | undefined
  /**
   * A domain with whose slugs this one answers as well; its own slugs win.
   * At most 253 characters.
   * `null` unless given.
   */
  alias_of?: string | null | undefined
  /**
   * Files below `/.well-known/`, by their names.
   * `{}` unless given.
   */
  well_known?: Record<string, unknown> | undefined
}

export interface ListBundlesQuery {
  /**
   * The most entries of an answer.
   * 1 to 1000.
   * `1000` unless given.
   */
  limit?: number | undefined
  /** The cursor from the `Link` header of the previous page. */
  cursor?: string | undefined
  /** `true`, `1` or `only` for archived bundles, `all` for all bundles; active bundles by default. */
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
   * The most entries of an answer.
   * 1 to 1000.
   * `1000` unless given.
   */
  limit?: number | undefined
  /** The cursor from the `Link` header of the previous page. */
  cursor?: string | undefined
}

export interface AddLinkToBundleBody {
  /** The `id` of a link. */
  link_id: number
}

export interface NewOwner {
  /**
   * The identity of the new owner.
   * At most 320 characters.
   */
  owner: string
  /** `true` if the new owner has not created anything on this instance yet. */
  confirm?: boolean | undefined
}

export interface ListLinkHistoryQuery {
  /** The cursor from the `Link` header of the previous page. */
  cursor?: string | undefined
  /**
   * The most entries of an answer.
   * 1 to 200.
   * `50` unless given.
   */
  limit?: number | undefined
}

export interface ListChangesQuery {
  /** The person who wrote: you by default. For administrators, everyone. */
  identity?: string | undefined
  /** Only changes through this channel. */
  via?: 'api' | 'app' | 'mcp' | 'import' | 'cli' | 'watch' | 'code' | undefined
  /** Only changes of this program, as in a change. */
  assistant?: string | undefined
  /** Unix seconds. */
  since?: number | undefined
  /** The cursor from the `Link` header of the previous page. */
  cursor?: string | undefined
  /**
   * The most entries of an answer.
   * 1 to 200.
   * `50` unless given.
   */
  limit?: number | undefined
}

export interface RestoreLinkBody {
  /** A change of the link. */
  change_id: number
}

export interface ChangesToUndo {
  /** Unix seconds. */
  since: number
  /** The person who wrote: you by default. For administrators who name an assistant, everyone. */
  identity?: string | undefined
  /** As in a change. */
  assistant?: string | undefined
  via?: 'api' | 'app' | 'mcp' | 'import' | 'cli' | 'watch' | 'code' | undefined
}

export interface NewPlan {
  /** At most 120 characters. */
  title?: string | undefined
  /**
   * At least 1.
   * At most 500.
   */
  ops: PlanOp[]
}

export interface ListPlansQuery {
  /** Only plans in this state. */
  state?: 'open' | 'applied' | 'discarded' | 'undone' | 'expired' | undefined
  /** The person for whom the changes were planned. */
  identity?: string | undefined
  /** The cursor from the `Link` header of the previous page. */
  cursor?: string | undefined
  /**
   * The most entries of an answer.
   * 1 to 200.
   * `50` unless given.
   */
  limit?: number | undefined
}

export interface GetLinkAnalyticsQuery {
  /** `all` unless given. */
  range?: Range | undefined
  /**
   * Time zone whose calendar groups the clicks; it never shifts the window.
   * `UTC` unless given.
   */
  tz?: string | undefined
}

export interface GetLinkTimelineQuery {
  /** `all` unless given. */
  range?: Range | undefined
  /**
   * Time zone whose calendar groups the clicks; it never shifts the window.
   * `UTC` unless given.
   */
  tz?: string | undefined
}

export interface GetLinkBreakdownQuery {
  /** `all` unless given. */
  range?: Range | undefined
  /** What to group the clicks by. */
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
    | 'variant'
  /**
   * Entries to leave out from the beginning.
   * `0` unless given.
   */
  offset?: number | undefined
  /**
   * The most entries of an answer.
   * 1 to 100.
   * `10` unless given.
   */
  limit?: number | undefined
}

export interface GetBundleAnalyticsQuery {
  /** `all` unless given. */
  range?: Range | undefined
  /**
   * Time zone whose calendar groups the clicks; it never shifts the window.
   * `UTC` unless given.
   */
  tz?: string | undefined
}

export interface GetBundleBreakdownQuery {
  /** `all` unless given. */
  range?: Range | undefined
  /** What to group the clicks by. */
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
    | 'variant'
  /**
   * Entries to leave out from the beginning.
   * `0` unless given.
   */
  offset?: number | undefined
  /**
   * The most entries of an answer.
   * 1 to 100.
   * `10` unless given.
   */
  limit?: number | undefined
}

export interface GetLinkQrQuery {
  /**
   * A slug of this link, enabled or disabled; the primary slug by default.
   * At most 128 characters.
   */
  slug?: string | undefined
  /** The image format. By default PNG for `Accept: image/png`, otherwise SVG. */
  format?: 'svg' | 'png' | 'pdf' | undefined
  /**
   * Width in pixels.
   * 1 to 2048.
   * `220` unless given.
   */
  size?: number | undefined
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
  /**
   * Colour of the modules, as RRGGBB.
   * `000000` unless given.
   */
  dark?: string | undefined
  /**
   * Colour of the background, as RRGGBB.
   * `ffffff` unless given.
   */
  light?: string | undefined
  /**
   * Shape of the modules.
   * `square` unless given.
   */
  shape?: 'square' | 'round' | undefined
  /**
   * Shape of the three large squares by which scanners find the code.
   * `square` unless given.
   */
  eyes?: 'square' | 'rounded' | 'circle' | undefined
  /**
   * Text of a frame below the code, which makes the image higher than wide; at most 30 Latin characters.
   * At most 30 characters.
   */
  frame?: string | undefined
}

export interface NewWebhook {
  /**
   * The receiver: an absolute http or https URL.
   * At most 2048 characters.
   */
  url: string
  /**
   * Types of events; none means all but `link.imported`.
   * At most 19.
   * `[]` unless given.
   */
  types?: EventType[] | undefined
  /**
   * Only events of this bundle and of the links in it.
   * `null` unless given.
   */
  bundle?: number | null | undefined
}

export interface WebhookChanges {
  /**
   * The receiver: an absolute http or https URL.
   * At most 2048 characters.
   */
  url?: string | undefined
  /**
   * Types of events; none means all but `link.imported`.
   * At most 19.
   */
  types?: EventType[] | undefined
  /** Only events of this bundle and of the links in it. */
  bundle?: number | null | undefined
  /** An enabled webhook continues with the events since it was disabled. */
  disabled?: boolean | undefined
}

export interface ReplayWebhookBody {
  /** The `seq` of the next event to deliver. A later one than the next skips those before it. */
  from: number
}

export interface ListWebhookDeliveriesQuery {
  /**
   * The most entries of an answer.
   * 1 to 100.
   * `20` unless given.
   */
  limit?: number | undefined
}

export interface ListEventsQuery {
  /** Events after this one: 0 for all that are stored; by default those that follow. */
  after?: number | undefined
  /** Types, separated by commas; all by default but `link.imported`, which stands for all that imports change. */
  types?: string | undefined
  /**
   * Seconds to wait for an event if there is none.
   * 0 to 25.
   * `0` unless given.
   */
  wait?: number | undefined
  /**
   * The most entries of an answer.
   * 1 to 500.
   * `100` unless given.
   */
  limit?: number | undefined
}

export interface Link {
  id: number
  url: string
  label: string | null
  /** Unix seconds; the link does not redirect from then on. */
  expires_at: number | null
  /** Unix seconds; set while the link is disabled. */
  disabled_at: number | null
  created_via: string | null
  /** Identity of the owner. */
  created_by: string
  created_at: number
  /** The slugs; the first is always the automatic slug. */
  slugs: Slug[]
  /** Raw clicks: of all time, or in the window if `range` is given. */
  total_clicks: number
  /** Change in percent from the previous period; absent if that had no clicks. */
  delta_pct?: number
  /** Public origin of short URLs, such as `https://go.example.com`. A short URL is this origin, a slash and a slug. */
  short_origin: string
  /** Host of the domain; absent on the default domain. */
  domain?: string
  /** Paths of another service that it answers as well; absent without any. */
  legacy_paths?: LegacyPath[]
  duplicate?: true
  duplicate_count?: number
}

export interface Slug {
  link_id: number
  slug: string
  /** Host of the domain; absent on the default domain. */
  domain?: string
  is_custom: 0 | 1
  is_primary: 0 | 1
  /** Raw clicks: of all time, or in the window if `range` is given. */
  click_count: number
  created_at: number
  disabled_at: number | null
}

export interface LegacyPath {
  /** Decoded, without its leading slash; matched exactly, with its case and slashes. */
  path: string
  /** The format of the file that it was imported from, such as `yourls`; `cli` for one that an operator added. */
  source: string
  created_at: number
}

export interface DeleteLinkResult {
  deleted: true
}

export interface GetConfigResult {
  /** Public origin of short URLs, such as `https://go.example.com`. A short URL is this origin, a slash and a slug. */
  short_origin: string
}

export interface BulkResults {
  results: BulkResult[]
}

export interface BulkResult {
  /** The position in the request, from 0. */
  index: number
  /** The status that the request of one link would have. */
  status: number
  link?: Link
  /** Only of refusals. */
  error?: string
  /** The error code of a refusal. */
  code?: string
}

export interface LinkFilter {
  /** The exact owner; empty for all owners. */
  owner?: string
  /**
   * Words in any order. Each is a part of the label, URL, owner, a slug or the name of a bundle with the link, in any case.
   * At most 256 characters.
   */
  search?: string
  /**
   * The exact host of the destination.
   * At most 261 characters.
   */
  host?: string
  /**
   * Host of a short domain; without it, links of all domains.
   * At most 253 characters.
   */
  domain?: string
  /** The id of a bundle. */
  bundle?: number
  /** Only links that are in no bundle. */
  no_bundle?: boolean
  /** Unix seconds; links that were changed since. */
  updated_since?: number
  /** Unix seconds; links that were created before, and not clicked since. */
  unused_since?: number
  /**
   * `expiring`: active, and expires within seven days.
   * `all` unless given.
   */
  status?: 'active' | 'disabled' | 'expired' | 'all' | 'expiring'
  /** How the link was created. */
  source?: 'api' | 'sdk' | 'app' | 'mcp' | 'import'
  /** Only links with rules, a split, times, a limit or a password. */
  has_behaviour?: boolean
}

export interface BulkChangesSet {
  /**
   * Format characters other than joiners are removed.
   * At most 500 characters.
   */
  label?: string | null
  /** Unix seconds. */
  expires_at?: number | null
  disabled?: boolean
  /** The id of a bundle, to which the links are added. */
  bundle?: number
  /**
   * The identity of the new owner.
   * At most 320 characters.
   */
  owner?: string
  /** `true` if the new owner has not created anything on this instance yet. */
  confirm?: boolean
}

export interface Behaviour {
  /**
   * The first rule whose conditions all hold decides.
   * At least 1.
   * At most 32.
   */
  rules?: BehaviourRule[]
  /**
   * Where the link leads if no rule decides.
   * At least 2.
   * At most 10.
   */
  split?: BehaviourPart[]
  /** `day`: a visitor gets the same part all day, without a cookie; `visit`: a new part each time. */
  sticky?: 'day' | 'visit'
  /** Unix seconds. */
  starts_at?: number
  /**
   * Where the link leads before `starts_at`.
   * At most 2048 characters.
   */
  before_url?: string
  /**
   * Where the link leads once it is expired or used up.
   * At most 2048 characters.
   */
  after_url?: string
  /** How many people get through, counted from when this number was set. */
  max_clicks?: number
  /** A GET shows a page with a button, and only pressing it uses a place of `max_clicks` up: for links in mail, which scanners open with the agents of browsers. */
  confirm_visit?: true
  /** Which parameters of the short URL are added to the destination; `none` by default. */
  forward_query?: 'none' | 'utm' | 'all'
  /** What follows the slug, as in `/pr/123`, fills the destination: `{path}` is all of it, `{1}` to `{9}` are its segments. */
  parameters?: true
  /** Visitors must enter a password. */
  password?: true
  /** How many more people get through. */
  clicks_left?: number
}

export interface BehaviourRule {
  when: BehaviourConditions
  /**
   * Destination of the link: an absolute http or https URL.
   * At most 2048 characters.
   */
  to: string | BehaviourSplit
  /** At most 100 characters. */
  label?: string
}

export interface BehaviourConditions {
  /**
   * At least 1.
   * At most 100.
   */
  device?: ('mobile' | 'tablet' | 'desktop')[]
  /**
   * At least 1.
   * At most 100.
   */
  not_device?: ('mobile' | 'tablet' | 'desktop')[]
  /**
   * At least 1.
   * At most 100.
   */
  os?: ('ios' | 'android' | 'windows' | 'chromeos' | 'macos' | 'linux' | 'other')[]
  /**
   * At least 1.
   * At most 100.
   */
  not_os?: ('ios' | 'android' | 'windows' | 'chromeos' | 'macos' | 'linux' | 'other')[]
  /**
   * At least 1.
   * At most 100.
   */
  browser?: (
    | 'Edge'
    | 'Opera'
    | 'Samsung Internet'
    | 'Yandex'
    | 'Brave'
    | 'Vivaldi'
    | 'Chrome'
    | 'Chromium'
    | 'Firefox'
    | 'Safari'
    | 'IE'
    | 'Other'
  )[]
  /**
   * At least 1.
   * At most 100.
   */
  not_browser?: (
    | 'Edge'
    | 'Opera'
    | 'Samsung Internet'
    | 'Yandex'
    | 'Brave'
    | 'Vivaldi'
    | 'Chrome'
    | 'Chromium'
    | 'Firefox'
    | 'Safari'
    | 'IE'
    | 'Other'
  )[]
  /**
   * At least 1.
   * At most 100.
   */
  country?: string[]
  /**
   * At least 1.
   * At most 100.
   */
  not_country?: string[]
  /**
   * Prefixes of the language that the visitor prefers.
   * At least 1.
   * At most 100.
   */
  language?: string[]
  /**
   * Prefixes of the language that the visitor prefers.
   * At least 1.
   * At most 100.
   */
  not_language?: string[]
  /**
   * At least 1.
   * At most 100.
   */
  referrer_host?: string[]
  /**
   * At least 1.
   * At most 100.
   */
  not_referrer_host?: string[]
  /**
   * Parameters of the short URL, with any value or this one.
   * At least 1.
   * At most 100.
   */
  query?: BehaviourParameter[]
  /**
   * Parameters of the short URL, with any value or this one.
   * At least 1.
   * At most 100.
   */
  not_query?: BehaviourParameter[]
  /** Unix seconds. */
  after?: number
  /** Unix seconds. */
  not_after?: number
  /** Unix seconds. */
  before?: number
  /** Unix seconds. */
  not_before?: number
  hours?: BehaviourHours
  not_hours?: BehaviourHours
}

export interface BehaviourParameter {
  /** At most 200 characters. */
  name: string
  /** At most 200 characters. */
  is?: string
}

export interface BehaviourHours {
  /**
   * Days on which the hours begin, from 1 for Monday; without them, every day.
   * At least 1.
   * At most 7.
   */
  days?: number[]
  /** At most 5 characters. */
  from: string
  /**
   * Hours that end at or before `from` end on the next day.
   * At most 5 characters.
   */
  to: string
  /** At most 64 characters. */
  tz: string
}

export interface BehaviourSplit {
  /**
   * At least 2.
   * At most 10.
   */
  split: BehaviourPart[]
  /** `day`: a visitor gets the same part all day, without a cookie; `visit`: a new part each time. */
  sticky?: 'day' | 'visit'
}

export interface BehaviourPart {
  /**
   * Destination of the link: an absolute http or https URL.
   * At most 2048 characters.
   */
  url: string
  /** 1 to 1000. */
  weight: number
  /** At most 100 characters. */
  label?: string
}

export interface DeleteBehaviourResult {
  deleted: true
}

export interface Explanation {
  /** `open` for a link that leads to a destination. */
  outcome: 'open' | 'early' | 'expired' | 'used_up' | 'disabled' | 'locked' | 'confirm' | 'preview' | 'method'
  /** The status of the answer. */
  status: number
  /** The `Location` of the answer. */
  location: string | null
  /** As in the breakdown by variant. */
  variant: string | null
  counted: ExplanationCounted
  /** The checks in their order, up to the one that decides. */
  steps: ExplanationStep[]
  /** Up to 10 next moments at which the answer to this visit differs, in Unix seconds. */
  changes_at: number[]
  /** The moment of the visit, in Unix seconds. */
  as_of: number
  /** The version of the link that was explained. */
  version: number
}

export interface ExplanationCounted {
  /** `human`, `bot` and `self` are clicks; everything else is none. */
  as:
    | 'human'
    | 'bot'
    | 'self'
    | 'head'
    | 'prefetch'
    | 'own_check'
    | 'early'
    | 'expired'
    | 'used_up'
    | 'disabled'
    | 'locked'
    | 'confirm'
    | 'preview'
    | 'method'
  because: string
}

export interface ExplanationStep {
  /** The field that was read, such as `starts_at` or `rules.0.when.country`; `method`, `slug` and `visitor` are of the request. */
  check: string
  /** The value in this visit, or the URL that was chosen; null if it is unknown. */
  saw: string | number | null
  result: 'pass' | 'stop' | 'holds' | 'fails' | 'chosen' | 'added' | 'unchanged'
}

export interface RemoveSlugBySlugResult {
  removed: true
}

export interface RemoveSlugResult {
  removed: true
}

export interface LegacyPathOfLink {
  /** Decoded, without its leading slash; matched exactly, with its case and slashes. */
  path: string
  /** The format of the file that it was imported from, such as `yourls`; `cli` for one that an operator added. */
  source: string
  created_at: number
  link_id: number
  /** Host of the domain; absent on the default domain. */
  domain?: string
}

export interface Domain {
  host: string
  is_default: boolean
  root_url: string | null
  not_found_url: string | null
  /** HTTP status of redirects; null for the one in the settings of the instance. */
  status: 301 | 302 | 307 | 308 | null
  /** Robots that `robots.txt` admits to short URLs: none, those that show previews of links, or all; null for the value in the settings of the instance. */
  robots: 'disallow' | 'previews' | 'allow' | null
  alias_of: string | null
  /** Files below `/.well-known/`, by their names. */
  well_known: Record<string, unknown>
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
  /** Raw clicks of all links of the bundle in the window. */
  total_clicks: number
  /** Change in percent from the previous period; absent if that had no clicks. */
  delta_pct?: number
  /** Clicks by hour (24h), day (7d, 30d, 90d) or month (1y, all), in UTC; they add up to the total. */
  sparkline: number[]
  /**
   * The most clicked links, without those that have no clicks.
   * At most 3.
   */
  top_links: TopLink[]
}

export interface TopLink {
  /** The primary slug. */
  slug: string
  /** Host of the domain; absent on the default domain. */
  domain?: string
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

export interface HistoryChange {
  id: number
  /** Unix seconds. */
  changed_at: number
  kind:
    | 'link.created'
    | 'link.updated'
    | 'link.disabled'
    | 'link.enabled'
    | 'link.transferred'
    | 'link.deleted'
    | 'bundle.created'
    | 'bundle.updated'
    | 'bundle.archived'
    | 'bundle.unarchived'
    | 'bundle.transferred'
    | 'bundle.deleted'
    | 'bundle.link_added'
    | 'bundle.link_removed'
  link_id: number | null
  bundle_id: number | null
  /** The person who wrote, or for whom a program did. */
  identity: string
  via: 'api' | 'app' | 'mcp' | 'import' | 'cli' | 'watch' | 'code'
  /** The program: `key:` and the id of an API key, `client:` and the client id of a token, `client` for tokens that name none, `access`, or `local`. */
  assistant: string | null
  /** Title of the API key, for its person and administrators. */
  assistant_name: string | null
  /** The tool of the MCP endpoint. */
  tool: string | null
  /** As in `X-Request-Id` of the answer to the write. */
  request_id: string | null
  plan_id: number | null
  /** Version of the link since the change. */
  version: number | null
  /** The replaced values; null at a creation, all at a deletion. */
  before: Record<string, unknown> | null
  /** The new values; all at a creation, null at a deletion. */
  after: Record<string, unknown> | null
}

export interface UndoResult {
  /** The number of links, bundles and memberships that changed back. */
  undone: number
  /** What stays, and why. */
  remaining: RemainingChange[]
}

export interface RemainingChange {
  kind:
    | 'link.created'
    | 'link.updated'
    | 'link.disabled'
    | 'link.enabled'
    | 'link.transferred'
    | 'link.deleted'
    | 'bundle.created'
    | 'bundle.updated'
    | 'bundle.archived'
    | 'bundle.unarchived'
    | 'bundle.transferred'
    | 'bundle.deleted'
    | 'bundle.link_added'
    | 'bundle.link_removed'
  link_id: number | null
  bundle_id: number | null
  /** The error code of the reason. */
  code: string
  reason: string
}

export interface Plan {
  id: number
  title: string | null
  state: 'open' | 'applied' | 'discarded' | 'undone' | 'expired'
  /** The person whose plan it is. */
  identity: string
  via: 'api' | 'app' | 'mcp' | 'import' | 'cli' | 'watch' | 'code'
  /** The program: `key:` and the id of an API key, `client:` and the client id of a token, `client` for tokens that name none, `access`, or `local`. */
  assistant: string | null
  /** Title of the API key, for its person and administrators. */
  assistant_name: string | null
  created_at: number
  /** It cannot be applied from then on. */
  expires_at: number
  applied_at: number | null
  undone_at: number | null
  op_count: number
  change_count: number
  /** It deletes or disables something, or changes where visitors are redirected or who owns it. */
  destructive: boolean
  warnings: PlanWarning[]
  ops: PlanOp[]
  /** Each change, with the values of history. Before the plan is applied without automatic slugs, which are chosen then. */
  diff: PlanChange[]
  /** The versions of what the plan depends on. */
  versions: PlanVersion[]
  /** The links of the plan as they are now. */
  links: PlanLink[]
  /** The bundles of the plan as they are now. */
  bundles: PlanBundle[]
}

export interface PlanWarning {
  code:
    | 'deletes_links'
    | 'deletes_bundles'
    | 'disables_links'
    | 'expires_links'
    | 'removes_slugs'
    | 'changes_destinations'
    | 'transfers'
    | 'new_hosts'
    | 'forbidden_hosts'
    | 'links_of_others'
    | 'many_links'
    | 'refused_items'
  /** The number of links, bundles, slugs, hosts or items. */
  count: number
  /** Their clicks so far; those of deleted links are deleted with them. */
  clicks?: number
  /** All hosts of `new_hosts`, to which no link of the person leads yet, and of `forbidden_hosts`, which the policy of the program forbids. Lists of plans leave them out. */
  hosts?: string[]
}

export interface PlanOp {
  /**
   * The `operationId` of an operation that writes links or bundles.
   * At most 64 characters.
   */
  operation: string
  /** Parameters of the path. */
  params?: Record<string, unknown>
  /** Parameters of the query. */
  query?: Record<string, unknown>
  /** Here and in `params`, `{"$op": 0}` stands for the `id` of what the first operation of the plan creates. */
  body?: Record<string, unknown>
}

export interface PlanChange {
  kind:
    | 'link.created'
    | 'link.updated'
    | 'link.disabled'
    | 'link.enabled'
    | 'link.transferred'
    | 'link.deleted'
    | 'bundle.created'
    | 'bundle.updated'
    | 'bundle.archived'
    | 'bundle.unarchived'
    | 'bundle.transferred'
    | 'bundle.deleted'
    | 'bundle.link_added'
    | 'bundle.link_removed'
  /** Negative, until the plan is applied, for a link that it creates. */
  link_id: number | null
  /** As `link_id`. */
  bundle_id: number | null
  /** The replaced values; null at a creation, all at a deletion. */
  before: Record<string, unknown> | null
  /** The new values; all at a creation, null at a deletion. */
  after: Record<string, unknown> | null
}

export interface PlanVersion {
  link_id: number | null
  bundle_id: number | null
  version: string
}

export interface PlanLink {
  id: number
  slug: string
  /** Absent on the default domain. */
  domain?: string
  label: string | null
  url: string
}

export interface PlanBundle {
  id: number
  name: string
}

export interface PlanSummary {
  id: number
  title: string | null
  state: 'open' | 'applied' | 'discarded' | 'undone' | 'expired'
  /** The person whose plan it is. */
  identity: string
  via: 'api' | 'app' | 'mcp' | 'import' | 'cli' | 'watch' | 'code'
  /** The program: `key:` and the id of an API key, `client:` and the client id of a token, `client` for tokens that name none, `access`, or `local`. */
  assistant: string | null
  /** Title of the API key, for its person and administrators. */
  assistant_name: string | null
  created_at: number
  /** It cannot be applied from then on. */
  expires_at: number
  applied_at: number | null
  undone_at: number | null
  op_count: number
  change_count: number
  /** It deletes or disables something, or changes where visitors are redirected or who owns it. */
  destructive: boolean
  warnings: PlanWarning[]
}

export interface PlanUndo {
  /** The number of links, bundles and memberships that changed back. */
  undone: number
  /** What stays, and why. */
  remaining: RemainingChange[]
  plan: Plan
}

export interface ClickStats {
  total_clicks: number
  /** Change in percent from the previous period; absent if that had no clicks. */
  delta_pct?: number
  /** One per visitor and UTC day. 0 beside clicks: unknown, as of imported clicks. */
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
   * The latest days with clicks in the window, ascending.
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
  /** Host of the domain; absent on the default domain. */
  domain?: string
  count: number
}

export interface TimelineData {
  range: Range
  /** One per calendar unit that the window touches; they add up to its total. */
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
  /** Change in percent from the previous period; absent if that had no clicks. */
  delta_pct?: number
  /** One per visitor and UTC day. 0 beside clicks: unknown, as of imported clicks. */
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
   * The latest days with clicks in the window, ascending.
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
  /** All links, most clicked first. */
  per_link: MemberClicks[]
}

export interface Performer {
  /** The primary slug. */
  slug: string
  /** Host of the domain; absent on the default domain. */
  domain?: string
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
  /** Host of the domain; absent on the default domain. */
  domain?: string
  url: string
  click_count: number
  /** Percent of all clicks of the bundle in the window. */
  pct_of_bundle: number
  delta_pct?: number
}

export interface Webhook {
  id: number
  url: string
  /** Empty for all types but `link.imported`. */
  types: EventType[]
  bundle: number | null
  /** Identity of its creator. Events that this person may not read are not delivered. */
  created_by: string
  created_at: number
  updated_at: number
  /** All events up to this `seq` are delivered or do not concern it. */
  position: number
  /** Unix seconds. With `failing_since`, the service disabled it after five days of failures. */
  disabled_at: number | null
  /** Unix seconds of the first failed attempt of the event after `position`. */
  failing_since: number | null
  /** Unix seconds; set while it is failing. */
  next_attempt_at: number | null
  /** Unix seconds until which the secret before the rotation signs as well. */
  previous_secret_until: number | null
  /** The latest failed delivery of a failing webhook. */
  last_failure?: WebhookDelivery
}

export interface WebhookDelivery {
  id: number
  /** The event; null for a test. */
  seq: number | null
  type: string
  attempt: number
  attempted_at: number
  duration_ms: number
  /** The status is 2xx. */
  delivered: boolean
  status: number | null
  /** The first 4 KiB of the answer. */
  answer: string | null
  /** `unreachable`: no connection, no such host, or an address that is neither public nor in `LINKS_WEBHOOK_ALLOW`. */
  error: 'timeout' | 'unreachable' | null
}

export interface CreateWebhookResult {
  webhook: Webhook
  /** Signing secret, `whsec_…`; it is not shown again. */
  secret: string
}

export interface DeleteWebhookResult {
  ok: true
}

export interface RotateWebhookSecretResult {
  webhook: Webhook
  /** Signing secret, `whsec_…`; it is not shown again. */
  secret: string
}

export interface WebhookDeliveryDetails {
  id: number
  /** The event; null for a test. */
  seq: number | null
  type: string
  attempt: number
  attempted_at: number
  duration_ms: number
  /** The status is 2xx. */
  delivered: boolean
  status: number | null
  /** The first 4 KiB of the answer. */
  answer: string | null
  /** `unreachable`: no connection, no such host, or an address that is neither public nor in `LINKS_WEBHOOK_ALLOW`. */
  error: 'timeout' | 'unreachable' | null
  /** Absent for a delivery before requests were stored. */
  request?: DeliveryRequest
}

export interface DeliveryRequest {
  url: string
  headers: DeliveryHeader[]
  /** What was sent, without clicks deleted since; null once the event is not stored any more. For a webhook of a bundle, what is of its present bundle and links. */
  body: string | null
}

export interface DeliveryHeader {
  name: string
  value: string
}

export interface EventPage {
  events: Event[]
  /** `after` of the next request. */
  last_seq: number
}

export interface Event {
  /** Greater than that of every earlier event. */
  seq: number
  type:
    | 'link.created'
    | 'link.updated'
    | 'link.disabled'
    | 'link.enabled'
    | 'link.transferred'
    | 'link.deleted'
    | 'bundle.created'
    | 'bundle.updated'
    | 'bundle.archived'
    | 'bundle.unarchived'
    | 'bundle.transferred'
    | 'bundle.deleted'
    | 'bundle.link_added'
    | 'bundle.link_removed'
    | 'link.clicked'
    | 'link.expired'
    | 'link.limit_reached'
    | 'link.imported'
    | 'plan.pending'
  /** Unix seconds. */
  at: number
  data: EventData
}

export interface EventData {
  link_id?: number
  bundle_id?: number
  plan_id?: number
  /** The person who wrote, or for whom a program did. */
  identity?: string
  via?: 'api' | 'app' | 'mcp' | 'import' | 'cli' | 'watch' | 'code'
  /** Version of the link since the write. */
  version?: number
  /** The link after the event, or before its deletion. Secrets are only `set`. */
  link?: Record<string, unknown>
  /** The bundle after the event, or before its deletion. */
  bundle?: Record<string, unknown>
  /** Fields that an update changed. */
  changed?: string[]
  /** At most 500. */
  clicks?: EventClick[]
  /** Links that an import has stored together. */
  count?: number
  /** The `seq` of the first event of these links. */
  first?: number
  /** The `seq` of the last event of these links. */
  last?: number
}

export interface EventClick {
  id: number
  link_id: number
  slug: string
  /** Host of the domain; absent on the default domain. */
  domain?: string
  /** The legacy path that the visitor came by; absent for a slug. */
  legacy_path?: string
  clicked_at: number
  country: string | null
  device_type: string | null
  os: string | null
  browser: string | null
}
