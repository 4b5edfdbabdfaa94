import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import type { Transaction } from 'kysely'
import { Tally, dimensions } from '../analytics/tally.ts'
import { DAY, HOUR, hourOf } from '../analytics/window.ts'
import type { ClickForgottenTable, ClickTable, Tables } from '../db/tables.ts'
import { changeHours } from './changed-hours.ts'

const EVERY_MS = HOUR * 1000
/** Clicks in one transaction: few enough that nobody notices, since this runs beside the redirects. */
const AT_ONCE = 500
/** Rows of one statement: an engine takes some ten thousand parameters. */
const ROWS_AT_ONCE = 500
/** Full referrers age out; everything else is kept to the hour (L13.6). */
const kept = dimensions.filter((dimension) => dimension !== 'referrer')

/** Forgets raw clicks older than `days`, now and every hour. Returns what stops it. */
export function forgetOldClicks(database: Database<Tables>, days: number | null, log: Log): () => void {
  if (days === null) return () => {}
  const run = () => {
    forgetClicksBefore(database, Math.floor(Date.now() / 1000) - days * DAY).catch((error: unknown) =>
      log.error('old clicks could not be deleted', { error }),
    )
  }
  run()
  const timer = setInterval(run, EVERY_MS)
  return () => clearInterval(timer)
}

/**
 * Replaces the raw clicks of all UTC days before the one that holds this moment (Unix seconds) by their sums per hour, in
 * small transactions. Whole days, because visitors are counted by the day. Returns how many clicks there were.
 */
export async function forgetClicksBefore(database: Database<Tables>, moment: number): Promise<number> {
  for (let forgotten = 0; ;) {
    const step = await database.write((tx) => forgetSome(tx, database, moment - (moment % DAY)))
    forgotten += step
    if (step < AT_ONCE) return forgotten
    // Writing to a file takes no turn of its own: without this nobody would be redirected until the last click is gone.
    await new Promise((resolve) => setImmediate(resolve))
  }
}

async function forgetSome(
  tx: Transaction<Tables>,
  { dialect }: Database<Tables>,
  end: number,
): Promise<number> {
  const clicks = await tx
    .selectFrom('click')
    .select(['id', 'link_id', 'slug', 'clicked_at', 'is_bot', 'is_self_referrer', ...kept])
    .where('clicked_at', '<', end)
    .orderBy('clicked_at')
    .limit(AT_ONCE)
    .$if(dialect === 'postgres', (query) => query.forUpdate())
    .execute()
  if (clicks.length === 0) return 0
  const rows = byHour(clicks)
  for (let first = 0; first < rows.length; first += ROWS_AT_ONCE)
    await tx
      .insertInto('click_forgotten')
      .values(rows.slice(first, first + ROWS_AT_ONCE))
      .execute()
  const ids = clicks.map((click) => click.id)
  await tx.deleteFrom('click').where('id', 'in', ids).execute()
  const hours = clicks.map(({ link_id, clicked_at }) => ({ link_id, hour: hourOf(clicked_at) }))
  await changeHours(tx, dialect, hours)
  return clicks.length
}

type OldClick = Pick<
  ClickTable,
  'link_id' | 'slug' | 'clicked_at' | 'is_bot' | 'is_self_referrer' | (typeof kept)[number]
>

function byHour(clicks: readonly OldClick[]): ClickForgottenTable[] {
  const groups = Map.groupBy(
    clicks,
    ({ link_id, slug, clicked_at }) => `${link_id} ${slug} ${hourOf(clicked_at)}`,
  )
  return [...groups.values()].flatMap((some) => {
    const [first] = some
    if (!first) return []
    const { link_id, slug } = first
    const hour = hourOf(first.clicked_at)
    const tally = new Tally()
    const add = tally.adder(kept)
    for (const click of some) add({ referrer: null, ...click })
    return kept.flatMap((dimension) => {
      const values = tally.of(dimension)
      return values.clicked().map((entry) => ({
        link_id,
        slug,
        hour,
        dimension,
        name: values.nameOf(entry),
        ...values.countsOf(entry),
      }))
    })
  })
}
