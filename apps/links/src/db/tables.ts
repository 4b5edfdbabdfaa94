import type { Database } from '@latchkey/database/database'
import type { Generated, Transaction } from 'kysely'
import type { EventType } from '../events/types.ts'
import type { ChangeKind } from '../changes/kinds.ts'
import type { Robots } from '../settings/robots.ts'
import type { PolicyRules } from '../policies/schema.ts'
import type { ChangeChannel } from '../changes/source.ts'
import type {
  ClickTable,
  ClickCounts,
  ClickHourTable,
  PeriodUnit,
  ClickPeriodTable,
  ClickBlockTable,
  ClickLinkTable,
  ClickSumTable,
  ClickForgottenTable,
} from './click-tables.ts'

/** Times are integer Unix seconds, UTC. Flags are 0 or 1. */
export interface Tables {
  link: LinkTable
  slug: SlugTable
  retired_slug: { slug: string }
  legacy_path: LegacyPathTable
  domain: DomainTable
  bundle: BundleTable
  bundle_link: { bundle_id: number; link_id: number }
  api_key: ApiKeyTable
  preference: PreferenceTable
  qr_preset: QrPresetTable
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
  idempotent_answer: IdempotentAnswerTable
  /** JSON of `BehaviourDocument`. */
  link_behaviour: { link_id: number; document: string }
  link_limit: LinkLimitTable
  link_password: { link_id: number; hash: string }
  webhook: WebhookTable
  webhook_delivery: WebhookDeliveryTable
  link_default: LinkDefaultTable
  utm_template: UtmTemplateTable
  history: HistoryTable
  /** Has a row only within the transaction that deletes the changes before a time. */
  history_erasure: { before: number }
  event: EventTable
  plan: PlanTable
  policy: PolicyTable
}

/** A change of a link or a bundle (L29.1). Rows are only added. Subjects need not exist any more. */
export interface HistoryTable {
  id: Generated<number>
  changed_at: number
  identity: string
  via: ChangeChannel
  /** Id and name of an `Assistant`. */
  assistant: string | null
  assistant_name: string | null
  tool: string | null
  request_id: string | null
  plan_id: number | null
  kind: ChangeKind
  /** A link that was added to a bundle or removed from it has both ids. */
  link_id: number | null
  bundle_id: number | null
  /** Version of the link since the change; null for a deleted link and for bundles. */
  version: number | null
  /** JSON of the values that differ: null before a creation and after a deletion. */
  before_values: string | null
  after_values: string | null
}

/** An event (L30.1). A greater `seq` was committed later. */
export interface EventTable {
  seq: Generated<number>
  type: EventType
  at: number
  /** JSON of `EventData`. */
  data: string
  /** Ids of the clicks of a `link.clicked`, which `data` does not repeat. */
  first_click: number | null
  last_click: number | null
}

/** What a program may write for a person (L29.4). */
export interface PolicyTable extends Pick<PolicyRules, 'writes' | 'confirm' | 'writes_per_hour'> {
  identity: string
  /** Id of an `Assistant`. */
  assistant: string
  /** JSON of lists; null without a limit. */
  hosts: string | null
  bundles: string | null
}

/** A style of QR codes that a person has saved (L32.4f). */
export interface QrPresetTable {
  id: Generated<number>
  identity: string
  /** Different for each preset of a person. */
  name: string
  /** JSON of `QrPresetStyle`. */
  style: string
}

/** Operations that are applied together, or not at all (L29.3). */
export interface PlanTable {
  id: Generated<number>
  title: string | null
  state: 'open' | 'applied' | 'discarded' | 'undone'
  identity: string
  via: ChangeChannel
  /** Id and name of an `Assistant`. */
  assistant: string | null
  assistant_name: string | null
  created_at: number
  expires_at: number
  applied_at: number | null
  undone_at: number | null
  op_count: number
  change_count: number
  /** JSON of `Op[]`, `PlanChange[]`, `PlanWarning[]` and `SubjectVersions`. */
  ops: string
  diff: string
  warnings: string
  versions: string
}

