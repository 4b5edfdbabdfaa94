import { openPool } from '@latchkey/database/pool'
import type { PoolClient } from 'pg'
import type { ClassifiedClick } from './click.ts'
import { clickValues } from './click-values.ts'
import type { Cursor, Recorder } from './recorder.ts'
import { type HourCount, tallyByHour, tallyBySlug } from './tally.ts'

/** One array per column, so that a batch of any size is one statement with a fixed text. */
const ADD_TO_SLUGS = `update slug set clicks = slug.clicks + added.clicks
  from unnest($1::text[], $2::bigint[], $3::bigint[]) as added (slug, link_id, clicks)
  where slug.slug = added.slug and slug.link_id = added.link_id
  returning slug.slug, slug.link_id`

const LOCK_SLUGS = `select 1 from slug where slug = any($1::text[]) order by slug for update`

const ADD_TO_HOURS = `insert into click_hour (link_id, slug, hour, clicks, bots, self_referrers, bot_self_referrers)
  select * from unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
  on conflict (link_id, hour, slug) do update set clicks = click_hour.clicks + excluded.clicks,
    bots = click_hour.bots + excluded.bots, self_referrers = click_hour.self_referrers + excluded.self_referrers,
    bot_self_referrers = click_hour.bot_self_referrers + excluded.bot_self_referrers`

const INSERT_CLICKS = `insert into click (link_id, slug, clicked_at, referrer, referrer_host, country, device_type, os,
    browser, link_mode, channel, utm_source, utm_medium, utm_campaign, utm_term, utm_content, user_agent, is_bot,
    is_self_referrer, visitor_fp)
  select * from unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[],
    $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[],
    $17::text[], $18::bigint[], $19::bigint[], $20::text[])`

const POSITION = 'select seq from journal_cursor where journal_id = $1'
const MOVE_CURSOR = `insert into journal_cursor (journal_id, seq) values ($1, $2)
  on conflict (journal_id) do update set seq = excluded.seq`

export function openPostgresRecorder(url: string): Recorder {
  const pool = openPool(url)
  return {
    async position(journalId) {
      const { rows } = await pool.query<{ seq: number }>(POSITION, [journalId])
      return rows[0]?.seq ?? 0
    },
    async record(clicks, move) {
      const client = await pool.connect()
      try {
        await client.query('begin')
        const recorded = await recordIn(client, clicks, move)
        await client.query(recorded ? 'commit' : 'rollback')
        client.release()
        return recorded
      } catch (error) {
        // The connection may be half way through anything: it is not used again, and the server rolls back.
        client.release(true)
        throw error
      }
    },
    close: () => pool.end(),
  }
}

async function recordIn(
  client: PoolClient,
  clicks: readonly ClassifiedClick[],
  move: { from: Cursor; to: number } | undefined,
): Promise<boolean> {
  if (move && !(await takeCursor(client, move.from))) return false
  if (clicks.length > 0) await store(client, clicks)
  if (move) await client.query(MOVE_CURSOR, [move.from.journalId, move.to])
  return true
}

async function store(client: PoolClient, clicks: readonly ClassifiedClick[]): Promise<void> {
  const hours = tallyByHour(clicks)
  const slugs = tallyBySlug(hours)
  await client.query(LOCK_SLUGS, [slugs.map((row) => row.slug)])
  const counted = await client.query<{ slug: string; link_id: number }>(
    ADD_TO_SLUGS,
    columns(slugs, (row) => [row.slug, row.linkId, row.clicks]),
  )
  const present = new Set(counted.rows.map((row) => `${row.link_id} ${row.slug}`))
  const isPresent = (row: { linkId: number; slug: string }) => present.has(`${row.linkId} ${row.slug}`)
  const keptHours = hours.filter(isPresent)
  if (keptHours.length === 0) return
  await client.query(ADD_TO_HOURS, columns(keptHours, hourColumns))
  await client.query(INSERT_CLICKS, columns(clicks.filter(isPresent), clickValues))
}

/** Locks the journal's cursor for this transaction; false when it stands elsewhere. */
async function takeCursor(client: PoolClient, { journalId, seq }: Cursor): Promise<boolean> {
  await client.query('insert into journal_cursor (journal_id, seq) values ($1, 0) on conflict do nothing', [
    journalId,
  ])
  const { rows } = await client.query<{ seq: number }>(`${POSITION} for update`, [journalId])
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
