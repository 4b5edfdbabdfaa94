import { type ArchiveFormat, int, nullableInt, nullableText, text } from '@latchkey/database/archive/format'
import type { Tables } from '../../db/tables.ts'

const counts = { clicks: int, bots: int, self_referrers: int, bot_self_referrers: int }

/**
 * Everything that an instance contains, in the order of writing and reading. The import rebuilds
 * derived data: search keys, rollups by hour and by period, numbers of links. The visitor salts, the
 * passwords of links, events, the deliveries of webhooks and the answers to repeated requests are not
 * exported: a protected link stays locked until it has a new one.
 */
const tables = {
  instance: { columns: { name: text, value: text }, orderBy: ['name'] },
  preference: {
    columns: {
      identity: text,
      slug_default_length: int,
      theme: nullableText,
      lang: nullableText,
      time_zone: nullableText,
      default_range: text,
      filter_bots: int,
      filter_self_referrers: int,
      list_views: text,
    },
    orderBy: ['identity'],
  },
  api_key: {
    columns: {
      id: int,
      title: text,
      key_prefix: text,
      key_hash: text,
      scope: text,
      identity: text,
      created_at: int,
      last_used_at: nullableInt,
    },
    orderBy: ['id'],
  },
  domain: {
    columns: {
      host: text,
      root_url: nullableText,
      not_found_url: nullableText,
      status: nullableInt,
      robots: nullableText,
      alias_of: nullableText,
      well_known: nullableText,
    },
    orderBy: ['host'],
  },
  retired_slug: { columns: { slug: text }, orderBy: ['slug'] },
  link: {
    columns: {
      id: int,
      url: text,
      label: nullableText,
      expires_at: nullableInt,
      disabled_at: nullableInt,
      created_via: nullableText,
      created_by: text,
      created_at: int,
      primary_slug: text,
      version: int,
      updated_at: int,
      behaviour: nullableText,
      domain: nullableText,
    },
    orderBy: ['id'],
  },
  link_behaviour: { columns: { link_id: int, document: text }, orderBy: ['link_id'] },
  link_limit: {
    columns: { link_id: int, max_clicks: int, used: int, reached: int },
    orderBy: ['link_id'],
  },
  slug: {
    columns: {
      slug: text,
      link_id: int,
      is_custom: int,
      created_at: int,
      disabled_at: nullableInt,
      added_by: nullableText,
    },
    orderBy: ['link_id', 'slug'],
  },
  legacy_path: {
    columns: { domain: text, path: text, link_id: int, source: text, created_at: int },
    orderBy: ['domain', 'path'],
  },
  bundle: {
    columns: {
      id: int,
      name: text,
      description: nullableText,
      icon: nullableText,
      accent: text,
      archived_at: nullableInt,
      created_via: nullableText,
      created_by: text,
      created_at: int,
      updated_at: int,
    },
    orderBy: ['id'],
  },
  bundle_link: { columns: { bundle_id: int, link_id: int }, orderBy: ['bundle_id', 'link_id'] },
  stats_share: {
    columns: { secret_hash: text, link_id: nullableInt, bundle_id: nullableInt, created_at: int },
    orderBy: ['secret_hash'],
  },
  click: {
    columns: {
      link_id: int,
      slug: text,
      clicked_at: int,
      referrer: nullableText,
      referrer_host: nullableText,
      country: nullableText,
      device_type: nullableText,
      os: nullableText,
      browser: nullableText,
      link_mode: text,
      channel: text,
      utm_source: nullableText,
      utm_medium: nullableText,
      utm_campaign: nullableText,
      utm_term: nullableText,
      utm_content: nullableText,
      user_agent: nullableText,
      is_bot: int,
      is_self_referrer: int,
      visitor_fp: nullableText,
      variant: nullableText,
      legacy_path: nullableText,
    },
    orderBy: ['id'],
  },
  click_forgotten: {
    columns: { link_id: int, slug: text, hour: int, dimension: text, name: text, ...counts },
    orderBy: ['link_id', 'hour', 'slug', 'dimension', 'name', 'clicks', 'bots', 'self_referrers'],
  },
  history: {
    columns: {
      id: int,
      changed_at: int,
      identity: text,
      via: text,
      assistant: nullableText,
      assistant_name: nullableText,
      tool: nullableText,
      request_id: nullableText,
      plan_id: nullableInt,
      kind: text,
      link_id: nullableInt,
      bundle_id: nullableInt,
      version: nullableInt,
      before_values: nullableText,
      after_values: nullableText,
    },
    orderBy: ['id'],
  },
  plan: {
    columns: {
      id: int,
      title: nullableText,
      state: text,
      identity: text,
      via: text,
      assistant: nullableText,
      assistant_name: nullableText,
      created_at: int,
      expires_at: int,
      applied_at: nullableInt,
      undone_at: nullableInt,
      op_count: int,
      change_count: int,
      ops: text,
      diff: text,
      warnings: text,
      versions: text,
    },
    orderBy: ['id'],
  },
  policy: {
    columns: {
      identity: text,
      assistant: text,
      writes: text,
      confirm: text,
      writes_per_hour: nullableInt,
      hosts: nullableText,
      bundles: nullableText,
    },
    orderBy: ['identity', 'assistant'],
  },
  webhook: {
    columns: {
      id: int,
      url: text,
      types: text,
      bundle_id: nullableInt,
      created_by: text,
      created_at: int,
      updated_at: int,
      secret: text,
      previous_secret: nullableText,
      previous_until: nullableInt,
      disabled_at: nullableInt,
    },
    orderBy: ['id'],
  },
  imported_file: { columns: { sha256: text, imported_at: int }, orderBy: ['sha256'] },
  journal_cursor: { columns: { journal_id: text, seq: int }, orderBy: ['journal_id'] },
} as const satisfies Partial<Record<keyof Tables, unknown>>

export type InstanceTable = keyof typeof tables

export const instanceFormat: ArchiveFormat<InstanceTable> = {
  name: 'latchkey-links-instance',
  version: 1,
  tables,
  // API callers keep their ids. The ids of clicks are not visible.
  numbered: ['link', 'bundle', 'api_key', 'history', 'plan', 'webhook'],
}
