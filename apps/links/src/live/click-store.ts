import { type Database, inList } from '@latchkey/database/database'
import { type Kysely, sql } from 'kysely'
import type { ViewerFilters } from '../clicks/filters.ts'
import { isInFilter } from '../clicks/store.ts'
import type { Tables } from '../db/tables.ts'
import { parseSlugKey } from '../urls/slug.ts'
import type { LiveClick } from './schema.ts'

type Db = Pick<Database<Tables>, 'read' | 'dialect'>
type StoredClick = Omit<LiveClick, 'seconds_ago' | 'legacy_path'> & { legacy_path: string | null }

const COLUMNS = sql`id, link_id, slug, clicked_at, country, device_type, os, browser, legacy_path`

/**
 * Clicks that a list of the last ones reads at most: an instance may have been visited by bots for
 * days.
 */
const MAX_READ = 2_000

/** The last clicks up to `now` that pass the filters, newest first. */
export async function readLastClicks(
  { read }: Db,
  { now, filters, max }: { now: number; filters: ViewerFilters; max: number },
): Promise<LiveClick[]> {
  const { rows } = await sql<StoredClick>`select ${COLUMNS} from (
      select ${COLUMNS}, is_bot, is_self_referrer from click
      where clicked_at <= ${now} order by clicked_at desc, id desc limit ${MAX_READ}) as newest
    where ${isInFilter(filters)} order by clicked_at desc, id desc limit ${max}`.execute(read)
  return rows.map((row) => withAge(row, now))
}

/** Reads clicks by their ids, newest first. */
export async function readClicks(
  { read, dialect }: Db,
  ids: readonly number[],
  now: number,
): Promise<LiveClick[]> {
  const { rows } = await sql<StoredClick>`select ${COLUMNS} from click
    where ${inList(dialect, 'id', ids)} order by id desc`.execute(read)
  return rows.map((row) => withAge(row, now))
}

/** The ids of at most `max` clicks after this id and since this time that pass the filters, newest first. */
export async function findClickIdsAfter(
  { read }: Db,
  { id, since, filters, max }: { id: number; since: number; filters: ViewerFilters; max: number },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`select id from click
    where id > ${id} and clicked_at >= ${since} and ${isInFilter(filters)} order by id desc limit ${max}`.execute(
    read,
  )
  return rows.map((row) => row.id)
}

/** The newest id; 0 without clicks. */
export async function findNewestClickId(db: Kysely<Tables>): Promise<number> {
  const { newest } = await db
    .selectFrom('click')
    .select((eb) => eb.fn.max<number | null>('id').as('newest'))
    .executeTakeFirstOrThrow()
  return newest ?? 0
}

/** Another node's clock may be ahead. */
function withAge(click: StoredClick, now: number): LiveClick {
  return { ...toAddress(click), seconds_ago: Math.max(0, now - click.clicked_at) }
}

/** The click with its slug, domain and legacy path as clients read them. */
export function toAddress<Click extends Pick<StoredClick, 'slug' | 'legacy_path'>>(click: Click) {
  const { legacy_path: legacyPath, ...rest } = click
  return { ...rest, ...parseSlugKey(click.slug), ...(legacyPath !== null && { legacy_path: legacyPath }) }
}
