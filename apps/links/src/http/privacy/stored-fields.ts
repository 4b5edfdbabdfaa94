import type { JournalledClick } from '../../clicks/click.ts'
import type { ClickTable } from '../../db/click-tables.ts'
import type { Tables } from '../../db/tables.ts'

/** The rows of the page, in its order. Each column belongs to one. */
export const items = [
  'time',
  'link',
  'referrer',
  'country',
  'device',
  'user_agent',
  'bot',
  'campaign',
  'channel',
  'visitor',
  'number',
] as const
export type Item = (typeof items)[number]

/** Where a value comes from. */
export type Source =
  | 'service'
  | 'address'
  | 'user_agent'
  | 'referer'
  | 'query'
  | 'source'
  | 'country'
  | 'visitor'

export interface StoredField {
  item: Item
  from: Source
  /** Not stored with `LINKS_PRIVACY=lean` (L37.6). */
  isDetail?: true
  /** Not stored for visitors whose `Sec-GPC: 1` is honoured (L37.7). */
  isPersonal?: true
}

type Fields<Table> = Readonly<Record<keyof Table, StoredField>>

/** Every column of a click. The compiler asks for new ones, and a test compares the database. */
export const clickFields: Fields<ClickTable> = {
  id: { item: 'number', from: 'service' },
  link_id: { item: 'link', from: 'address' },
  slug: { item: 'link', from: 'address' },
  clicked_at: { item: 'time', from: 'service' },
  referrer: { item: 'referrer', from: 'referer', isDetail: true, isPersonal: true },
  referrer_host: { item: 'referrer', from: 'referer', isPersonal: true },
  country: { item: 'country', from: 'country', isPersonal: true },
  device_type: { item: 'device', from: 'user_agent' },
  os: { item: 'device', from: 'user_agent' },
  browser: { item: 'device', from: 'user_agent' },
  link_mode: { item: 'campaign', from: 'query' },
  channel: { item: 'channel', from: 'source' },
  utm_source: { item: 'campaign', from: 'query' },
  utm_medium: { item: 'campaign', from: 'query' },
  utm_campaign: { item: 'campaign', from: 'query' },
  utm_term: { item: 'campaign', from: 'query' },
  utm_content: { item: 'campaign', from: 'query' },
  user_agent: { item: 'user_agent', from: 'user_agent', isDetail: true },
  is_bot: { item: 'bot', from: 'user_agent' },
  is_self_referrer: { item: 'referrer', from: 'referer', isPersonal: true },
  visitor_fp: { item: 'visitor', from: 'visitor', isPersonal: true },
  // Which of the link's own destinations it was, by number.
  variant: { item: 'link', from: 'address' },
  legacy_path: { item: 'link', from: 'address' },
}

/** Fields of a click in the journal until it is counted. With `lean`, only `clickFields`. */
export const journalFields: Fields<JournalledClick> = {
  slug: clickFields.slug,
  linkId: clickFields.link_id,
  clickedAt: clickFields.clicked_at,
  host: { item: 'link', from: 'address' },
  query: { item: 'campaign', from: 'query' },
  referrer: clickFields.referrer,
  userAgent: clickFields.user_agent,
  country: clickFields.country,
  visitorFp: clickFields.visitor_fp,
  variant: clickFields.variant,
  legacyPath: clickFields.legacy_path,
}

/** `click_hour` is a view. */
type RollupTable = Exclude<Extract<keyof Tables, `click_${string}`>, 'click_hour'>
type Content = 'link' | 'period' | 'count' | 'value' | 'clicks' | 'work'

const counts = {
  clicks: 'count',
  bots: 'count',
  self_referrers: 'count',
  bot_self_referrers: 'count',
} as const
const distinct = {
  distinct_raw: 'count',
  distinct_no_bots: 'count',
  distinct_no_self: 'count',
  distinct_neither: 'count',
} as const
const hour = { link_id: 'link', slug: 'link', hour: 'period', ...counts } as const
const period = { unit: 'period', start: 'period' } as const

/**
 * Every column of the tables that are summed from clicks. `value` is a click's value with its
 * number of clicks, and `clicks` are raw clicks as columns, as long as they are kept.
 */
export const rollupFields: { readonly [T in RollupTable]: Readonly<Record<keyof Tables[T], Content>> } = {
  click_hour_open: hour,
  click_hour_closed: hour,
  click_period: { link_id: 'link', ...period, ...counts, ...distinct, stamp: 'work' },
  click_sum: { link_id: 'link', ...period, dimension: 'value', sums: 'value', names: 'value' },
  click_link: { ...period, ...distinct, links: 'link' },
  click_block: { ...period, clicks: 'count', stamp: 'work', data: 'clicks' },
  click_due: { ...period, stamp: 'work' },
  click_forgotten: { ...hour, dimension: 'value', name: 'value' },
}

export const saltFields: Readonly<Record<keyof Tables['visitor_salt'], Content>> = {
  day: 'period',
  salt: 'work',
}
