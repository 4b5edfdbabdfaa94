import { sql } from 'kysely'
import { parseArgs } from 'node:util'
import { TestLinks } from '../../apps/links/test/testing.ts'

/**
 * Measures requests for 1,000 links in an instance that has a million: `bun bench/bulk/run.ts
 * --database sqlite:/tmp/bulk.db`. The database must be empty; it stays filled.
 */
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite:/tmp/latchkey-bench-bulk.db' },
    links: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '3' },
  },
})
const ITEMS = 1_000
const links = new TestLinks()
await links.start(values.database)
const key = await links.key('ann@example.com')
const { dialect } = links.database
await fill(Number(values.links))
for (let round = 0; round < Number(values.rounds); round++) await measureRound(`${Date.now()}`)
await links.close()

async function fill(count: number): Promise<void> {
  const [stored] = await links.rows<{ count: number }>('select count(*) as count from link')
  if ((stored?.count ?? 0) >= count) return
  const numbers =
    dialect === 'sqlite'
      ? sql`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})`
      : sql`with numbers as (select generate_series(1, ${count}::bigint) as n)`
  await links.database.withoutTimeout.write(async (tx) => {
    await sql`${numbers} insert into link (id, url, url_key, label, created_via, created_by, created_at, primary_slug, search_text)
      select n, 'https://example.com/' || n, n, 'Label ' || n, 'import', 'ann@example.com', 1700000000 + n, 'bulk-' || n,
        'label ' || n || ' https://example.com/' || n || ' ann@example.com' from numbers`.execute(tx)
    await sql`${numbers} insert into slug (slug, link_id, is_custom, created_at)
      select 'bulk-' || n, n, 0, 1700000000 + n from numbers`.execute(tx)
    if (dialect === 'postgres')
      await sql`select setval(pg_get_serial_sequence('link', 'id'), ${count}::bigint)`.execute(tx)
  })
  if (dialect === 'postgres') await sql`analyze`.execute(links.database.writer)
}

async function measureRound(tag: string): Promise<void> {
  const itemsOf = (kind: string, hasSlug = false) =>
    Array.from({ length: ITEMS }, (_, n) => ({
      url: `https://new.example/${tag}/${kind}/${n}`,
      label: `New ${n}`,
      ...(hasSlug && { slug: `${kind}-${tag}-${n}` }),
    }))
  const body = { items: itemsOf('plain') }
  const headers = { 'Idempotency-Key': tag }
  const created = await measure('create', 'POST', { body, headers })
  await measure('create again with the same key', 'POST', { body, headers })
  await measure('create the same URLs again', 'POST', { body })
  await measure('create with slugs, all or nothing', 'POST', {
    body: { mode: 'all', items: itemsOf('slug', true) },
  })
  const ids = created.map(({ link }) => link.id)
  await measure('change the label', 'PATCH', { body: { ids, set: { label: 'Changed' } } })
  await measure('disable', 'PATCH', { body: { ids, set: { disabled: true } } })
}

/** Prints the time, and the longest time in which nothing else ran in the process. */
async function measure(
  name: string,
  method: string,
  options: { body: object; headers?: Record<string, string> },
): Promise<{ link: { id: number } }[]> {
  let longestMs = 0
  let lastMs = performance.now()
  const timer = setInterval(() => {
    longestMs = Math.max(longestMs, performance.now() - lastMs)
    lastMs = performance.now()
  }, 1)
  const startedMs = performance.now()
  const { status, body } = await links.call(method, '/bulk/links', { key, ...options })
  const ms = performance.now() - startedMs
  clearInterval(timer)
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`)
  console.log(`${dialect}\t${name}\t${Math.round(ms)} ms\t${Math.round(longestMs)} ms`)
  return body.results
}
