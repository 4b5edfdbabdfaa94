import { retryConflicts } from '@latchkey/database/database'
import { openPool } from '@latchkey/database/pool'
import type { Pool, PoolClient } from 'pg'
import { clickRanges } from '../events/click-ranges.ts'
import { EVENT_LOCK } from '../events/store.ts'
import { invalidateRollups } from '../clicks/changed-hours.ts'
import type { ClassifiedClick } from '../clicks/click.ts'
import { clickValues } from '../clicks/click-values.ts'
import type { Cursor, Recorder } from './recorder.ts'
import { type HourCount, countByHour } from './hour-counts.ts'

// Each statement takes one array per column. A batch of any size is one statement with a fixed
// text.

/**
 * Keeps these slugs from being removed until the transaction ends. Slugs missing from the result
 * were removed before.
 */
const LOCK_SLUGS_FOR_SHARE = `select slug, link_id from slug where slug = any($1::text[]) order by slug for key share`

const addTo = (hours: string) => `on conflict (link_id, hour, slug) do update set
  clicks = ${hours}.clicks + excluded.clicks, bots = ${hours}.bots + excluded.bots,
  self_referrers = ${hours}.self_referrers + excluded.self_referrers,
  bot_self_referrers = ${hours}.bot_self_referrers + excluded.bot_self_referrers`

const HOUR_COLUMNS = '(link_id, slug, hour, clicks, bots, self_referrers, bot_self_referrers)'

const ADD_TO_HOURS = `insert into click_hour_open ${HOUR_COLUMNS}
  select * from unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
  ${addTo('click_hour_open')}`

/** Rows that close in one transaction. */
const HOURS_PER_CLOSE = 4_000

const SELECT_CLOSING = `select link_id, slug, hour from click_hour_open where hour < $1
  order by link_id, hour, slug limit ${HOURS_PER_CLOSE}`
/** In the lock order of all writers: slugs by name, then hours by key. */
const LOCK_SLUGS = `select 1 from slug where slug = any($1::text[]) order by slug for no key update`
const CLOSE_HOURS = `with locked as (
    select open.link_id, open.slug, open.hour from click_hour_open as open
    join unnest($1::bigint[], $2::text[], $3::bigint[]) as chosen (link_id, slug, hour)
    on open.link_id = chosen.link_id and open.slug = chosen.slug and open.hour = chosen.hour
    order by open.link_id, open.hour, open.slug for update of open
  ), closing as (
    delete from click_hour_open as open using locked
    where open.link_id = locked.link_id and open.slug = locked.slug and open.hour = locked.hour returning open.*
  ), closed as (
    insert into click_hour_closed ${HOUR_COLUMNS}
    select link_id, slug, hour, clicks, bots, self_referrers, bot_self_referrers from closing
    ${addTo('click_hour_closed')}
  )
  update slug set closed_clicks = closed_clicks + sum.clicks, closed_bots = closed_bots + sum.bots,
    closed_self_referrers = closed_self_referrers + sum.self_referrers,
    closed_bot_self_referrers = closed_bot_self_referrers + sum.bot_self_referrers
  from (select link_id, slug, sum(clicks) as clicks, sum(bots) as bots, sum(self_referrers) as self_referrers,
    sum(bot_self_referrers) as bot_self_referrers from closing group by link_id, slug) as sum
  where slug.slug = sum.slug and slug.link_id = sum.link_id`

const INVALIDATE_ROLLUPS = invalidateRollups(
  'postgres',
  'select * from unnest($1::bigint[], $2::bigint[]) as input (link_id, hour)',
)

const INSERT_CLICKS = `insert into click (link_id, slug, clicked_at, referrer, referrer_host, country, device_type, os,
    browser, link_mode, channel, utm_source, utm_medium, utm_campaign, utm_term, utm_content, user_agent, is_bot,
    is_self_referrer, visitor_fp, variant, legacy_path)
  select * from unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[],
    $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[],
    $17::text[], $18::bigint[], $19::bigint[], $20::text[], $21::text[], $22::text[]) returning id`

/** Also keeps the clicks of other nodes from coming between those of this transaction. */
const LOCK_EVENTS = `select pg_advisory_xact_lock(${EVENT_LOCK})`
const INSERT_EVENTS = `insert into event (type, at, data, first_click, last_click)
  select 'link.clicked', $1::bigint, '{}', first, last from unnest($2::bigint[], $3::bigint[]) as range (first, last) order by first`

const SELECT_POSITION = 'select seq from journal_cursor where journal_id = $1'
const MOVE_CURSOR = `insert into journal_cursor (journal_id, seq) values ($1, $2)
  on conflict (journal_id) do update set seq = excluded.seq`

/**
 * With a limit, statements that take longer fail, even if the server has vanished without closing
 * the connection.
 */
