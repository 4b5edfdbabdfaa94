import { inList } from '@latchkey/database/database'
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { ViewerFilters } from './filters.ts'
import { hourOf } from '../time/window.ts'
import type { ClickCounts } from '../db/click-tables.ts'
import type { Db, Tables } from '../db/tables.ts'

/** The last counted batch of this journal; 0 for an unknown journal. */
export async function findPosition(db: Kysely<Tables>, journalId: string): Promise<number> {
  const row = await db
    .selectFrom('journal_cursor')
    .select('seq')
    .where('journal_id', '=', journalId)
    .executeTakeFirst()
  return row?.seq ?? 0
}

/**
 * The salt of a day (Unix seconds of its start) on all nodes: the stored one, or else this one,
 * which is then stored.
 */
export async function shareSalt(database: Db, day: number, salt: string): Promise<string> {
  const storedSalt = await findSalt(database.read, day)
  if (storedSalt !== undefined) return storedSalt
  return database.write(async (tx) => {
    await tx
      .insertInto('visitor_salt')
      .values({ day, salt })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    return (await findSalt(tx, day)) ?? salt
  })
}

async function findSalt(db: Kysely<Tables>, day: number): Promise<string | undefined> {
  const row = await db.selectFrom('visitor_salt').select('salt').where('day', '=', day).executeTakeFirst()
  return row?.salt
}

/** The clicks of a row that pass the filters. */
export function filteredSum({ bots, selfReferrers }: ViewerFilters): RawBuilder<number> {
  const subtractions = [
    ...(bots ? [sql` - bots`] : []),
    ...(selfReferrers ? [sql` - self_referrers`] : []),
    ...(bots && selfReferrers ? [sql` + bot_self_referrers`] : []),
  ]
  return sql<number>`(clicks${sql.join(subtractions, sql``)})`
}

/** Like `filteredSum`, for a row that has been read. */
export function filteredClicks(row: ClickCounts, { bots, selfReferrers }: ViewerFilters): number {
  const both = bots && selfReferrers ? row.bot_self_referrers : 0
  return row.clicks - (bots ? row.bots : 0) - (selfReferrers ? row.self_referrers : 0) + both
}

/** The condition that a raw click passes the filters. */
export function isInFilter({ bots, selfReferrers }: ViewerFilters): RawBuilder<SqlBool> {
  const conditions = [
    ...(bots ? [sql`is_bot = 0`] : []),
    ...(selfReferrers ? [sql`is_self_referrer = 0`] : []),
  ]
  return sql<SqlBool>`${conditions.length === 0 ? sql`1 = 1` : sql.join(conditions, sql` and `)}`
}

/**
 * The time of the first click that counts, to the second while raw clicks are kept; undefined
 * without any up to `now`.
 */
export async function findFirstClickTime(
  { read, dialect }: Db,
  linkIds: readonly number[],
  now: number,
  filters: ViewerFilters,
): Promise<number | undefined> {
  const first = (table: string) => sql`(select hour from ${sql.table(table)} as hours
    where hours.link_id = link.id and ${filteredSum(filters)} > 0 order by hour limit 1)`
  const { rows } = await sql<{ id: number; open: number | null; closed: number | null }>`
    select id, ${first('click_hour_open')} as open, ${first('click_hour_closed')} as closed
    from link where ${inList(dialect, 'id', linkIds)}`.execute(read)
  const hours = rows.flatMap(({ open, closed }) => [open ?? [], closed ?? []].flat())
  const hour = hours.length === 0 ? undefined : Math.min(...hours)
  if (hour === undefined || hour > now) return undefined
  // Hours with deleted raw clicks start with the hour, also if others came later.
  const { rows: raw } = await sql<{ at: number | null }>`select min(at) as at from (
      select clicked_at as at from click
        where ${inList(dialect, 'link_id', linkIds)} and clicked_at >= ${hour} and clicked_at <= ${now}
          and clicked_at < ${hour + 3600} and ${isInFilter(filters)}
      union all select hour as at from click_forgotten
        where ${inList(dialect, 'link_id', linkIds)} and hour = ${hour} and dimension = 'link_mode'
          and ${filteredSum(filters)} > 0
    ) as first`.execute(read)
  // The current hour may hold clicks of a node whose clock is ahead.
  return raw[0]?.at ?? (hour === hourOf(now) ? undefined : hour)
}

/** The time of the first click that counts, on any link; undefined without any up to `now`. */
export async function findFirstClickTimeOfInstance(
  { read }: Db,
  now: number,
  filters: ViewerFilters,
): Promise<number | undefined> {
  const { rows } = await sql<{ at: number }>`select at from (
      select * from (select clicked_at as at from click
        where clicked_at <= ${now} and ${isInFilter(filters)} order by clicked_at limit 1) as kept
      union all select * from (select hour as at from click_forgotten
        where dimension = 'link_mode' and ${filteredSum(filters)} > 0 order by hour limit 1) as forgotten
    ) as first order by at limit 1`.execute(read)
  return rows[0]?.at
}