/** What administrators set for a short domain (L31.1). */
export interface DomainTable {
  /** Empty for the default domain. */
  host: string
  root_url: string | null
  not_found_url: string | null
  /** Null for the value of `LINKS_REDIRECT_STATUS`. */
  status: number | null
  /** Null for the value of `LINKS_ROBOTS`. */
  robots: Robots | null
  /** The host of the domain with whose slugs it answers as well; empty for the default domain. */
  alias_of: string | null
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

/** The answer to a request of an API key with an idempotency key, kept for a day (L28.2). */
export interface IdempotentAnswerTable {
  api_key_id: number
  idempotency_key: string
  created_at: number
  /** SHA-256 of the method, path and query, and of the body. */
  path_hash: string
  body_hash: string
  status: number
  /** JSON of an object. */
  headers: string
  body: string
}

/** A receiver of events (L30). */
export interface WebhookTable {
  id: Generated<number>
  url: string
  /** JSON array of types; empty for all. */
  types: string
  /** The bundle, which may be deleted by now, to whose events it is limited. */
  bundle_id: number | null
  created_by: string
  created_at: number
  updated_at: number
  /** The sealed secret. After a rotation, the previous one signs as well for a while. */
  secret: string
  previous_secret: string | null
  previous_until: number | null
  /** The last event that was delivered or does not concern it. */
  position: Generated<number>
  /** Failed attempts of the event after the position. */
  failures: Generated<number>
  /** Time of the first failed attempt; null if the last delivery succeeded. */
  failing_since: number | null
  next_attempt_at: Generated<number>
  /** Set by a person or, with `failing_since`, by the service. */
  disabled_at: number | null
  /** The node that delivers, until the lease ends. */
  lease_holder: string | null
  lease_until: Generated<number>
}

/** An attempt to deliver an event, or a test without one. Only the latest are kept. */
export interface WebhookDeliveryTable {
  id: Generated<number>
  webhook_id: number
  seq: number | null
  type: string
  attempt: number
  attempted_at: number
  duration_ms: number
  /** HTTP status and the start of the answer; null without one. */
  status: number | null
  answer: string | null
  error: 'timeout' | 'unreachable' | null
  /** JSON of a `DeliveryRequest`; null for attempts before it was stored. */
  request: string | null
}

/** A cache of the icons of destinations, which backups and archives leave out. */
export interface FaviconTable {
  /** The host with its port, if the URL has one. */
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
  /** A number that each write of the link or of its parts raises by one (L25.3). */
  version: Generated<number>
  /** Time of the last write that raised the version. */
  updated_at: Generated<number>
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
  /** 1 once the maximum was reached, even if a place was returned since. */
  reached: Generated<number>
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

/** A path of another service that a link answers as well (L43.1). */
export interface LegacyPathTable {
  /** Host of the domain of the link; empty for the default domain. */
  domain: string
  /** Decoded, exact and without its leading slash. */
  path: string
  link_id: number
  /** The format of the file that it was imported from, or `cli`. */
  source: string
  created_at: number
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
  /** The latest of its closed hours with a click; 0 without one. */
  last_hour: number
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

/** What the pages put into a new link of a person. */
export interface LinkDefaultTable {
  identity: string
  domain: string | null
  bundle_id: number | null
  /** Seconds from the creation of a link. */
  expires_in: number | null
  forward_query: 'utm' | 'all' | null
}

/** UTM parameters under a name, of a person or shared with everyone. */
export interface UtmTemplateTable {
  id: Generated<number>
  name: string
  utm_source: string
  utm_medium: string
  utm_campaign: string
  utm_term: string
  utm_content: string
  /** Who made it. */
  identity: string
  shared: number
  created_at: number
}

export interface PreferenceTable {
  identity: string
  slug_default_length: Generated<number>
  theme: string | null
  lang: string | null
  /** IANA name; null for the time zone of the browser. */
  time_zone: string | null
  default_range: Generated<string>
  filter_bots: Generated<number>
  filter_self_referrers: Generated<number>
  /** Saved views of the list of links: JSON of `ListView[]`. */
  list_views: Generated<string>
}

export type Db = Database<Tables>
export type Tx = Transaction<Tables>
