// [LATCHKEY_TEST_POSTGRES=...] bun bench/fanout/run.ts [--seconds 10]
//   [--only room,mixed,rooms,idle,storm] [--engines sqlite,postgres] [--clients 2000]
// Measures the cost of delivering a room's messages to everyone in it. Servers run in separate
// processes.
import { cpus, loadavg, release, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { Client, api, inGroups } from './client.ts'
import { engine } from './engine.ts'
import { Page } from './page.ts'
import { HOST, type Person, seedPeople } from './people.ts'
import { type Running, start } from './server.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    only: { type: 'string', default: 'room,mixed,rooms,idle,storm' },
    engines: { type: 'string', default: 'sqlite,postgres' },
    /** Number of clients of the storm, a multiple of 100. */
    clients: { type: 'string', default: '2000' },
  },
})
const seconds = Number(values.seconds)
const only = values.only.split(',')
const AT_ONCE = 100
/** Time for the runtime's compiler to see enough of the code. */
const WARM_UP_SECONDS = 15
const MESSAGE = 'What is said here is about as long as most of what people say to each other in a room.'

interface Traffic {
  sent: number
  /** Requests answered 503 because the machine is too busy. */
  refused: number
  deliveries: number
  latenciesMs: number[]
}

const traffic: Traffic = { sent: 0, refused: 0, deliveries: 0, latenciesMs: [] }

function recordDelivery(text: string): void {
  const nowMs = performance.now()
  traffic.deliveries++
  const at = text.indexOf('@')
  if (at > 0) traffic.latenciesMs.push(nowMs - Number.parseFloat(text.slice(at + 1, at + 20)))
}