export function openPostgresRecorder(url: string, statementLimitMs?: number): Recorder {
  const pool = openPool(url, { statementLimitMs: statementLimitMs })
  return {
    async position(journalId) {
      const { rows } = await pool.query<{ seq: number }>(SELECT_POSITION, [journalId])
      return rows[0]?.seq ?? 0
    },
    record: (clicks, move) =>
      transaction(pool, async (client) => {
        const isRecorded = await recordInTransaction(client, clicks, move)
        return { commit: isRecorded, result: isRecorded }
      }),
    closeHours: (before) =>
      transaction(pool, async (client) => {
        const { rows } = await client.query<{ link_id: number; slug: string; hour: number }>(SELECT_CLOSING, [
          before,
        ])
        await client.query(LOCK_SLUGS, [[...new Set(rows.map((row) => row.slug))]])
        if (rows.length > 0) {
          await client.query(
            CLOSE_HOURS,
            columns(rows, (row) => [row.link_id, row.slug, row.hour]),
          )
          const hourColumnsOfRows = columns(rows, (row) => [row.link_id, row.hour])
          for (const statement of INVALIDATE_ROLLUPS) await client.query(statement, hourColumnsOfRows)
        }
        return { commit: true, result: rows.length === HOURS_PER_CLOSE }
      }),
    deleteSalts: (before) => deleteSalts(pool, before),
    close: () => pool.end(),
  }
}

/** Another session holds the lock, for example a running dump. */
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Deleted rows would stay in the file until a later vacuum, so the remaining rows get a new file.
 */
async function deleteSalts(pool: Pool, before: number): Promise<void> {
  const { rows } = await pool.query('select 1 from visitor_salt where day < $1 limit 1', [before])
  if (rows.length === 0) return
  try {
    await transaction(pool, async (client) => {
      await client.query('lock table visitor_salt in access exclusive mode nowait')
      const remaining = await client.query<{ day: number; salt: string }>(
        'select day, salt from visitor_salt where day >= $1',
        [before],
      )
      await client.query('truncate visitor_salt')
      for (const { day, salt } of remaining.rows)
        await client.query('insert into visitor_salt (day, salt) values ($1, $2)', [day, salt])
      return { commit: true, result: undefined }
    })
  } catch (error) {
    if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error
  }
}

type Work<Result> = (client: PoolClient) => Promise<{ commit: boolean; result: Result }>

/**
 * Deleting clicks locks hours before slugs. If both run at once, one is rolled back and retried.
 */
function transaction<Result>(pool: Pool, work: Work<Result>): Promise<Result> {
  return retryConflicts(() => runOnce(pool, work))
}

async function runOnce<Result>(pool: Pool, work: Work<Result>): Promise<Result> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const { commit, result } = await work(client)
    await client.query(commit ? 'commit' : 'rollback')
    client.release()
    return result
  } catch (error) {
    // The state of the connection is unknown. It is not reused, and the server rolls back.
    client.release(true)
    throw error
  }
}

async function recordInTransaction(
  client: PoolClient,
  clicks: readonly ClassifiedClick[],
  move: { from: Cursor; to: number } | undefined,
): Promise<boolean> {
  if (move && !(await lockCursor(client, move.from))) return false
  if (clicks.length > 0) await insertClicks(client, clicks, { hasEvents: move !== undefined })
  if (move) await client.query(MOVE_CURSOR, [move.from.journalId, move.to])
  return true
}

async function insertClicks(
  client: PoolClient,
  clicks: readonly ClassifiedClick[],
  { hasEvents }: { hasEvents: boolean },
): Promise<void> {
  const hours = countByHour(clicks)
  const lockedSlugs = await client.query<{ slug: string; link_id: number }>(LOCK_SLUGS_FOR_SHARE, [
    [...new Set(hours.map((row) => row.slug))],
  ])
  const present = new Set(lockedSlugs.rows.map((row) => `${row.link_id} ${row.slug}`))
  const isPresent = (row: { linkId: number; slug: string }) => present.has(`${row.linkId} ${row.slug}`)
  const presentHours = hours.filter(isPresent)
  if (presentHours.length === 0) return
  await client.query(ADD_TO_HOURS, columns(presentHours, hourColumns))
  if (hasEvents) await client.query(LOCK_EVENTS)
  const { rows } = await client.query<{ id: number }>(
    INSERT_CLICKS,
    columns(clicks.filter(isPresent), clickValues),
  )
  // Imported clicks happened long ago.
  if (!hasEvents) return
  const ids = rows.map(({ id }) => id)
  const ranges = clickRanges({ first: Math.min(...ids), last: Math.max(...ids) })
  const rangeColumns = columns(ranges, ({ first, last }) => [first, last])
  await client.query(INSERT_EVENTS, [Math.floor(Date.now() / 1000), ...rangeColumns])
}

/** Locks the journal's cursor for this transaction. False if the cursor is at another position. */
async function lockCursor(client: PoolClient, { journalId, seq }: Cursor): Promise<boolean> {
  await client.query('insert into journal_cursor (journal_id, seq) values ($1, 0) on conflict do nothing', [
    journalId,
  ])
  const { rows } = await client.query<{ seq: number }>(`${SELECT_POSITION} for update`, [journalId])
  return rows[0]?.seq === seq
}

type Value = string | number | null

function columns<Row>(rows: readonly Row[], valuesOf: (row: Row) => Value[]): Value[][] {
  const byRow = rows.map(valuesOf)
  return (byRow[0] ?? []).map((_, column) => byRow.map((values) => values[column] ?? null))
}

function hourColumns(hour: HourCount): Value[] {
  return [
    hour.linkId,
    hour.slug,
    hour.hour,
    hour.clicks,
    hour.bots,
    hour.selfReferrers,
    hour.botSelfReferrers,
  ]
}
