import type { Message } from '../../src/web/live/frames.ts'
import { type TestUser, createRoom } from '../actions.ts'
import { hostileProvider } from '../provider/hostile.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { browserOf, insertPerson } from '../sessions/people.ts'
import { type Live, listen } from './live.ts'
import { lossyBus } from './lossy-bus.ts'
import { Writer } from './random-writer.ts'
import { ResumingClient, type ReceivedEvent, isForNow } from './resuming-client.ts'

export interface ReconnectOptions {
  /** PostgreSQL: both nodes share it. */
  url: string
  seconds: number
  clients: number
  /** Messages per second, of all clients together. */
  writes: number
  /** How often the second node is restarted; never by default. */
  restartEverySeconds?: number
}

export interface ReconnectResult {
  events: number
  /** How many changes of messages were stored. */
  changes: Record<Change, number>
  /** How many files were sent, and how many people marked messages as read. */
  files: number
  marks: number
  connects: number
  busPauses: number
  restarts: number
  /** Responses that asked to retry later. The clients did. */
  refusedForNow: number
  /** The time from the last message until every client had everything. */
  settledMs: number
  /** Violations of the promises. Empty on success. */
  faults: string[]
}

const SETTLE_TIMEOUT_MS = 15_000
const WRITERS = 6
const STAYING_MS = 1_000
const LAST_WORDS_MS = 500

interface Node {
  service: TestRooms
  live: Live
}

type Change = 'edited' | 'deleted' | 'reactions' | 'pinned' | 'unpinned'

/**
 * Users on two nodes post, edit, delete and pin messages, send files, reply, react and mark messages
 * as read while their connections break at random and the bus loses, repeats, delays and, at times,
 * drops everything. In the end each client must have the events of the database, in order, nothing
 * missing, nothing twice, and must show the messages of the database, with every text, file,
 * reaction and pin. No read mark may ever move back.
 */
export async function runReconnecting(options: ReconnectOptions): Promise<ReconnectResult> {
  const bus = lossyBus({ isPaused: false, lost: 0.2, twice: 0.2, late: 0.2 })
  const shared = {
    idp: await hostileProvider(),
    clock: {
      get ms() {
        return Date.now()
      },
    },
    logLines: [],
  }
  const open = async (folder?: string): Promise<Node> => {
    const settings = folder === undefined ? {} : { files: { folder } }
    const service = await openRooms({ url: options.url, shared, bus: bus.join(), limits: GENEROUS, settings })
    service.rooms.hub.start()
    service.rooms.jobs.start()
    return { service, live: listen(service.rooms) }
  }
  const first = await open()
  const { service } = first
  const openSecond = () => open(service.filesFolder)
  const nodes: [Node, Node] = [first, await openSecond()]
  const owner = await browserOf(service, await insertPerson(service))
  const { id: roomId } = await createRoom({ browser: owner }, { maxParticipants: 100, retention: 'forever' })
  const people: TestUser[] = []
  for (let i = 0; i < options.clients; i++) {
    const user = await insertPerson(service, { nickname: `Person ${i}` })
    people.push({ user, browser: await browserOf(service, user) })
  }
  const clients = people.map(
    (person) => new ResumingClient(person, roomId, () => nodes[Math.random() < 0.5 ? 0 : 1].live),
  )
  const running = clients.map((client) => client.run())
  const done = { busPauses: 0, restarts: 0, refusedForNow: 0, faults: [] as string[] }
  const writer = new Writer({ people, owner, roomId })
  const writing = { writer, options, done }
  const until = performance.now() + options.seconds * 1000
  const isOn = () => performance.now() < until
  await Promise.all([
    ...Array.from({ length: WRITERS }, () => write({ ...writing, isOn })),
    breakOff(clients, isOn),
    pauseNow(bus.loss, done, isOn),
    restart(nodes, { open: openSecond, options, done, isOn }),
  ])
  // The last messages must be found without the bus, and by clients that stay connected.
  bus.loss.isPaused = true
  await Bun.sleep(STAYING_MS)
  const last = performance.now() + LAST_WORDS_MS
  await write({ ...writing, isOn: () => performance.now() < last })
  const settledMs = await settle(service, roomId, clients)
  for (const client of clients) client.stop()
  await Promise.all(running)
  const stored = await readLog(service, roomId)
  const faults = [...done.faults, ...clients.flatMap((client, i) => faultsOf(client, stored, i))]
  for (const [i, client] of clients.entries())
    faults.push(...(await wrongMessages(client, roomId)).map((fault) => `client ${i} ${fault}`))
  faults.push(...(await wrongFiles(clients, writer.contents)), ...(await wrongMarks(service, writer.marks)))
  for (const node of nodes.toReversed()) await close(node)
  await shared.idp.stop()
  const sum = (figure: 'connects' | 'refusedForNow') =>
    clients.reduce((total, client) => total + client[figure], 0)
  const refusedForNow = done.refusedForNow + sum('refusedForNow')
  const changes = countChanges(stored)
  return {
    ...done,
    changes,
    files: writer.contents.size,
    marks: writer.marks.size,
    refusedForNow,
    faults,
    events: stored.length,
    connects: sum('connects'),
    settledMs,
  }
}