function percentile(share: number): string {
  const sorted = traffic.latenciesMs.toSorted((a, b) => a - b)
  return (sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(1)
}

/** Posts a number of messages per second and returns the cost of each delivery. */
async function measure(
  server: Running,
  perSecond: number,
  post: (text: string, i: number) => Promise<unknown>,
) {
  const postFor = async (forSeconds: number) => {
    Object.assign(traffic, { sent: 0, refused: 0, deliveries: 0, latenciesMs: [] })
    const posts: Promise<unknown>[] = []
    const fromMs = performance.now()
    const total = Math.round(perSecond * forSeconds)
    for (let i = 0; i < total; i++) {
      const waitMs = fromMs + (i * 1000) / perSecond - performance.now()
      if (waitMs > 0) await Bun.sleep(waitMs)
      const refuse = () => void traffic.refused++
      traffic.sent++
      posts.push(post(`@${performance.now().toFixed(3).padStart(16, '0')} ${MESSAGE}`, i).catch(refuse))
    }
    await Promise.all(posts)
    await Bun.sleep(1_000)
  }
  await postFor(WARM_UP_SECONDS)
  const before = server.cpuUs()
  await postFor(seconds)
  const cpuUs = server.cpuUs() - before
  return {
    sent: traffic.sent,
    refused: traffic.refused,
    deliveries: traffic.deliveries,
    'CPU µs/delivery': (cpuUs / traffic.deliveries).toFixed(1),
    'CPU ms/message': (cpuUs / 1000 / traffic.sent).toFixed(2),
    'p50 ms': percentile(0.5),
    'p99 ms': percentile(0.99),
  }
}

type Row = Record<string, string | number>

function report(title: string, rows: readonly Row[]): void {
  console.log(
    `\n## ${title} (load ${loadavg()
      .map((each) => each.toFixed(1))
      .join(' ')})\n`,
  )
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  console.log(`| ${names.join(' | ')} |\n|${names.map(() => ' --- |').join('')}`)
  for (const row of rows) console.log(`| ${names.map((name) => row[name] ?? '').join(' | ')} |`)
}

/**
 * Opens all connections and returns the growth of the process for each, after it has opened and
 * closed a hundred.
 */
async function openAll<Item>(
  server: Running,
  items: readonly Item[],
  open: (item: Item, index: number) => Promise<Client>,
): Promise<{ clients: Client[]; memory: Row; seconds: string }> {
  const first: Client[] = []
  await inGroups(items.slice(0, AT_ONCE), AT_ONCE, async (item, i) => first.push(await open(item, i)))
  for (const client of first) client.terminate()
  await Bun.sleep(3_000)
  const before = server.rssBytes()
  const fromMs = performance.now()
  const clients: Client[] = []
  await inGroups(items, AT_ONCE, async (item, i) => clients.push(await open(item, i)))
  const openedMs = performance.now() - fromMs
  const grown: number[] = []
  for (let second = 1; second <= 20; second++) {
    await Bun.sleep(1_000)
    grown.push((server.rssBytes() - before) / 1024 / items.length)
  }
  const memory = {
    'KB/socket after 3 s': grown[2]?.toFixed(1) ?? '',
    // After the garbage of opening them has been collected.
    'least in 20 s': Math.min(...grown).toFixed(1),
  }
  return { clients, memory, seconds: (openedMs / 1000).toFixed(1) }
}

async function bareRoom(name: string, server: Running): Promise<Row> {
  const { clients, memory } = await openAll(server, Array.from({ length: 1_000 }), async () => {
    const client = new Client(server.port, undefined, recordDelivery)
    await client.opened
    return client
  })
  const costs = await measure(server, 20, (text) =>
    fetch(`http://127.0.0.1:${server.port}/`, {
      method: 'POST',
      body: JSON.stringify({ type: 'event', content: text }),
    }),
  )
  for (const client of clients) client.terminate()
  await server.stop()
  return { server: name, ...costs, ...memory }
}

/** Runs Rooms with a number of people on a separate database, with defaults for all the rest. */
async function withRooms(
  name: string,
  people: number,
  work: (server: Running, people: readonly Person[]) => Promise<Row>,
): Promise<Row[]> {
  const on = await engine(name)
  if (!on) return [{ server: `Rooms, ${name}: no server in LATCHKEY_TEST_POSTGRES` }]
  const somebodies = await seedPeople(on.url, people)
  const server = await start('rooms.ts', {
    AUTH_PROVIDER: 'oidc',
    AUTH_CLIENT_ID: 'bench',
    OIDC_ISSUER: 'https://login.example.com',
    ALLOWED_HOSTS: `https://${HOST}`,
    ROOMS_DATABASE_URL: on.url,
  })
  try {
    return [{ server: `Rooms, ${name}`, ...(await work(server, somebodies)) }]
  } finally {
    await server.stop()
    await on.drop()
  }
}

async function openRoom(server: Running, owner: Person): Promise<string> {
  const created = await api(server.port, owner).json<{ room: { id: string } }>('/api/rooms', {
    name: 'Harbour',
    maxParticipants: 100,
    retention: 'forever',
    defaultRole: 'speaker',
  })
  return created.room.id
}

/** Opens a socket of this person, and subscribes it to the room, if any. */
async function enter(server: Running, person: Person, roomId: string | undefined): Promise<Client> {
  const client = new Client(server.port, person, recordDelivery)
  await client.opened
  if (roomId === undefined) return client
  const answer = await client.ask({ type: 'subscribe', roomId })
  if (answer['type'] !== 'subscribed') throw new Error(JSON.stringify(answer))
  return client
}

async function lastStoredSeq(server: Running, person: Person, roomId: string): Promise<number> {
  const body = await api(server.port, person).json<{ room: { lastSeq: number } }>(`/api/rooms/${roomId}`)
  return body.room.lastSeq
}

/**
 * A room holds a hundred people (R16.3). Each has ten open tabs, the most that the default limits
 * allow.
 */
async function oneRoom(server: Running, people: readonly Person[]): Promise<Row> {
  const roomId = await openRoom(server, people[0] as Person)
  const sockets = people.flatMap((person) => Array.from({ length: 10 }, () => person))
  const { clients, memory } = await openAll(server, sockets, (person) => enter(server, person, roomId))
  const costs = await measure(server, 20, (content, i) =>
    api(server.port, people[i % people.length] as Person).json(`/api/rooms/${roomId}/messages`, {
      content,
    }),
  )
  const count = await lastStoredSeq(server, people[0] as Person, roomId)
  for (const client of clients) client.terminate()
  return { ...costs, ...memory, 'stored, warm-up too': count }
}

/** A room as in `oneRoom`. Of ten requests, six are messages, two reactions and two mark it as read. */
async function mixed(server: Running, people: readonly Person[]): Promise<Row> {
  const roomId = await openRoom(server, people[0] as Person)
  const sockets = people.flatMap((person) => Array.from({ length: 10 }, () => person))
  const { clients, memory } = await openAll(server, sockets, (person) => enter(server, person, roomId))
  const room = `/api/rooms/${roomId}`
  let last = { id: '', seq: 0 }
  const costs = await measure(server, 20, async (content, i) => {
    const caller = api(server.port, people[i % people.length] as Person)
    const kind = i % 10
    if (kind === 3 || kind === 7)
      await caller.json(`${room}/messages/${last.id}/reactions/${encodeURIComponent('👍')}`, undefined, 'PUT')
    else if (kind === 5 || kind === 9) await caller.json(`${room}/read`, { seq: last.seq }, 'PUT')
    else ({ message: last } = await caller.json<{ message: typeof last }>(`${room}/messages`, { content }))
  })
  for (const client of clients) client.terminate()
  return { ...costs, ...memory }
}

async function manyRooms(server: Running, people: readonly Person[]): Promise<Row> {
  const roomIds: string[] = []
  for (let room = 0; room < 200; room++) roomIds.push(await openRoom(server, people[room * 20] as Person))
  const { clients, memory } = await openAll(server, people, (person, i) =>
    enter(server, person, roomIds[Math.floor(i / 20)]),
  )
  await Bun.sleep(3_000)
  const quiet = server.cpuUs()
  await Bun.sleep(10_000)
  const quietShare = (server.cpuUs() - quiet) / 100_000
  const costs = await measure(server, 50, (content, i) =>
    api(server.port, people[((i * 7) % 200) * 20 + (i % 20)] as Person).json(
      `/api/rooms/${roomIds[(i * 7) % 200]}/messages`,
      { content },
    ),
  )
  for (const client of clients) client.terminate()
  return { ...costs, ...memory, 'CPU % when nobody speaks': quietShare.toFixed(1) }
}

async function idle(server: Running, people: readonly Person[]): Promise<Row> {
  const sockets = people.flatMap((person) => Array.from({ length: 10 }, () => person))
  const opened = await openAll(server, sockets, (person) => enter(server, person, undefined))
  const { clients, memory } = opened
  const before = server.cpuUs()
  await Bun.sleep(30_000)
  const share = (server.cpuUs() - before) / 300_000
  for (const client of clients) client.terminate()
  return {
    sockets: sockets.length,
    'opened in s': opened.seconds,
    ...memory,
    'CPU %': share.toFixed(2),
  }
}

/** All connections break at once while people keep posting. Each resumes according to R18.5. */
async function storm(server: Running, people: readonly Person[]): Promise<Row> {
  const roomIds: string[] = []
  for (let first = 0; first < people.length; first += 100)
    roomIds.push(await openRoom(server, people[first] as Person))
  const pages = people.map((person, i) => {
    const roomId = roomIds[Math.floor(i / 100)] as string
    return { roomId, page: new Page({ person, roomId, ports: () => [server.port], node: 0 }) }
  })
  await inGroups(pages, AT_ONCE, ({ page }) => page.enter())
  let isOn = true
  let [count, refused] = [0, 0]
  const writing = (async () => {
    for (; isOn; count++) {
      const { page, roomId } = pages[(count * 31) % pages.length] as (typeof pages)[number]
      const body = { content: MESSAGE, clientId: crypto.randomUUID() }
      const send = () => api(server.port, page.person).json(`/api/rooms/${roomId}/messages`, body)
      // With one id until it is stored, as clients do.
      while (
        !(await send().then(
          () => true,
          () => false,
        ))
      )
        refused++
      await Bun.sleep(20)
    }
  })()
  await Bun.sleep(2_000)
  const [fromMs, cpuBefore] = [performance.now(), server.cpuUs()]
  for (const { page } of pages) page.terminate()
  const hasReturned = ({ page }: { page: Page }) => page.reconnects > 0 && page.isPresent
  while (!pages.every(hasReturned)) await Bun.sleep(20)
  const backMs = performance.now() - fromMs
  isOn = false
  await writing
  const last = new Map<string, number>()
  for (const [i, roomId] of roomIds.entries())
    last.set(roomId, await lastStoredSeq(server, people[i * 100] as Person, roomId))
  const isComplete = ({ page, roomId }: (typeof pages)[number]) => page.seq >= (last.get(roomId) ?? 0)
  while (!pages.every(isComplete) && performance.now() - fromMs < backMs + 60_000) await Bun.sleep(20)
  const settledMs = performance.now() - fromMs
  const wrong = pages.filter(({ page, roomId }) => page.seq !== last.get(roomId) || page.faults > 0)
  const cpuUs = server.cpuUs() - cpuBefore
  for (const { page } of pages) page.close()
  return {
    clients: pages.length,
    messages: count,
    'sent again after 503': refused,
    'back in s': (backMs / 1000).toFixed(1),
    'settled in s': (settledMs / 1000).toFixed(1),
    connects: pages.reduce((sum, { page }) => sum + page.reconnects, 0),
    'CPU s': (cpuUs / 1e6).toFixed(1),
    'clients with lost, doubled or disordered events': wrong.length,
  }
}

const engines = values.engines.split(',')
async function onEach(people: number, work: (server: Running, people: readonly Person[]) => Promise<Row>) {
  const rows: Row[] = []
  for (const name of engines) rows.push(...(await withRooms(name, people, work)))
  return rows
}

if (only.includes('room')) {
  const bare = [
    await bareRoom('bare Bun.serve, publish', await start('bare.ts', {})),
    await bareRoom('ws on Node', await start('ws.mjs', {}, { runtime: 'node' })),
  ]
  report('1,000 sockets in one room, 20 messages a second', [...bare, ...(await onEach(100, oneRoom))])
}
if (only.includes('mixed'))
  report('The same with reactions and read marks, 20 requests a second', await onEach(100, mixed))
if (only.includes('rooms'))
  report('200 rooms of 20 people, 50 messages a second', await onEach(4_000, manyRooms))
if (only.includes('idle')) report('5,000 sockets that do nothing', await onEach(500, idle))
if (only.includes('storm'))
  report(`${values.clients} clients come back at once`, await onEach(Number(values.clients), storm))
const memory = Math.round(totalmem() / 2 ** 30)
console.log(`\n${cpus()[0]?.model} x ${cpus().length}, ${memory} GiB, Linux ${release()}, Bun ${Bun.version}`)
process.exit(0)
