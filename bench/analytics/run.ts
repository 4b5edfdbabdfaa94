import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, tmpdir, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Database } from '@latchkey/database/database'
import type { AnyOperation } from '@latchkey/http/operation'
import { sql } from 'kysely'
import pg from 'pg'
import { getDashboard, getLinkAnalytics, getLinkTimeline } from '../../apps/links/src/analytics/operations.ts'
import { getAnalytics, getAnalyticsBreakdown } from '../../apps/links/src/analytics/explorer/operations.ts'
import { FilteredReads } from '../../apps/links/src/analytics/explorer/filtered-reads.ts'
import { Range } from '../../apps/links/src/time/schema.ts'
import type { Context } from '../../apps/links/src/api/context.ts'
import type { Tables } from '../../apps/links/src/db/tables.ts'
import { listLinks } from '../../apps/links/src/links/list-operations.ts'
import { SlugSpace } from '../../apps/links/src/links/slugs/generator.ts'
import { NOW, SPAN, fill, reopen } from './fill.ts'

/**
 * Measures the cost of statistics on both engines: `bun bench/analytics/run.ts --clicks 12000000
 * --links 1000000 --rounds 30`. PostgreSQL is measured only if `LATCHKEY_TEST_POSTGRES` names a
 * server; a separate database is created there and dropped. `--keep <file>` keeps SQLite's
 * database, and PostgreSQL's as `latchkey_analytics_kept`, and measures an existing one instead of
 * filling another. `--only` measures the cases whose names contain a text.
 */
const { values } = parseArgs({
  options: {
    clicks: { type: 'string', default: '60000' },
    links: { type: 'string', default: '5000' },
    rounds: { type: 'string', default: '20' },
    engine: { type: 'string', default: 'sqlite,postgres' },
    keep: { type: 'string' },
    only: { type: 'string', default: '' },
  },
})
const size = { clicks: Number(values.clicks), links: Number(values.links) }
const rounds = Number(values.rounds)

const filters = { bots: true, selfReferrers: true }

function contextAt({ database, filteredReads }: Measured, now: number): Context {
  const { signal } = new AbortController()
  return {
    database,
    now,
    filters,
    identity: 'ann@example.com',
    createdVia: 'app',
    source: { identity: 'ann@example.com', via: 'app', now },
    defaultRange: '30d',
    origin: 'http://localhost',
    slugSpace: new SlugSpace() as Context['slugSpace'],
    acceptsPng: false,
    acceptsNdjson: false,
    flushClicks: async () => true,
    readFiltered: (read) => filteredReads.run('ann@example.com', signal, read),
  } as Context
}

interface Measured {
  database: Database<Tables>
  filteredReads: FilteredReads
}

interface Case {
  name: string
  targetMs: number
  operation: AnyOperation<Context>
  params?: unknown
  query: Record<string, unknown>
  /** Rounds before the first that counts, if they are not `WARM_UP`. */
  warmUp?: number
}

/** A country of `fill.ts`, of which the first is the most frequent. */
const country = (index: number) => `C${index}`

/** The last million clicks of all, which do not begin at a day. */
const lastMillion = {
  from: NOW - Math.round(SPAN * Math.min(1, 1_000_000 / size.clicks)),
  tz: 'Europe/Stockholm',
}
const filteredCases = (
  [
    ['analytics, country', getAnalytics, { country: [country(0)] }],
    [
      'analytics, country and device',
      getAnalytics,
      { country: [country(0), country(1)], device: ['device-0'] },
    ],
    ['analytics, campaign of one link', getAnalytics, { link: [1], utm_campaign: ['campaign-3'] }],
    ['analytics, without country', getAnalytics, { country: [''] }],
    ['analytics, country, compared', getAnalytics, { country: [country(0)], compare: 'previous' }],
    [
      'breakdown of referrers, country',
      getAnalyticsBreakdown,
      { country: [country(0)], dimension: 'referrer', offset: 0, limit: 10 },
    ],
  ] as const
).map(([name, operation, query]) => ({
  name: `a million clicks: ${name}`,
  targetMs: 500,
  operation,
  query: { ...lastMillion, ...query },
  warmUp: 5,
}))

const link = { params: { id: 1 } }
const page = { status: 'all', limit: 100, sort: 'created' }
const cases: Case[] = [
  ...Range.options.map((range) => ({
    name: `analytics of one link, ${range}`,
    targetMs: 20,
    operation: getLinkAnalytics,
    ...link,
    query: { range, tz: 'UTC' },
  })),
  ...Range.options.map((range) => ({
    name: `timeline of one link, ${range}`,
    targetMs: 20,
    operation: getLinkTimeline,
    ...link,
    query: { range, tz: 'UTC' },
  })),
  {
    name: 'timeline of one link, 90d, Asia/Kolkata',
    targetMs: 20,
    operation: getLinkTimeline,
    ...link,
    query: { range: '90d', tz: 'Asia/Kolkata' },
  },
  ...Range.options.map((range) => ({
    name: `dashboard, ${range}`,
    targetMs: 100,
    operation: getDashboard,
    query: { range },
  })),
  { name: 'a hundred links, newest first', targetMs: 30, operation: listLinks, query: page },
  {
    name: 'the same, with clicks of 30d',
    targetMs: 30,
    operation: listLinks,
    query: { ...page, range: '30d' },
  },
  {
    name: 'a hundred links, most clicked ever',
    targetMs: 30,
    operation: listLinks,
    query: { ...page, sort: 'clicks' },
  },
  ...filteredCases,
]