const GENEROUS = {
  messages_per_10s: 1_000_000,
  reactions_per_10s: 1_000_000,
  room_writes_per_minute: 1_000_000,
  pins_room: 1_000_000,
  files_per_hour: 1_000_000,
  http_per_minute: 1_000_000,
  socket_connects_per_minute: 1_000_000,
}

async function close({ service, live }: Node): Promise<void> {
  await service.rooms.hub.stop()
  await live.stop()
  await service.close()
}

interface WriteOptions {
  writer: Writer
  options: ReconnectOptions
  done: { refusedForNow: number; faults: string[] }
  isOn: () => boolean
}

async function write({ writer, options, done, isOn }: WriteOptions): Promise<void> {
  while (isOn()) {
    try {
      await writer.act()
    } catch (error) {
      if (isForNow(error)) done.refusedForNow++
      else done.faults.push(String(error))
    }
    await Bun.sleep(((1000 * WRITERS) / options.writes) * 2 * Math.random())
  }
}

async function breakOff(clients: readonly ResumingClient[], isOn: () => boolean): Promise<void> {
  while (isOn()) {
    const client = clients[Math.floor(Math.random() * clients.length)]
    client?.drop(Math.random() < 0.5 ? 'close' : 'terminate')
    // Each connection about every five seconds, and sometimes all of them at once.
    if (Math.random() < 0.005) for (const each of clients) each.drop('terminate')
    await Bun.sleep((5_000 / clients.length) * 2 * Math.random())
  }
}

async function pauseNow(
  loss: { isPaused: boolean },
  done: { busPauses: number },
  isOn: () => boolean,
): Promise<void> {
  while (isOn()) {
    await Bun.sleep(500 + Math.random() * 3_000)
    loss.isPaused = true
    done.busPauses++
    await Bun.sleep(500 + Math.random() * 3_000)
    loss.isPaused = false
  }
}

interface RestartOptions {
  open: () => Promise<Node>
  options: ReconnectOptions
  done: { restarts: number }
  isOn: () => boolean
}

/** Stops the second node and starts another one. Its clients use the first one meanwhile. */
async function restart(nodes: [Node, Node], { open, options, done, isOn }: RestartOptions): Promise<void> {
  const everyMs = (options.restartEverySeconds ?? Infinity) * 1000
  let dueMs = performance.now() + everyMs
  while (isOn()) {
    await Bun.sleep(200)
    if (performance.now() < dueMs) continue
    const old = nodes[1]
    nodes[1] = nodes[0]
    await close(old)
    nodes[1] = await open()
    done.restarts++
    dueMs = performance.now() + everyMs
  }
}

async function settle(
  { rooms }: TestRooms,
  roomId: string,
  clients: readonly ResumingClient[],
): Promise<number> {
  const fromMs = performance.now()
  const { last_seq } = await rooms.database.read
    .selectFrom('rooms')
    .select('last_seq')
    .where('id', '=', roomId)
    .executeTakeFirstOrThrow()
  while (clients.some(({ lastSeq }) => lastSeq < last_seq) && performance.now() - fromMs < SETTLE_TIMEOUT_MS)
    await Bun.sleep(20)
  return Math.round(performance.now() - fromMs)
}

