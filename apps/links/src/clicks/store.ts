import { type Database, among } from '@latchkey/database/database'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { HOUR, type Window, hourOf } from '../analytics/window.ts'
import type { Tables } from '../db/tables.ts'

/** The last batch of this journal that is counted; 0 for a journal never seen. */
export async function findPosition(db: Kysely<Tables>, journalId: string): Promise<number> {
  const row = await db
    .selectFrom('journal_cursor')
    .select('seq')
    .where('journal_id', '=', journalId)
    .executeTakeFirst()
  return row?.seq ?? 0
}

/** Clicks of one slug in a window and in the one before it. */
export interface SlugClicks {
  link_id: number
  slug: string
  current: number
  previous: number
}

/**
 * Clicks per slug of these links, exactly as a scan of the raw clicks would count them: whole hours from the sums,
 * less the raw clicks of the first and last hour that lie outside. One statement, so that clicks which arrive
 * meanwhile are seen wholly or not at all. Slugs without clicks in either window are left out.
 */
export async function clicksInWindows(
  { read, dialect }: Database<Tables>,
  linkIds: readonly number[],
  current: Window,
  previous: Window | undefined,
): Promise<SlugClicks[]> {
  const chosen = among(dialect, 'link_id', linkIds)
  const parts = windowParts(chosen, current, (amount) => sql`${amount} as current, 0 as previous`)
  if (previous)
    parts.push(...windowParts(chosen, previous, (amount) => sql`0 as current, ${amount} as previous`))
  const { rows } = await sql<SlugClicks>`
    select link_id, slug, sum(current) as current, sum(previous) as previous
    from (${sql.join(parts, sql` union all `)}) as part
    group by link_id, slug
    having sum(current) > 0 or sum(previous) > 0`.execute(read)
  return rows
}

/** `link_id, clicks` of every link clicked in the window, for ranking. */
export function clicksByLink(window: Window): RawBuilder<unknown> {
  const parts = windowParts(sql`1 = 1`, window, (amount) => sql`${amount} as clicks`)
  return sql`select link_id, sum(clicks) as clicks from (${sql.join(parts, sql` union all `)}) as part group by link_id`
}

type Fragment = RawBuilder<unknown>

function windowParts(
  chosen: Fragment,
  { from, to }: Window,
  counted: (amount: Fragment) => Fragment,
): Fragment[] {
  const firstHour = hourOf(from)
  const endOfLastHour = hourOf(to) + HOUR
  const outside = (low: number, high: number) => sql`
    select link_id, slug, ${counted(sql`-1`)} from click
    where ${chosen} and clicked_at >= ${low} and clicked_at < ${high}`
  return [
    sql`select link_id, slug, ${counted(sql`clicks`)} from click_hour
      where ${chosen} and hour >= ${firstHour} and hour <= ${to}`,
    outside(firstHour, from),
    outside(to + 1, endOfLastHour),
  ]
}
