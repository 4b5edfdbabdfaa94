import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { cpus, tmpdir, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openBulk } from '@latchkey/database/archive/bulk'
import { type Database, openDatabase } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { sql } from 'kysely'
import pg from 'pg'
import type { Context } from '../../apps/rooms/src/api/context.ts'
import { migrations } from '../../apps/rooms/src/db/migrations.ts'
import type { Tables } from '../../apps/rooms/src/db/tables.ts'
import { searchOperations } from '../../apps/rooms/src/messages/search/operations.ts'
import { SearchQuery } from '../../apps/rooms/src/messages/search/schema.ts'
import { buildSearchIndex } from '../../apps/rooms/src/transfer/search-index.ts'
import { FIRST_GUEST, NOW, fill, roomId, userId } from './corpus.ts'

/**
 * Measures searches for messages on both engines: `bun bench/messages/run.ts --messages 1000000`.
 * PostgreSQL is measured only if `LATCHKEY_TEST_POSTGRES` names a server. `--keep <file>` keeps the
 * databases and measures existing ones.
 */
const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '20' },
    engine: { type: 'string', default: 'sqlite,postgres' },
    keep: { type: 'string' },
  },
})
const messageCount = Number(values.messages)
const rounds = Number(values.rounds)

const [search] = searchOperations
const STATEMENT_LIMIT_MS = 8_000
const DAY_MS = 86_400_000
const dayBefore = (days: number) => new Date(NOW - days * DAY_MS).toISOString()
/** A room with 7 percent of the messages, and one with 60 messages of a million. */
const [LARGE, SMALL] = [roomId(0), roomId(1_600)]

type Caller = 'member' | 'guest'
const cases: [name: string, caller: Caller, query: Record<string, string>][] = [
  ['a word of most messages: the', 'member', { q: 'the' }],
  ['a common word: friday', 'member', { q: 'friday' }],
  ['the beginning of a word: fri', 'member', { q: 'fri' }],
  ['one letter: f', 'member', { q: 'f' }],
  ['a word of one message: needlefish', 'member', { q: 'needlefish' }],
  ['a word of no message: zebra', 'member', { q: 'zebra' }],
  ['a word of old messages only: oldword', 'member', { q: 'oldword' }],
  ['two common words, rarely together: friday black', 'member', { q: 'friday black' }],
  ['two common words, never together: alphaone betatwo', 'member', { q: 'alphaone betatwo' }],
  ['four common words, never together', 'member', { q: 'the friday alphaone betatwo' }],
  ['a word of private rooms, few of them the caller’s: apollo', 'member', { q: 'apollo' }],
  ['the same with a common word', 'member', { q: 'apollo friday' }],
  ['in a large room: friday', 'member', { q: 'friday', room: LARGE }],
  ['in a large room: friday black', 'member', { q: 'friday black', room: LARGE }],
  ['in a small room: the', 'member', { q: 'the', room: SMALL }],
  ['of an author: the', 'member', { q: 'the', from: userId(200) }],
  ['of an author, without words', 'member', { from: userId(200) }],
  ['with a link, without words', 'member', { has: 'link' }],
  ['more than a year old: friday', 'member', { q: 'friday', before: dayBefore(400) }],
  ['old messages only, of the last days: oldword', 'member', { q: 'oldword', after: dayBefore(100) }],
  ['a guest who may read few rooms: the', 'guest', { q: 'the' }],
  ['the same: zebra', 'guest', { q: 'zebra' }],
  ['the same, a word of private rooms: apollo', 'guest', { q: 'apollo' }],
]

async function store(url: string): Promise<void> {
  const empty = openDatabase<Tables>(url)
  await migrate(empty, migrations)
  await empty.close()
  const bulk = await openBulk(url)
  await fill(bulk, messageCount)
  await buildSearchIndex(bulk)
  await bulk.commit()
  await bulk.close()
  const database = openDatabase<Tables>(url)
  await sql.raw(database.dialect === 'postgres' ? 'vacuum analyze' : 'analyze').execute(database.writer)
  await database.close()
}

/** The caller as the service knows them, who has no limit of searches. */
async function contextOf(database: Database<Tables>, caller: Caller): Promise<Context> {
  const id = userId(caller === 'guest' ? FIRST_GUEST : 77)
  const user = await database.read
    .selectFrom('users')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return {
    database,
    now: NOW,
    actor: { user, platformAdmin: false, session: { adminUntilMs: NOW } },
    entrant: { userId: id, clientPrefix: '192.0.2.1', nowMs: NOW, adminUntilMs: NOW },
    clientPrefix: '192.0.2.1',
    rates: { take: () => {} },
  } as unknown as Context
}

async function measure(run: () => Promise<number>): Promise<{ times: number[]; results: number }> {
  const times: number[] = []
  let results = 0
  for (let round = -3; round < rounds; round++) {
    const startedMs = performance.now()
    results = await run()
    if (round >= 0) times.push(performance.now() - startedMs)
  }
  return { times: times.toSorted((a, b) => a - b), results }
}

function quantile(sorted: readonly number[], part: number): string {
  return (sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0).toFixed(1)
}

async function report(url: string, engine: string, isStored: boolean): Promise<void> {
  const startedMs = performance.now()
  if (!isStored) await store(url)
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0)
  const database = openDatabase<Tables>(url)
  const limited = database.withStatementTimeout(STATEMENT_LIMIT_MS)
  const contexts = { member: await contextOf(limited, 'member'), guest: await contextOf(limited, 'guest') }
  console.log(`\n## ${engine}, ${messageCount} messages${isStored ? '' : `, stored in ${seconds} s`}\n`)
  console.log('| Search | Results | p50 ms | p95 ms |\n|---|---|---|---|')
  for (const [name, caller, query] of cases) {
    const input = { query: SearchQuery.parse(query), params: undefined, body: undefined }
    const { times, results } = await measure(
      async () => (await search.handler(contexts[caller], input)).results.length,
    )
    console.log(`| ${name} | ${results} | ${quantile(times, 0.5)} | ${quantile(times, 0.95)} |`)
  }
  await database.close()
}

console.log(
  `${new Date().toISOString().slice(0, 10)}, ${cpus()[0]?.model} x ${cpus().length}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${type()}, Bun ${Bun.version}, ${rounds} rounds`,
)
if (values.engine.includes('sqlite')) {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-messages-'))
  const file = values.keep ?? join(folder, 'rooms.db')
  await report(`sqlite:${file}`, 'SQLite', existsSync(file))
  console.log(`\n${Math.round(statSync(file).size / 1e6)} MB`)
  rmSync(folder, { recursive: true })
}
const server = process.env['LATCHKEY_TEST_POSTGRES']
if (values.engine.includes('postgres') && server) {
  const name = `latchkey_messages_${values.keep ? 'kept' : process.pid}`
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