async function readLog({ rooms }: TestRooms, roomId: string): Promise<ReceivedEvent[]> {
  const rows = await rooms.database.read
    .selectFrom('room_events')
    .select(['seq', 'type', 'data', 'created_at'])
    .where('room_id', '=', roomId)
    .orderBy('seq')
    .execute()
  return rows.map(({ seq, type, data, created_at }) => ({
    seq,
    at: new Date(created_at).toISOString(),
    event: type,
    data: JSON.parse(data) as Record<string, unknown>,
  }))
}

/** Compares with the database by number, kind and message. */
function faultsOf(client: ResumingClient, stored: readonly ReceivedEvent[], index: number): string[] {
  const faults = client.faults.map((fault) => `client ${index}: ${fault}`)
  const [has, should] = [client.applied.map(idOf), stored.map(idOf)]
  if (has.length !== should.length)
    faults.push(`client ${index} has ${has.length} events of ${should.length}`)
  const differs = should.findIndex((id, at) => has[at] !== id)
  if (differs >= 0) faults.push(`client ${index} has ${has[differs]} instead of ${should[differs]}`)
  return faults
}

function idOf({ seq, event, data }: ReceivedEvent): string {
  const message = data['message'] as { id: string } | undefined
  return `${seq} ${event} ${String(message?.id ?? data['messageId'])}`
}

function countChanges(events: readonly ReceivedEvent[]): Record<Change, number> {
  const count = (change: Change) => events.filter(({ event }) => event === `message.${change}`).length
  return {
    edited: count('edited'),
    deleted: count('deleted'),
    reactions: count('reactions'),
    pinned: count('pinned'),
    unpinned: count('unpinned'),
  }
}

/** Compares the messages that the client shows with those that the service has for its user. */
async function wrongMessages({ browser, messages }: ResumingClient, roomId: string): Promise<string[]> {
  const stored = new Map<string, Message>()
  const first = messages[0]?.seq ?? 0
  for (let cursor: string | null = ''; cursor !== null;) {
    const query: string = cursor && `&cursor=${cursor}`
    const page = await browser.json<{ messages: Message[]; nextCursor: string | null }>(
      `/api/rooms/${roomId}/messages?limit=100${query}`,
    )
    for (const message of page.messages) if (message.seq >= first) stored.set(message.id, message)
    cursor = page.nextCursor !== null && Number(page.nextCursor) > first ? page.nextCursor : null
  }
  const wrong = messages.filter((message) => !Bun.deepEquals(message, stored.get(message.id)))
  return [
    ...(messages.length === stored.size ? [] : [`shows ${messages.length} messages of ${stored.size}`]),
    ...wrong.map(
      (message) => `shows ${JSON.stringify(message)} instead of ${JSON.stringify(stored.get(message.id))}`,
    ),
  ]
}

/** Reads each file of the last client's messages by another client. A deleted message has none. */
async function wrongFiles(
  clients: readonly ResumingClient[],
  contents: ReadonlyMap<string, string>,
): Promise<string[]> {
  const [first, last] = [clients[0], clients.at(-1)]
  const files = last?.messages.flatMap((message) => message.files) ?? []
  const faults = files.length > 0 ? [] : ['no client shows a file']
  for (const { id, url } of files) {
    const response = await first?.browser.send(url)
    const content = response?.status === 200 ? await response.text() : `status ${response?.status}`
    if (content !== contents.get(id)) faults.push(`file ${id} is ${content}, not ${contents.get(id)}`)
  }
  return faults
}

async function wrongMarks({ rooms }: TestRooms, marks: ReadonlyMap<string, number>): Promise<string[]> {
  const rows = await rooms.database.read
    .selectFrom('room_user_states')
    .select(['user_id', 'last_read_seq'])
    .execute()
  const stored = new Map(rows.map(({ user_id, last_read_seq }) => [user_id, last_read_seq]))
  return [...marks]
    .filter(([userId, mark]) => (stored.get(userId) ?? 0) < mark)
    .map(([userId, mark]) => `the mark of ${userId} moved back from ${mark} to ${stored.get(userId)}`)
}
