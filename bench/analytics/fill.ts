import { type Database, openDatabase } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { type RawBuilder, sql } from 'kysely'
import { RollupJob } from '../../apps/links/src/rollups/index.ts'
import { invalidateRollups } from '../../apps/links/src/clicks/changed-hours.ts'
import { migrations } from '../../apps/links/src/db/migrations.ts'
import type { Tables } from '../../apps/links/src/db/tables.ts'

/** 2026-11-15 12:34:56 UTC: inside an hour, so both edges of every range cut an hour. */
export const NOW = Date.UTC(2026, 10, 15, 12, 34, 56) / 1000
export const SPAN = 730 * 86_400
const THIS_HOUR = NOW - (NOW % 3600)

export interface Size {
  links: number
  /** Number of clicks. Five of six are on one link. */
  clicks: number
  /** False: no rollups are stored, and statistics are computed from clicks. */
  sums?: boolean
}

/** Number of links that share the clicks on other links. */
const CLICKED_LINKS = 50_000
const COUNTS = 'clicks, bots, self_referrers, bot_self_referrers'
const COUNT_EXPRESSIONS = 'count(*), sum(is_bot), sum(is_self_referrer), sum(is_bot * is_self_referrer)'

/**
 * Fills a database with two years of clicks with their hours and rollups, as the service would
 * leave them.
 */
export async function fill(
  url: string,
  size: Size,
  log: (message: string) => void,
): Promise<Database<Tables>> {
  const database = openDatabase<Tables>(url)
  await migrate(database, migrations)
  const { dialect } = database
  const run = async (label: string, ...statements: RawBuilder<unknown>[]) => {
    const startedMs = performance.now()
    await database.write(async (tx) => {
      for (const statement of statements) await statement.execute(tx)
    })
    log(`${label}: ${Math.round((performance.now() - startedMs) / 1000)} s`)
  }
  // A failed fill is repeated from the beginning.
  if (dialect === 'sqlite')
    for (const pragma of ['synchronous = off', 'cache_size = -400000', 'temp_store = memory'])
      await sql.raw(`pragma ${pragma}`).execute(database.writer)
  await run('links', ...links(dialect, size))
  await run(
    'clicks',
    sql`drop index click_by_link`,
    sql`drop index click_by_time`,
    clicks(dialect, size),
    sql`create index click_by_link on click (link_id, clicked_at, is_bot, is_self_referrer)`,
    sql`create index click_by_time on click (clicked_at, is_bot, is_self_referrer)`,
  )
  await run('hours', ...hours())
  await sql.raw(dialect === 'postgres' ? 'vacuum analyze' : 'analyze').execute(database.writer)
  if (size.sums !== false) {
    await run('due', ...due(dialect))
    await computeRollups(database, log)
  }
  return database
}

/** Opens a filled database and brings it up to date: migrations may have made rollups due again. */
export async function reopen(url: string, log: (message: string) => void): Promise<Database<Tables>> {
  const database = openDatabase<Tables>(url)
  await migrate(database, migrations)
  await computeRollups(database, log)
  return database
}

/** Computes rollups in the same way as the service. */
async function computeRollups(database: Database<Tables>, log: (message: string) => void): Promise<void> {
  const startedMs = performance.now()
  const rollupJob = new RollupJob(database)
  let steps = 0
  while (await rollupJob.step(THIS_HOUR)) steps++
  log(`sums, ${steps} steps: ${Math.round((performance.now() - startedMs) / 1000)} s`)
  if (steps > 0)
    await sql.raw(database.dialect === 'postgres' ? 'vacuum analyze' : 'analyze').execute(database.writer)
}

type Dialect = Database<Tables>['dialect']

function numbers(dialect: Dialect, count: number): RawBuilder<unknown> {
  return dialect === 'postgres'
    ? sql`generate_series(0::bigint, ${sql.lit(count - 1)}) as series (i)`
    : sql`(with recursive series (i) as (values (0) union all select i + 1 from series where i < ${sql.lit(count - 1)})
        select i from series) as series`
}

