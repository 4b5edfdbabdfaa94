import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { openDatabase } from '@latchkey/database/database'
import { Pool } from 'pg'
import type { Tables } from '../../apps/links/src/db/tables.ts'
import { insertKey } from '../../apps/links/src/keys/store.ts'

/**
 * Counts the changes that are answered 200 and lost while other programs undo, on two nodes: `bun
 * bench/undo/run.ts --postgres postgres://…/postgres`. It creates a database and drops it. `--source` runs
 * the service of another checkout.
 */
const { values } = parseArgs({
  options: {
    postgres: { type: 'string' },
    source: { type: 'string', default: join(import.meta.dir, '../..') },
    rounds: { type: 'string', default: '3' },
  },
})
if (values.postgres === undefined) throw new Error('--postgres names a server')

const LINKS = 300
const CHANGES = 1_000
const CONCURRENCY = 32
const PERSON = 'admin@localhost'

const server = new Pool({ connectionString: values.postgres })
const name = `bench_undo_${Date.now()}`
await server.query(`create database ${name}`)
const url = new URL(values.postgres)
url.pathname = `/${name}`
const ports = [41_731, 41_732]
const nodes = ports.map((port) => startNode(port))
try {
  for (const port of ports) await untilReady(port)
  const database = openDatabase<Tables>(url.href)
  const keys = await Promise.all(
    ['A', 'B'].map((title) =>
      database.write((tx) => insertKey(tx, { title, scope: 'create,read', identity: PERSON, now: 0 })),
    ),
  )
  await database.close()
  const [program = '', own = ''] = keys.map(({ rawKey }) => rawKey)
  for (let round = 1; round <= Number(values.rounds); round++)
    console.log(
      JSON.stringify({ round, ...(await runRound(program, own)), deadlocksSoFar: await countDeadlocks() }),
    )
} finally {
  for (const node of nodes) node.kill()
  for (const node of nodes) await node.exited
  await server.query(`drop database ${name} with (force)`)
  await server.end()
}

async function countDeadlocks(): Promise<number> {
  const { rows } = await server.query('select deadlocks from pg_stat_database where datname = $1', [name])
  return Number(rows[0].deadlocks)
}

function startNode(port: number) {
  return Bun.spawn([process.execPath, resolve(values.source, 'apps/latchkey/src/latchkey.ts'), 'links'], {
    env: {
      ...process.env,
      LINKS_DATABASE_URL: url.href,
      LINKS_JOURNAL: `sqlite:/tmp/${name}-${port}.db`,
      LINKS_HOST: '127.0.0.1',
      LINKS_PORT: String(port),
      LINKS_RATE_LIMIT: 'off',
      LINKS_TITLE_FETCH: 'off',
    },
    stdout: Bun.file(`/tmp/${name}-${port}.log`),
    stderr: 'inherit',
  })
}

async function untilReady(port: number): Promise<void> {
  for (const end = Date.now() + 60_000; ;) {
    const ready = await fetch(`http://127.0.0.1:${port}/_/ready`).catch(() => undefined)
    if (ready?.ok) return
    if (Date.now() > end) throw new Error(`The node on port ${port} is not ready`)
    await Bun.sleep(100)
  }
}

interface Answer {
  status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are judged field by field, as a client sees them
  body: any
}

async function call(key: string, method: string, path: string, body?: object): Promise<Answer> {
  const port = ports[Math.floor(Math.random() * ports.length)]
  const response = await fetch(`http://127.0.0.1:${port}/_/api${path}`, {
    method,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}

/** One program creates links in a bundle, and undoes that twice at once beside the changes of another. */
async function runRound(program: string, own: string) {
  const since = Math.floor(Date.now() / 1000)
  const items = Array.from({ length: LINKS }, (_, n) => ({ url: `https://example.com/${since}/${n}` }))
  const created = await call(program, 'POST', '/bulk/links', { items })
  const ids: number[] = created.body.results.map((result: Answer['body']) => result.link.id)
  const { id: bundle } = (await call(program, 'POST', '/bundles', { name: 'Theirs' })).body
  const { id: ownBundle } = (await call(own, 'POST', '/bundles', { name: 'Own' })).body
  await call(program, 'PATCH', '/bulk/links', { ids, set: { bundle } })
  const [change] = (await call(program, 'GET', '/changes?limit=1')).body
  const statuses: Record<string, number> = {}
  const count = (what: string, { status }: Answer) => {
    statuses[`${what} ${status}`] = (statuses[`${what} ${status}`] ?? 0) + 1
  }
  const labels = new Map<number, Set<string>>()
  const expiries = new Map<number, Set<number>>()
  const members = new Set<number>()
  const add = <Value>(map: Map<number, Set<Value>>, id: number, value: Value) =>
    void map.set(id, (map.get(id) ?? new Set<Value>()).add(value))
  let at = 0
  const changeOne = async () => {
    for (let n = at++; n < CHANGES; n = at++) {
      const id = ids[(n * 7) % ids.length] ?? 0
      if (n % 50 === 0) {
        const some = ids.filter((_, place) => place % 50 === (n / 50) % 50).toReversed()
        const expiresAt = since + 86_400 + n
        const answer = await call(own, 'PATCH', '/bulk/links', { ids: some, set: { expires_at: expiresAt } })
        count('bulk', answer)
        const changed = (answer.body.results ?? []).filter((result: Answer['body']) => result.status === 200)
        for (const { link } of changed) add(expiries, link.id, expiresAt)
      } else if (n % 10 === 1) {
        const answer = await call(own, 'POST', `/bundles/${ownBundle}/links`, { link_id: id })
        count('member', answer)
        if (answer.status === 200) members.add(id)
      } else {
        const answer = await call(own, 'PUT', `/links/${id}`, { label: `Label ${n}` })
        count('put', answer)
        if (answer.status === 200) add(labels, id, `Label ${n}`)
      }
    }
  }
  const undo = async () => {
    const answer = await call(own, 'POST', '/changes/undo', { since, assistant: change.assistant })
    count('undo', answer)
  }
  const startedMs = performance.now()
  const changes = Array.from({ length: CONCURRENCY }, changeOne)
  await Promise.all([
    ...changes,
    undo(),
    undo(),
    call(own, 'DELETE', `/bundles/${bundle}`).then((answer) => count('delete bundle', answer)),
  ])
  const ms = Math.round(performance.now() - startedMs)
  let lost = 0
  for (const [id, texts] of labels) {
    const { body } = await call(own, 'GET', `/links/${id}`)
    if (!texts.has(body.label)) lost += texts.size
  }
  for (const [id, moments] of expiries) {
    const { body } = await call(own, 'GET', `/links/${id}`)
    if (!moments.has(body.expires_at)) lost += moments.size
  }
  for (const id of members) {
    const { body } = await call(own, 'GET', `/links/${id}/bundles`)
    if (!Array.isArray(body) || !body.some((each) => each.id === ownBundle)) lost++
  }
  return { ms, lost, ...statuses }
}
