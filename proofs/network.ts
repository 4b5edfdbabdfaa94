import type { Socket } from 'node:net'
import type { Database } from '@latchkey/database/database'
import type { Random } from '@latchkey/http/testing-random'
import { HOST, type Person } from '../bench/fanout/people.ts'
import type { Tables } from '../apps/links/src/db/tables.ts'
import { LinksLoad } from '../apps/links/test/durability/links-load.ts'
import { withKey } from '../apps/links/test/durability/server.ts'
import { Receiver } from '../apps/links/test/webhooks/receiver.ts'
import { RoomsLoad } from '../apps/rooms/test/durability/rooms-load.ts'
import { rawServer } from '../apps/rooms/test/provider/raw-server.ts'
import { RawSocket } from '../apps/rooms/test/realtime/raw-socket.ts'
import { linksCounts, roomsCounts } from './counts.ts'
import { type Act, HostileClients, httpActs } from './hostile-clients.ts'
import { type Outcome, type Proof, type Run, inFolder } from './proof.ts'
import { headOf, openSocket } from './raw-requests.ts'

const ROUND_MS = { min: 1_000, max: 5_000 }
const DELIVERED_WITHIN_MS = 60_000
const TYPES = ['link.created', 'link.updated', 'link.disabled', 'link.enabled'] as const

/** Servers that do not answer as they should: receivers of webhooks, and identity providers. */
async function hostileServers() {
  const trickle = (socket: Socket) => {
    const timer = setInterval(() => socket.write('x'), 50)
    socket.on('close', () => clearInterval(timer))
  }
  const endless = (socket: Socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const timer = setInterval(() => socket.write(`X-More: ${'x'.repeat(1_000)}\r\n`.repeat(50)), 10)
    socket.on('close', () => clearInterval(timer))
  }
  return Promise.all([
    rawServer(() => undefined),
    rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n')
      trickle(socket)
    }),
    rawServer(endless),
    rawServer((socket) => socket.resetAndDestroy()),
    rawServer((socket) => void socket.end('garbage')),
  ])
}

interface Round {
  begin(random: Random): void
  end(): Promise<void>
  check(options: { visits: boolean }): Promise<void>
}

async function disturb({ random, isOver }: Run, load: Round, hostile: HostileClients): Promise<number> {
  let round = 0
  for (; !isOver(); round++) {
    const choices = random.fork(`network ${round}`)
    load.begin(random.fork(`round ${round}`))
    hostile.begin(choices.fork('clients'))
    await Bun.sleep(choices.between(ROUND_MS.min, ROUND_MS.max))
    await load.end()
    await hostile.end()
    await load.check({ visits: true })
  }
  return round
}

async function disturbLinks(run: Run): Promise<Outcome> {
  const servers = await hostileServers()
  const receiver = new Receiver()
  try {
    return await inFolder(async (folder) => {
      const load = await LinksLoad.open({
        folder,
        random: run.random,
        environmentOf: () => ({ LINKS_WEBHOOK_ALLOW: '127.0.0.1' }),
        expectedFaults: /webhook/,
      })
      try {
        const before = await findNewest(load.database)
        for (const { url } of [receiver, ...servers]) await createWebhook(load, url)
        const hostile = new HostileClients(() => load.nodes[0]?.port ?? 0, linksActs(load))
        const rounds = await disturb(run, load, hostile)
        const problems = await findUndelivered(load.database, receiver, before)
        await load.stop()
        const tried = {
          rounds,
          ...hostile.counts,
          ...linksCounts(load.ledger),
          deliveries: receiver.received.length,
        }
        return { tried, problems: [...load.ledger.problems, ...problems] }
      } finally {
        await load.close()
      }
    })
  } finally {
    for (const server of servers) server.stop()
    await receiver.stop()
  }
}

async function createWebhook({ nodes }: LinksLoad, url: string): Promise<void> {
  const answer = await nodes[0]?.request('POST', '/_/admin/api/webhooks', { body: { url, types: TYPES } })
  if (answer?.status !== 201)
    throw new Error(`A webhook was answered with ${answer?.status}: ${answer?.text}`)
}

function linksActs(load: LinksLoad): Record<string, Act> {
  const { workload, ledger } = load
  const head = (body: string) => headOf('/_/api/links', { Host: '127.0.0.1', ...withKey(workload.key) }, body)
  return {
    ...httpActs('/_/health', '127.0.0.1'),
    /** Whether such a redirect is counted is open. */
    'visitors who hang up': (socket, random) => {
      const slug = random.pick(workload.hot)
      const visits = ledger.visitsOf(slug)
      visits.sent++
      visits.unanswered++
      socket.write(`GET /${slug} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`, () => socket.resetAndDestroy())
    },
    /** None is stored: the count of links would differ. */
    'writes cut off': (socket, random) => {
      const body = JSON.stringify({ url: `https://example.com/cut/${random.next()}` })
      socket.end(head(body) + body.slice(0, random.index(body.length)))
    },
    /** These may or may not be stored. */
    'writers who hang up': (socket) => {
      const number = workload.nextNumber()
      const link = { url: `https://example.com/made/${number}`, label: `made ${number}`, slug: undefined }
      ledger.begin(link)
      const body = JSON.stringify({ url: link.url, label: link.label })
      socket.write(head(body) + body, () => socket.resetAndDestroy())
    },
  }
}