function links(dialect: Dialect, { links: count }: Size): RawBuilder<unknown>[] {
  const at = sql`${sql.lit(NOW - SPAN)} + i * ${sql.lit(SPAN)} / ${sql.lit(count)}`
  return [
    sql`insert into link (id, url, url_key, created_by, created_at, primary_slug, search_text)
      select i + 1, 'https://example.com/' || i, i, 'ann@example.com', ${at}, 's' || i, 'https://example.com/' || i
      from ${numbers(dialect, count)}`,
    sql`insert into slug (slug, link_id, is_custom, created_at)
      select 's' || i, i + 1, 0, ${at} from ${numbers(dialect, count)}`,
  ]
}

/**
 * A skewed distribution: a few values are frequent and many are rare, identical on both engines.
 */
function skewedValue(prefix: string, count: number, salt: number): string {
  const random = `((i * ${48_271 + 2 * salt}) % 65521)`
  return `'${prefix}' || (${random} * ${random} / 65521 * ${count} / 65521)`
}

function clicks(dialect: Dialect, { clicks: count }: Size): RawBuilder<unknown> {
  const at = `(${NOW - SPAN} + i * ${SPAN} / ${count})`
  const link = `(case when i % 6 = 5 then 2 + ((i * 48281) % 65521) * ((i * 48281) % 65521) / 65521 * ${CLICKED_LINKS} / 65521 else 1 end)`
  const some = (value: string, modulo: number) => `case when i % ${modulo} = 0 then ${value} end`
  return sql`insert into click (link_id, slug, clicked_at, referrer, referrer_host, country, device_type, os, browser,
      link_mode, channel, utm_source, utm_medium, utm_campaign, user_agent, is_bot, is_self_referrer, visitor_fp)
    select ${sql.raw(`${link}, 's' || (${link} - 1), ${at}, ${some(`'https://' || ${skewedValue('host-', 200, 1)} || '.example/' || (i % 7)`, 2)},
      ${some(`${skewedValue('host-', 200, 1)} || '.example'`, 2)}, ${skewedValue('C', 60, 2)}, ${skewedValue('device-', 3, 3)},
      ${skewedValue('os-', 7, 4)}, ${skewedValue('browser-', 12, 5)}, case when i % 9 = 0 then 'qr' else 'link' end,
      ${skewedValue('channel-', 7, 6)}, ${some(skewedValue('source-', 30, 7), 3)}, ${some(skewedValue('medium-', 10, 8), 3)},
      ${some(skewedValue('campaign-', 50, 9), 3)},
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
      case when i % 10 = 3 then 1 else 0 end, case when i % 50 = 7 then 1 else 0 end,
      'aaaaaaaabbbbbbbbccccccccddddddddeeeeeeeeffff' || (${at} / 86400) || '-' || ((i * 7919) % 9973)`)}
    from ${numbers(dialect, count)}`
}

function hours(): RawBuilder<unknown>[] {
  const hour = 'clicked_at - clicked_at % 3600'
  const into = (table: string, when: string) =>
    sql.raw(`insert into ${table} (link_id, slug, hour, ${COUNTS})
      select link_id, slug, ${hour}, ${COUNT_EXPRESSIONS} from click where ${when} group by 1, 2, 3`)
  return [
    into('click_hour_closed', `clicked_at < ${THIS_HOUR}`),
    into('click_hour_open', `clicked_at >= ${THIS_HOUR}`),
    sql.raw(`update slug set closed_clicks = sum.clicks, closed_bots = sum.bots,
        closed_self_referrers = sum.self_referrers, closed_bot_self_referrers = sum.bot_self_referrers
      from (select slug, sum(clicks) as clicks, sum(bots) as bots, sum(self_referrers) as self_referrers,
        sum(bot_self_referrers) as bot_self_referrers from click_hour_closed group by slug) as sum
      where slug.slug = sum.slug`),
  ]
}

/**
 * Rollups that are due: all except the hours of days in which no range begins or ends. They are
 * never read, and twenty thousand hours take as long as all the rest.
 */
function due(dialect: Dialect): RawBuilder<unknown>[] {
  const days = [0, 1, 2, 7, 14, 30, 60, 90, 180, 365, 730].map((age) => Math.floor(NOW / 86_400) - age)
  return [
    ...invalidateRollups(dialect, 'select link_id, hour from click_hour_closed where link_id = 1').map(
      (statement) => sql.raw(statement),
    ),
    sql.raw(
      `delete from click_due where unit in ('hour', '6h') and start / 86400 not in (${days.join(', ')})`,
    ),
  ]
}