/**
 * Processor time of the server's processes for this database so far, in milliseconds; 0 on SQLite
 * or with a remote server.
 */
async function serverCpuMs({ dialect, read }: Database<Tables>): Promise<number> {
  if (dialect === 'sqlite') return 0
  const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity
    where datname = current_database()`.execute(read)
  const ticks = rows.map(({ pid }) => {
    const stat = `/proc/${pid}/stat`
    const fields = existsSync(stat) ? readFileSync(stat, 'utf8').split(') ')[1]?.split(' ') : undefined
    return Number(fields?.[11] ?? 0) + Number(fields?.[12] ?? 0)
  })
  // A tick is a hundredth of a second.
  return 10 * ticks.reduce((sum, some) => sum + some, 0)
}

/**
 * Rounds until the JavaScript engine has compiled frequent code. Otherwise they would count as the
 * slowest of few rounds.
 */
const WARM_UP = 100

/**
 * Measures the milliseconds of each round, at times some seconds apart, and the processor time here
 * and at the server.
 */
async function measure(
  measured: Measured,
  { operation, params, query, warmUp = WARM_UP }: Case,
): Promise<{ times: number[]; cpuMs: number; serverMs: number }> {
  const { database } = measured
  const times: number[] = []
  let cpu = process.cpuUsage()
  let before = 0
  for (let round = -warmUp; round < rounds; round++) {
    const context = contextAt(measured, NOW + round * 7)
    if (round === 0) before = await serverCpuMs(database)
    if (round === 0) cpu = process.cpuUsage()
    const startedMs = performance.now()
    await operation.handler(context, { params, query, body: undefined, upload: undefined } as never)
    if (round >= 0) times.push(performance.now() - startedMs)
  }
  const { user, system } = process.cpuUsage(cpu)
  const serverMs = ((await serverCpuMs(database)) - before) / rounds
  return { times: times.toSorted((a, b) => a - b), cpuMs: (user + system) / 1000 / rounds, serverMs }
}

function quantile(sorted: readonly number[], part: number): string {
  return (sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0).toFixed(1)
}

async function report(url: string, engine: string, isFilled = false): Promise<void> {
  const log = (message: string) => console.error(`${engine}: ${message}`)
  const database = isFilled ? await reopen(url, log) : await fill(url, size, log)
  console.log(`\n## ${engine}, ${size.clicks} clicks, ${size.links} links\n`)
  console.log('|  | p50 ms | p95 ms | CPU ms here | CPU ms server | target |\n|---|---|---|---|---|---|')
  const filteredReads = new FilteredReads(url)
  for (const one of cases.filter(({ name }) => name.includes(values.only))) {
    const { times, cpuMs, serverMs } = await measure({ database, filteredReads }, one)
    const met = Number(quantile(times, 0.95)) <= one.targetMs
    console.log(
      `| ${one.name} | ${quantile(times, 0.5)} | ${quantile(times, 0.95)} | ${cpuMs.toFixed(1)} | ${serverMs.toFixed(1)} | ${one.targetMs}${met ? '' : ', missed'} |`,
    )
  }
  await filteredReads.close()
  await database.close()
}

console.log(
  `${new Date().toISOString().slice(0, 10)}, ${cpus()[0]?.model} x ${cpus().length}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${type()}, Bun ${Bun.version}, ${rounds} rounds`,
)
if (values.engine.includes('sqlite')) {
  if (values.keep) await report(`sqlite:${values.keep}`, 'SQLite', existsSync(values.keep))
  else {
    const folder = mkdtempSync(join(process.env['BENCH_FOLDER'] ?? tmpdir(), 'latchkey-analytics-'))
    await report(`sqlite:${join(folder, 'links.db')}`, 'SQLite').finally(() =>
      rmSync(folder, { recursive: true }),
    )
  }
}
const server = process.env['LATCHKEY_TEST_POSTGRES']
if (values.engine.includes('postgres') && server) {
  const name = `latchkey_analytics_${values.keep ? 'kept' : process.pid}`
  const admin = new pg.Client(server)
  await admin.connect()
  const { rows } = await admin.query('select 1 from pg_database where datname = $1', [name])
  if (rows.length === 0) await admin.query(`create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  try {
    await report(String(url), 'PostgreSQL', rows.length > 0)
  } finally {
    if (!values.keep) await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  }
}
