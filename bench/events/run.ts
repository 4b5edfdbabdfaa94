import { sql } from 'kysely'
import { parseArgs } from 'node:util'
import { TestLinks } from '../../apps/links/test/testing.ts'

/**
 * Measures pages of history and of events among millions of changes: `bun bench/events/run.ts
 * --database sqlite:/tmp/events.db`. The database must be empty; it stays filled.
 */
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite:/tmp/latchkey-bench-events.db' },
    changes: { type: 'string', default: '10000000' },
    requests: { type: 'string', default: '200' },
  },
})
const CHANGES = Number(values.changes)
/** Links that have all the changes in turns. */
const LINKS = 100_000
const ROWS_PER_STEP = 100_000
/** An instance keeps no more events. */
const EVENTS = 1_000_000

const links = new TestLinks()
await links.start(values.database)
const { dialect } = links.database
const key = await links.key('ann@example.com')
await fill()
const [{ newest, oldest } = { newest: 0, oldest: 0 }] = await links.rows<{
  newest: number
  oldest: number
}>('select max(seq) as newest, min(seq) as oldest from event')
for (const [name, pathOf] of Object.entries<(n: number) => string>({
  'events, the last ones': (n) => `/events?after=${newest - 100 - n}`,
  'events, from the middle': (n) => `/events?after=${Math.floor((oldest + newest) / 2) + n}`,
  'events, a rare type': (n) => `/events?after=${oldest + n}&types=bundle.deleted`,
  'changes of the person': () => '/changes?limit=50',
  'changes of a program': (n) => `/changes?limit=50&assistant=key:${(n % 50) + 1}`,
  'changes since a moment': (n) => `/changes?limit=50&since=${1_700_000_000 + n}`,
  'history of a link': (n) => `/links/${n + 1}/history?limit=50`,
}))
  await measure(name, pathOf)
await links.close()

async function fill(): Promise<void> {
  const [stored] = await links.rows<{ last: number | null }>('select max(id) as last from history')
  for (let first = (stored?.last ?? 0) + 1; first <= CHANGES; first += ROWS_PER_STEP) {
    const last = Math.min(CHANGES, first + ROWS_PER_STEP - 1)
    const numbers =
      dialect === 'sqlite'
        ? sql`with recursive numbers (n) as (select ${first} union all select n + 1 from numbers where n < ${last})`
        : sql`with numbers as (select generate_series(${first}::bigint, ${last}::bigint) as n)`
    const data = sql`'{"link_id":' || (n % ${LINKS} + 1) || ',"link":{"url":"https://example.com/' || n || '"}}'`
    await links.database.withoutTimeout.write(async (tx) => {
      await sql`${numbers} insert into history (id, changed_at, identity, via, assistant, kind, link_id, version,
          before_values, after_values)
        select n, 1700000000 + n, 'ann@example.com', 'api', 'key:' || (n % 50 + 1), 'link.updated',
          n % ${LINKS} + 1, n, '{"label":"Before"}', '{"label":"After"}' from numbers`.execute(tx)
      await sql`${numbers} insert into event (seq, type, at, data)
        select n, case when n % 100000 = 0 then 'bundle.deleted' else 'link.updated' end, ${links.now}, ${data}
        from numbers where n > ${CHANGES - EVENTS}`.execute(tx)
    })
  }
  if (dialect === 'postgres') await sql`analyze`.execute(links.database.writer)
}

async function measure(name: string, pathOf: (n: number) => string): Promise<void> {
  const times: number[] = []
  for (let n = 0; n < Number(values.requests); n++) {
    const startedMs = performance.now()
    const { status } = await links.call('GET', pathOf(n), { key })
    times.push(performance.now() - startedMs)
    if (status !== 200) throw new Error(`${pathOf(n)}: ${status}`)
  }
  times.sort((a, b) => a - b)
  const at = (part: number) => (times[Math.floor(times.length * part)] ?? 0).toFixed(1)
  console.log(`${dialect} ${name}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`)
}
