import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { cpus, tmpdir, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Database, openDatabase } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { sql } from 'kysely'
import pg from 'pg'
import type { Context } from '../../apps/links/src/api/context.ts'
import { migrations } from '../../apps/links/src/db/migrations.ts'
import type { Tables } from '../../apps/links/src/db/tables.ts'
import { listLinksInAdmin as listLinks } from '../../apps/links/src/links/list-operations.ts'
import { readLinkCounts } from '../../apps/links/src/links/count.ts'
import { LinkFilter, LinkPageQuery } from '../../apps/links/src/links/schema.ts'
import { type CompleteRow, storeRows } from '../../apps/links/src/transfer/store.ts'
import { NOW, links } from './corpus.ts'

/**
 * Measures pages of the list on both engines: `bun bench/search/run.ts --links 1000000`. PostgreSQL
 * is measured only if `LATCHKEY_TEST_POSTGRES` names a server. `--keep <file>` keeps the databases
 * and measures existing ones.
 */
const { values } = parseArgs({
  options: {
    links: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '20' },
    engine: { type: 'string', default: 'sqlite,postgres' },
    keep: { type: 'string' },
  },
})
const linkCount = Number(values.links)
const rounds = Number(values.rounds)
const BATCH = 5_000

const cases: Record<string, Record<string, string>> = {
  'newest links': {},
  'a word in each link: https': { search: 'https' },
  'a common word: friday': { search: 'friday' },
  'a common word, most clicked: friday': { search: 'friday', sort: 'clicks' },
  'two common words, rarely together: friday black': { search: 'friday black' },
  'two common words, never together: betatwo alphaone': { search: 'betatwo alphaone' },
  'three words': { search: 'utm_source friday black' },
  'part of words: ida lac': { search: 'rida lack' },
  'a rare word: needlefish': { search: 'needlefish' },
  'a word in no link: zebra': { search: 'zebra' },
  'a word in old links only: oldword': { search: 'oldword' },
  'a slug': { search: 'kari-' },
  'two letters: ri': { search: 'ri' },
  'two letters in no link: qq': { search: 'qq' },
  'in the order of slugs': { sort: 'slug' },
  'in the order of expiry': { sort: 'expires' },
  'oldest first': { order: 'asc' },
  'of a host': { host: 'shop.example' },
  'of a source with no links': { source: 'mcp' },
  'that expire soon': { status: 'expiring' },
  'disabled, most clicked': { status: 'disabled', sort: 'clicks' },
  'in no bundle': { no_bundle: 'true' },
}

const countCases: Record<string, Record<string, string>> = {
  'counts of all links': {},
  'counts of a search: friday': { search: 'friday' },
  'counts of a search: friday black': { search: 'friday black' },
}

async function fill(database: Database<Tables>): Promise<void> {
  await migrate(database, migrations)
  let rows: CompleteRow[] = []
  const store = async () => {
    await database.write((tx) => storeRows(tx, rows, Math.floor(Date.now() / 1000)))
    rows = []
  }
  for (const row of links(linkCount)) {
    rows.push(row)
    if (rows.length === BATCH) await store()
  }
  if (rows.length > 0) await store()
  await sql.raw(database.dialect === 'postgres' ? 'vacuum analyze' : 'analyze').execute(database.writer)
}

function contextOf(database: Database<Tables>): Context {
  return {
    database,
    now: NOW,
    filters: { bots: true, selfReferrers: true },
    identity: 'ann@example.com',
    origin: 'http://localhost',
    flushClicks: async () => true,
  } as unknown as Context
}

interface Measurement {
  times: number[]
  cpuMs: number
}

async function measure(run: () => Promise<unknown>): Promise<Measurement> {
  const times: number[] = []
  let cpu = process.cpuUsage()
  for (let round = -3; round < rounds; round++) {
    if (round === 0) cpu = process.cpuUsage()
    const startedMs = performance.now()
    await run()
    if (round >= 0) times.push(performance.now() - startedMs)
  }
  const { user, system } = process.cpuUsage(cpu)
  return { times: times.toSorted((a, b) => a - b), cpuMs: (user + system) / 1000 / rounds }
}

const list = (database: Database<Tables>, query: Record<string, string>) => () =>
  listLinks.handler(contextOf(database), {
    query: LinkPageQuery.parse({ page: '1', ...query }),
    params: undefined,
    body: undefined,
  })

const count = (database: Database<Tables>, query: Record<string, string>) => () =>
  readLinkCounts(database, LinkFilter.parse(query), NOW)

function quantile(sorted: readonly number[], part: number): string {
  return (sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0).toFixed(1)
}

async function report(url: string, engine: string, isFilled: boolean): Promise<void> {
  const database = openDatabase<Tables>(url)
  const startedMs = performance.now()
  if (!isFilled) await fill(database)
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0)
  console.log(`\n## ${engine}, ${linkCount} links, stored in ${seconds} s\n`)
  console.log('| Page of 25 links | p50 ms | p95 ms | CPU ms here |\n|---|---|---|---|')
  const print = (name: string, { times, cpuMs }: Measurement) =>
    console.log(`| ${name} | ${quantile(times, 0.5)} | ${quantile(times, 0.95)} | ${cpuMs.toFixed(1)} |`)
  for (const [name, query] of Object.entries(cases)) print(name, await measure(list(database, query)))
  for (const [name, query] of Object.entries(countCases)) print(name, await measure(count(database, query)))
  await database.close()
}

console.log(
  `${new Date().toISOString().slice(0, 10)}, ${cpus()[0]?.model} x ${cpus().length}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${type()}, Bun ${Bun.version}, ${rounds} rounds`,
)
if (values.engine.includes('sqlite')) {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-search-'))
  const file = values.keep ?? join(folder, 'links.db')
  await report(`sqlite:${file}`, 'SQLite', existsSync(file))
  console.log(`\n${Math.round(statSync(file).size / 1e6)} MB`)
  rmSync(folder, { recursive: true })
}
const server = process.env['LATCHKEY_TEST_POSTGRES']
if (values.engine.includes('postgres') && server) {
  const name = `latchkey_search_${values.keep ? 'kept' : process.pid}`
  const admin = new pg.Client(server)
  await admin.connect()
  const { rows } = await admin.query('select 1 from pg_database where datname = $1', [name])
  if (rows.length === 0) await admin.query(`create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  await report(String(url), 'PostgreSQL', rows.length > 0)
  const size = await admin.query<{ size: string }>('select pg_database_size($1) as size', [name])
  console.log(`\n${Math.round(Number(size.rows[0]?.size) / 1e6)} MB`)
  if (!values.keep) await admin.query(`drop database ${name} with (force)`)
  await admin.end()
}
