// [LATCHKEY_TEST_POSTGRES=...] bun bench/fanout/company.ts [--people 5000] [--seconds 60]
//   [--engines sqlite,postgres]
// Measures one room with a whole company in it: delivery, joins, memory and killed nodes (R36.6).
// SQLite has one node; PostgreSQL has two, with Redis between them.
import { cpus, loadavg, release } from 'node:os'
import { parseArgs } from 'node:util'
import { openDatabase } from '@latchkey/database/database'
import { sql } from 'kysely'
import { ownRedis } from '../../apps/rooms/test/realtime/redis.ts'
import type { Tables } from '../../apps/rooms/src/db/tables.ts'
import { Client, api, inGroups } from './client.ts'
import { engine } from './engine.ts'
import { Page } from './page.ts'
import { HOST, type Person, seedPeople } from './people.ts'
import { type Running, start } from './server.ts'

const { values } = parseArgs({
  options: {
    people: { type: 'string', default: '5000' },
    seconds: { type: 'string', default: '60' },
    engines: { type: 'string', default: 'sqlite,postgres' },
  },
})
const AT_ONCE = 50
const JOINS_PER_SECOND = 10
/** People who come and go while the others stay. */
const PASSERS_BY = 100
/** Interval between two read marks of a page in a room of this size. */
const MARK_EVERY_MS = 60_000
/** One message in this many mentions everyone. */
const MENTION_EVERY = 20
const MESSAGE = 'What is said here is about as long as most of what people say to each other in a room.'

type Row = Record<string, string | number>

class Company {
  readonly roomId: string
  readonly nodes: Running[]
  readonly pages: Page[]
  /** Time from the post of each message to its last delivery, and number of deliveries. */
  readonly messages = new Map<number, { count: number; lastMs: number }>()
  latenciesMs: number[] = []
  joinsMs: number[] = []
  marks = 0
  readonly #markTimers = new Map<number, Timer>()

  constructor(roomId: string, nodes: Running[], people: readonly Person[]) {
    this.roomId = roomId
    this.nodes = nodes
    this.pages = people.map(
      (person, i) =>
        new Page({
          person,
          roomId,
          ports: () => this.nodes.map(({ port }) => port),
          node: i % nodes.length,
          since: 'now',
          onEvent: (text, seq) => this.#record(i, text, seq),
          onEntered: (client, ms) => {
            this.joinsMs.push(ms)
            client.send({ type: 'subscribe_lobby', id: 'lobby' })
          },
        }),
    )
  }

  #record(index: number, text: string, seq: number): void {
    const at = text.indexOf('@')
    if (at > 0) {
      const ms = performance.now() - Number.parseFloat(text.slice(at + 1, at + 20))
      this.latenciesMs.push(ms)
      const message = this.messages.get(seq)
      if (message) Object.assign(message, { count: message.count + 1, lastMs: Math.max(message.lastMs, ms) })
      else this.messages.set(seq, { count: 1, lastMs: ms })
    }
    if (!this.#markTimers.has(index))
      this.#markTimers.set(
        index,
        setTimeout(() => void this.#mark(index), MARK_EVERY_MS * (0.5 + Math.random())),
      )
  }

  async #mark(index: number): Promise<void> {
    this.#markTimers.delete(index)
    this.marks++
    const { seq, port, person } = this.pages[index] as Page
    await api(port, person)
      .json(`/api/rooms/${this.roomId}/read`, { seq }, 'PUT')
      .catch(() => {})
  }

  get present(): number {
    return this.pages.filter(({ isPresent }) => isPresent).length
  }

  get reconnects(): number {
    return this.pages.reduce((sum, page) => sum + page.reconnects, 0)
  }

  close(): void {
    for (const page of this.pages) page.close()
    for (const timer of this.#markTimers.values()) clearTimeout(timer)
  }
}

function percentile(all: readonly number[], share: number): string {
  const sorted = all.toSorted((a, b) => a - b)
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(0)
}

function cpuOf(nodes: readonly Running[]): number {
  return nodes.reduce((sum, node) => sum + node.cpuUs(), 0)
}

