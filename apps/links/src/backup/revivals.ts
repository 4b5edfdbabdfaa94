import type { ComparedTables, Revival } from '@latchkey/database/backup/comparison'
import { sql } from 'kysely'

/** What `revivals` reads of the replaced and of the restored database. */
export const compared: ComparedTables = {
  api_key: ['id', 'title', 'identity', 'key_hash'],
  stats_share: ['secret_hash', 'link_id', 'bundle_id'],
  webhook: ['id', 'url', 'created_by', 'disabled_at', 'secret'],
  policy: ['identity', 'assistant', 'writes', 'confirm', 'writes_per_hour', 'hosts', 'bundles'],
  link: ['id', 'primary_slug', 'created_by', 'disabled_at', 'url'],
  link_password: ['link_id', 'hash'],
}

/** What was ended since the copy was made, and works again. */
export const revivals: readonly Revival[] = [
  {
    what: 'API keys that were revoked',
    query: sql`select 'key ' || cast(id as text) || ' of ' || identity || ': ' || title as name
      from restored_api_key as restored
      where not exists (select 1 from replaced_api_key where key_hash = restored.key_hash) order by id`,
  },
  {
    what: 'links that were deleted',
    query: sql`select primary_slug || ' of ' || created_by as name from restored_link as restored
      where not exists (select 1 from replaced_link where id = restored.id) order by id`,
  },
  {
    what: 'links that were disabled',
    query: sql`select restored.primary_slug || ' of ' || restored.created_by as name
      from restored_link as restored join replaced_link as replaced on replaced.id = restored.id
      where restored.disabled_at is null and replaced.disabled_at is not null order by restored.id`,
  },
  {
    what: 'links that led elsewhere',
    query: sql`select restored.primary_slug || ' of ' || restored.created_by as name
      from restored_link as restored join replaced_link as replaced on replaced.id = restored.id
      where restored.url <> replaced.url order by restored.id`,
  },
  {
    what: 'links with another password or none',
    query: sql`select link.primary_slug || ' of ' || link.created_by as name
      from restored_link as link
      left join restored_link_password as restored on restored.link_id = link.id
      left join replaced_link_password as replaced on replaced.link_id = link.id
      where coalesce(restored.hash, '') <> coalesce(replaced.hash, '')
        and exists (select 1 from replaced_link where id = link.id) order by link.id`,
  },
  {
    what: 'shared statistics that were ended',
    query: sql`select case when link_id is null then 'bundle ' || cast(bundle_id as text)
        else 'link ' || cast(link_id as text) end as name
      from restored_stats_share as restored
      where not exists (select 1 from replaced_stats_share where secret_hash = restored.secret_hash) order by 1`,
  },
  {
    what: 'webhooks that were deleted, disabled or changed',
    query: sql`select 'webhook ' || cast(restored.id as text) || ' of ' || restored.created_by as name
      from restored_webhook as restored left join replaced_webhook as replaced on replaced.id = restored.id
      where restored.disabled_at is null and (replaced.id is null or replaced.disabled_at is not null
        or replaced.url <> restored.url or replaced.secret <> restored.secret) order by restored.id`,
  },
  {
    what: 'policies that were different',
    query: sql`select coalesce(restored.identity, replaced.identity) || ', '
        || coalesce(restored.assistant, replaced.assistant) as name
      from replaced_policy as replaced full join restored_policy as restored
        on restored.identity = replaced.identity and restored.assistant = replaced.assistant
      where restored.identity is null or replaced.identity is null
        or restored.writes <> replaced.writes or restored.confirm <> replaced.confirm
        or coalesce(restored.writes_per_hour, 0) <> coalesce(replaced.writes_per_hour, 0)
        or coalesce(restored.hosts, '') <> coalesce(replaced.hosts, '')
        or coalesce(restored.bundles, '') <> coalesce(replaced.bundles, '') order by 1`,
  },
]
