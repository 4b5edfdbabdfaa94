import type { Database } from '@latchkey/database/database'
import { lockRows } from '@latchkey/database/locks'
import type { Transaction } from 'kysely'
import { dimensions } from '../clicks/dimensions.ts'
import { sumByDimension } from '../rollups/index.ts'
import { DAY, hourOf } from '../time/window.ts'
import type { ClickForgottenTable, ClickTable } from '../db/click-tables.ts'
import type { Tables } from '../db/tables.ts'
import { markHoursChanged } from '../clicks/changed-hours.ts'

/** How often clicks that are too old are deleted. */
export const RETENTION_EVERY_HOURS = 1
/** Clicks per transaction, few enough not to delay the redirects that run beside it. */
const CLICKS_PER_STEP = 500
/** Rows per statement. Engines accept some ten thousand parameters. */
const ROWS_PER_INSERT = 500
/** Full referrers are deleted; all other dimensions are kept per hour (L13.6). */
const keptDimensions = dimensions.filter((dimension) => dimension !== 'referrer')

/**
 * Replaces the raw clicks of all UTC days before the one that contains this moment (Unix seconds)
 * by hourly rollups, in small transactions. Only whole days are deleted, because visitors are
 * counted per day. Returns the number of clicks.
 */
export async function deleteClicksBefore(database: Database<Tables>, moment: number): Promise<number> {
  for (let deletedCount = 0; ;) {
    const count = await database.write((tx) => deleteBatch(tx, database, moment - (moment % DAY)))
    deletedCount += count
    if (count < CLICKS_PER_STEP) return deletedCount
    // Writing to a file does not yield to the event loop. Without this, no redirects would be
    // served until the last click is deleted.
    await new Promise((resolve) => setImmediate(resolve))
  }
}

async function deleteBatch(
  tx: Transaction<Tables>,
  { dialect }: Database<Tables>,
  end: number,
): Promise<number> {
  const query = tx
    .selectFrom('click')
    .select(['id', 'link_id', 'slug', 'clicked_at', 'is_bot', 'is_self_referrer', ...keptDimensions])
    .where('clicked_at', '<', end)
    .limit(CLICKS_PER_STEP)
  const clicks = await lockRows(dialect, query, 'clicked_at').execute()
  if (clicks.length === 0) return 0
  const rows = sumByHour(clicks)
  for (let first = 0; first < rows.length; first += ROWS_PER_INSERT)
    await tx
      .insertInto('click_forgotten')
      .values(rows.slice(first, first + ROWS_PER_INSERT))
      .execute()
  const ids = clicks.map((click) => click.id)
  await tx.deleteFrom('click').where('id', 'in', ids).execute()
  const hours = clicks.map(({ link_id, clicked_at }) => ({ link_id, hour: hourOf(clicked_at) }))
  await markHoursChanged(tx, dialect, hours)
  return clicks.length
}

type OldClick = Pick<
  ClickTable,
  'link_id' | 'slug' | 'clicked_at' | 'is_bot' | 'is_self_referrer' | (typeof keptDimensions)[number]
>

function sumByHour(clicks: readonly OldClick[]): ClickForgottenTable[] {
  const groups = Map.groupBy(
    clicks,
    ({ link_id, slug, clicked_at }) => `${link_id} ${slug} ${hourOf(clicked_at)}`,
  )
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (!first) return []
    const { link_id, slug } = first
    const hour = hourOf(first.clicked_at)
    return sumByDimension(group, keptDimensions).map((sums) => ({ link_id, slug, hour, ...sums }))
  })
}