/** Creates the room and makes everyone a member, as a default room does. */
async function seedRoom(url: string, node: Running, people: readonly Person[]): Promise<string> {
  const owner = api(node.port, people[0] as Person)
  const body = { name: 'Company', visibility: 'public' }
  const { room } = await owner.json<{ room: { id: string } }>('/api/rooms', body)
  const database = openDatabase<Tables>(url)
  await database.write((tx) =>
    tx
      .insertInto('room_members')
      .columns(['room_id', 'user_id', 'role', 'joined_at', 'joined_seq'])
      .expression((eb) =>
        eb
          .selectFrom('users')
          .innerJoin('rooms', (join) => join.on('rooms.id', '=', room.id))
          .whereRef('users.id', 'is distinct from', 'rooms.owner_id')
          .select([
            'rooms.id',
            'users.id as user_id',
            sql<'speaker'>`'speaker'`.as('role'),
            'rooms.created_at',
            'rooms.last_seq',
          ]),
      )
      .execute(),
  )
  await database.close()
  return room.id
}

async function measure(company: Company, seconds: number): Promise<number> {
  const fromMs = performance.now()
  let sent = 0
  const posts: Promise<unknown>[] = []
  while (performance.now() - fromMs < seconds * 1000) {
    // The first person owns the room, and may mention everyone.
    const isMention = sent % MENTION_EVERY === 0
    const page = company.pages[isMention ? 0 : (sent * 31) % company.pages.length] as Page
    const content = `@${performance.now().toFixed(3).padStart(16, '0')} ${isMention ? '<!room>' : ''} ${MESSAGE}`
    posts.push(post(company, page, content))
    sent++
    const waitMs = fromMs + sent * 1000 - performance.now()
    if (waitMs > 0) await Bun.sleep(waitMs)
  }
  await Promise.all(posts)
  return sent
}

/** Posts with one id until the message is stored, as clients do. */
async function post(company: Company, page: Page, content: string): Promise<void> {
  const body = { content, clientId: crypto.randomUUID() }
  for (let tries = 0; tries < 100; tries++) {
    const port = company.nodes[(page.node + tries) % company.nodes.length]?.port ?? 0
    const stored = await api(port, page.person)
      .json(`/api/rooms/${company.roomId}/messages`, body)
      .then(
        () => true,
        () => false,
      )
    if (stored) return
    await Bun.sleep(200)
  }
  throw new Error('a message was not stored')
}

async function passBy(company: Company, people: readonly Person[], seconds: number): Promise<number[]> {
  const joinsMs: number[] = []
  const clients: Client[] = []
  await inGroups(people, AT_ONCE, async (person, i) => {
    const client = new Client(company.nodes[i % company.nodes.length]?.port ?? 0, person, () => {})
    clients.push(client)
    await client.opened
  })
  const visits: Promise<void>[] = []
  const fromMs = performance.now()
  for (let i = 0; performance.now() - fromMs < seconds * 1000; i++) {
    const client = clients[i % clients.length] as Client
    visits.push(
      (async () => {
        const startMs = performance.now()
        await client.ask({ type: 'subscribe', roomId: company.roomId })
        joinsMs.push(performance.now() - startMs)
        await Bun.sleep(2_000)
        await client.ask({ type: 'unsubscribe', roomId: company.roomId })
      })(),
    )
    await Bun.sleep(1000 / JOINS_PER_SECOND)
  }
  await Promise.all(visits)
  for (const client of clients) client.terminate()
  return joinsMs
}

async function waitFor(condition: () => boolean, timeoutMs: number): Promise<number> {
  const fromMs = performance.now()
  while (!condition() && performance.now() - fromMs < timeoutMs) await Bun.sleep(20)
  return performance.now() - fromMs
}

