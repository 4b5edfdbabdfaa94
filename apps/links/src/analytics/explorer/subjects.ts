import { inList } from '@latchkey/database/database'
import { sql } from 'kysely'
import type { Accent } from '../../bundles/accent.ts'
import type { Db } from '../../db/tables.ts'
import { DAY } from '../../time/window.ts'
import type { AnalyticsQuery } from './query.ts'

/** The links that a query names by themselves and by their bundles; undefined for all links. */
export async function findLinks(
  db: Db,
  { link, bundle }: Pick<AnalyticsQuery, 'link' | 'bundle'>,
): Promise<number[] | undefined> {
  const members = bundle && (await findLinksOfBundles(db, bundle))
  if (!link) return members
  const isMember = new Set(members)
  return [...new Set(link)].filter((id) => !members || isMember.has(id))
}

async function findLinksOfBundles({ read, dialect }: Db, bundleIds: readonly number[]): Promise<number[]> {
  const rows = await read
    .selectFrom('bundle_link')
    .select('link_id')
    .distinct()
    .where(inList(dialect, 'bundle_id', bundleIds))
    .execute()
  return rows.map((row) => row.link_id)
}

/** The links in each active bundle, as one text per bundle: there may be many. */
export async function findActiveMembers({ read, dialect }: Db): Promise<Map<number, number[]>> {
  const ids = dialect === 'sqlite' ? sql`group_concat(link_id)` : sql`string_agg(link_id::text, ',')`
  const { rows } = await sql<{ bundle_id: number; links: string }>`
    select bundle_id, ${ids} as links from bundle_link
    join bundle on bundle.id = bundle_id where archived_at is null group by bundle_id`.execute(read)
  return new Map(rows.map(({ bundle_id, links }) => [bundle_id, links.split(',').map(Number)]))
}

export interface LinkName {
  slug: string
  label: string | null
  url: string
}

export async function findLinkNames(
  { read, dialect }: Db,
  ids: readonly number[],
): Promise<Map<number, LinkName>> {
  const rows = await read
    .selectFrom('link')
    .select(['id', 'primary_slug as slug', 'label', 'url'])
    .where(inList(dialect, 'id', ids))
    .execute()
  return new Map(rows.map(({ id, ...name }) => [id, name]))
}

export interface BundleName {
  label: string
  accent: Accent
  icon: string | null
}

export async function findBundleNames(
  { read, dialect }: Db,
  ids: readonly number[],
): Promise<Map<number, BundleName>> {
  const rows = await read
    .selectFrom('bundle')
    .select(['id', 'name as label', 'accent', 'icon'])
    .where(inList(dialect, 'id', ids))
    .execute()
  return new Map(rows.map(({ id, ...name }) => [id, { ...name, accent: name.accent as Accent }]))
}

/**
 * The start of the first UTC day whose raw clicks are kept; undefined if none were ever deleted
 * because of their age.
 */
export async function findRawStart({ read }: Db): Promise<number | undefined> {
  const { rows } = await sql<{ hour: number | null }>`select max(hour) as hour from click_forgotten`.execute(
    read,
  )
  const hour = rows[0]?.hour ?? null
  return hour === null ? undefined : hour - (hour % DAY) + DAY
}