async function findNewest({ read }: Database<Tables>): Promise<number> {
  const { newest } = await read
    .selectFrom('event')
    .select((eb) => eb.fn.max('seq').as('newest'))
    .executeTakeFirstOrThrow()
  return newest ?? 0
}

/** The receiver that answers gets each event after `before` at least once and in order, in spite of the others. */
async function findUndelivered(
  { read }: Database<Tables>,
  receiver: Receiver,
  before: number,
): Promise<string[]> {
  const rows = await read
    .selectFrom('event')
    .select('seq')
    .where('type', 'in', TYPES)
    .where('seq', '>', before)
    .orderBy('seq')
    .execute()
  const deadline = performance.now() + DELIVERED_WITHIN_MS
  const last = rows.at(-1)?.seq ?? 0
  while (last > 0 && !receiver.seqs.includes(last) && performance.now() < deadline) await Bun.sleep(50)
  const expected = rows.map(({ seq }) => seq)
  const firsts = [...new Set(receiver.seqs)]
  return Bun.deepEquals(firsts, expected)
    ? []
    : [`delivered were ${firsts.length} of ${expected.length} events, or not in order`]
}

async function disturbRooms(run: Run): Promise<Outcome> {
  const servers = await hostileServers()
  try {
    return await inFolder(async (folder) => {
      const issuer = run.random.pick(servers).url.replace(/\/$/, '')
      const load = await RoomsLoad.open({
        folder,
        random: run.random,
        environmentOf: () => ({ OIDC_ISSUER: issuer }),
      })
      try {
        const hostile = new HostileClients(() => load.port, roomsActs(load))
        const rounds = await disturb(run, load, hostile)
        await load.stop()
        return { tried: { rounds, ...hostile.counts, ...roomsCounts(load) }, problems: load.ledger.problems }
      } finally {
        await load.close()
      }
    })
  } finally {
    for (const server of servers) server.stop()
  }
}

function roomsActs(load: RoomsLoad): Record<string, Act> {
  const pick = (random: Random) => random.pick(load.members)
  let cut = 0
  const subscribe = (index: number) =>
    RawSocket.frame(JSON.stringify({ type: 'subscribe', id: 's', roomId: load.roomOf(index) }))
  const post = ({ headers: { 'content-type': _, ...headers } }: Person, index: number, body: string) =>
    headOf(`/api/rooms/${load.roomOf(index)}/messages`, headers, body)
  return {
    ...httpActs('/api/health', HOST),
    'frames cut off': (socket, random) => {
      const frame = subscribe(0)
      openSocket(socket, pick(random))
      socket.write(frame.subarray(0, 1 + random.index(frame.length - 1)))
    },
    'sockets that do not read': (socket, random) => {
      socket.pause()
      const index = random.index(load.members.length)
      openSocket(socket, load.members[index] as Person)
      socket.write(subscribe(index))
    },
    'sockets of the pages broken': (_socket, random) => random.pick(load.pages).terminate(),
    'logins at a provider that fails': (socket) =>
      void socket.write(
        `GET /api/auth/login HTTP/1.1\r\nHost: ${HOST}\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\nSec-Fetch-Site: same-origin\r\n\r\n`,
      ),
    'messages cut off': (socket, random) => {
      const index = random.index(load.members.length)
      const body = JSON.stringify({ content: `cut ${random.next()}`, clientId: `cut-${random.next()}` })
      socket.end(post(load.members[index] as Person, index, body) + body.slice(0, random.index(body.length)))
    },
    /** These may or may not be stored. */
    'authors who hang up': (socket, random) => {
      const index = random.index(load.members.length)
      const [clientId, content] = [`hung-up-${++cut}`, `message hung up ${cut}`]
      load.ledger.begin(clientId, { author: -cut, roomId: load.roomOf(index), content })
      const body = JSON.stringify({ content, clientId })
      socket.write(post(load.members[index] as Person, index, body) + body, () => socket.resetAndDestroy())
    },
  }
}

export const networkProofs: readonly Proof[] = [
  { name: 'Links', run: disturbLinks },
  { name: 'Rooms', run: disturbRooms },
]