async function run(name: string, count: number, seconds: number): Promise<Row> {
  const on = await engine(name)
  if (!on) return { engine: `${name}: no server in LATCHKEY_TEST_POSTGRES` }
  const everyone = await seedPeople(on.url, count + PASSERS_BY)
  const [people, passersBy] = [everyone.slice(0, count), everyone.slice(count)]
  const redis = name === 'postgres' ? await ownRedis() : undefined
  const env = {
    AUTH_PROVIDER: 'oidc',
    AUTH_CLIENT_ID: 'bench',
    OIDC_ISSUER: 'https://login.example.com',
    ALLOWED_HOSTS: `https://${HOST}`,
    ROOMS_DATABASE_URL: on.url,
    ...(redis && { ROOMS_BUS_URL: redis.url }),
  }
  const nodes = [await start('rooms.ts', env)]
  if (redis) nodes.push(await start('rooms.ts', env))
  const company = new Company(await seedRoom(on.url, nodes[0] as Running, people), nodes, people)
  try {
    const rssBefore = nodes.reduce((sum, node) => sum + node.rssBytes(), 0)
    const enteringMs = performance.now()
    await inGroups(company.pages, AT_ONCE, (page) => page.enter())
    const enteredMs = performance.now() - enteringMs
    const entered = company.joinsMs
    await Bun.sleep(20_000)
    const rss = nodes.reduce((sum, node) => sum + node.rssBytes(), 0) - rssBefore
    const [quietUs, quietFromMs] = [cpuOf(nodes), performance.now()]
    await Bun.sleep(20_000)
    const quiet = (cpuOf(nodes) - quietUs) / (performance.now() - quietFromMs) / 10

    const [busyUs, ownUs, fromMs] = [cpuOf(nodes), process.cpuUsage(), performance.now()]
    const [sent, joinsMs] = await Promise.all([
      measure(company, seconds),
      passBy(company, passersBy, seconds),
    ])
    await Bun.sleep(2_000)
    const tookMs = performance.now() - fromMs
    const own = process.cpuUsage(ownUs)
    const busy = (cpuOf(nodes) - busyUs) / tookMs / 10
    const messages = [...company.messages.values()]
    const row: Row = {
      engine: name,
      present: company.present,
      'entered in s': (enteredMs / 1000).toFixed(1),
      'entering p95 ms': percentile(entered, 0.95),
      'KB/socket': (rss / 1024 / count).toFixed(1),
      sent,
      'delivered to all': messages.filter((message) => message.count >= count).length,
      'delivery p50 ms': percentile(company.latenciesMs, 0.5),
      'p99 ms': percentile(company.latenciesMs, 0.99),
      'slowest ms': percentile(company.latenciesMs, 1),
      joins: joinsMs.length,
      'join p50 ms': percentile(joinsMs, 0.5),
      'join p95 ms': percentile(joinsMs, 0.95),
      'read marks': company.marks,
      'CPU % quiet': quiet.toFixed(1),
      'CPU % busy': busy.toFixed(1),
      'CPU % of the load': ((own.user + own.system) / tookMs / 10).toFixed(1),
    }
    return { ...row, ...(await killNode(company, env, people)) }
  } finally {
    company.close()
    for (const node of nodes) await node.stop()
    await redis?.kill()
    await on.drop()
  }
}

/** Kills the last node while people post, and starts it again. */
async function killNode(
  company: Company,
  env: Record<string, string>,
  people: readonly Person[],
): Promise<Row> {
  company.latenciesMs = []
  company.messages.clear()
  const before = company.reconnects
  const index = company.nodes.length - 1
  const killed = company.nodes[index] as Running
  const posting = measure(company, 30)
  await Bun.sleep(3_000)
  const cut = company.pages.filter(({ node }) => node === index).length
  await killed.kill()
  const fromMs = performance.now()
  company.nodes[index] = await start('rooms.ts', env, { port: killed.port })
  await waitFor(() => company.present === company.pages.length, 120_000)
  const backMs = performance.now() - fromMs
  const sent = await posting
  const last = await lastSeq(company, people[0] as Person)
  await waitFor(() => company.pages.every(({ seq }) => seq >= last), 60_000)
  const wrong = company.pages.filter(({ seq, faults }) => seq !== last || faults > 0).length
  return {
    'cut by the kill': cut,
    'all back in s': (backMs / 1000).toFixed(1),
    reconnects: company.reconnects - before,
    'sent meanwhile': sent,
    'people with lost, doubled or disordered events': wrong,
  }
}

async function lastSeq(company: Company, person: Person): Promise<number> {
  const { room } = await api(company.nodes[0]?.port ?? 0, person).json<{ room: { lastSeq: number } }>(
    `/api/rooms/${company.roomId}`,
  )
  return room.lastSeq
}

for (const name of values.engines.split(',')) {
  const row = await run(name, Number(values.people), Number(values.seconds))
  console.log(`\n## ${name}\n`)
  for (const [key, value] of Object.entries(row)) console.log(`| ${key} | ${value} |`)
}
const load = loadavg().map((each) => each.toFixed(1))
console.log(
  `\n${cpus()[0]?.model} x ${cpus().length}, Linux ${release()}, Bun ${Bun.version}, load ${load.join(' ')}`,
)
process.exit(0)
