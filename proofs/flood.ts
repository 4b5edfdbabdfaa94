import type { Socket } from 'node:net'
import type { Random } from '@latchkey/http/testing-random'
import type { Person } from '../bench/fanout/people.ts'
import { mountDisk } from '../apps/links/test/durability/disk.ts'
import { LinksLoad } from '../apps/links/test/durability/links-load.ts'
import { withKey } from '../apps/links/test/durability/server.ts'
import { RoomsLoad } from '../apps/rooms/test/durability/rooms-load.ts'
import { RawSocket } from '../apps/rooms/test/realtime/raw-socket.ts'
import { linksCounts, roomsCounts } from './counts.ts'
import { type Act, HostileClients } from './hostile-clients.ts'
import { MissingProgram, type Outcome, type Proof, type Run, inFolder } from './proof.ts'
import { headOf, openSocket } from './raw-requests.ts'

const ROUND_MS = { min: 1_000, max: 5_000 }
const FULL_MS = { min: 50, max: 2_000 }
const READY_WITHIN_MS = 60_000
const STORM = 30

/** A value that no field allows. */
function badValue(random: Random): unknown {
  const nested = `${'['.repeat(2_000)}${']'.repeat(2_000)}`
  return random.pick<unknown>([
    null,
    -1,
    1e300,
    true,
    [],
    {},
    '',
    '\u0000',
    'x'.repeat(100_000),
    '\ud800',
    'javascript:alert(1)',
    'https://',
    JSON.parse(nested),
    { url: { url: 'https://example.com' } },
  ])
}

function badBody(random: Random, fields: readonly string[]): string {
  const body = JSON.stringify(Object.fromEntries(fields.map((field) => [field, badValue(random)])))
  return random.chance(0.3) ? body.slice(0, random.index(body.length)) : body
}

function linksActs({ workload }: LinksLoad): Record<string, Act> {
  const headers = { Host: '127.0.0.1', ...withKey(workload.key) }
  const post = (socket: Socket, path: string, body: string) =>
    void socket.write(headOf(path, headers, body) + body)
  return {
    'storms of unknown slugs': (socket, random) => {
      for (let count = 0; count < STORM; count++)
        socket.write(`GET /${random.next().toString(36).slice(2)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
    },
    'links of bad input': (socket, random) =>
      post(socket, '/_/api/links', badBody(random, ['url', 'label', 'slug', 'more'])),
    'lists of bad links': (socket, random) => {
      const body = JSON.stringify({ items: Array.from({ length: 5 }, () => badValue(random)), mode: 'all' })
      post(socket, '/_/api/bulk/links', body)
    },
    'paths of bad input': (socket, random) => {
      const part = encodeURIComponent(String(badValue(random)).slice(0, 500).toWellFormed())
      const path = `/_/api/${random.pick(['links', 'slugs', 'bundles'])}/${part}`
      socket.write(
        `DELETE ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${workload.key}\r\n\r\n`,
      )
    },
  }
}

function roomsActs(load: RoomsLoad): Record<string, Act> {
  const pick = (random: Random) => random.index(load.members.length)
  const open = (socket: Socket, index: number) => openSocket(socket, load.members[index] as Person)
  const send = (socket: Socket, frame: object) => socket.write(RawSocket.frame(JSON.stringify(frame)))
  return {
    'sockets opened and dropped': (socket, random) => {
      open(socket, pick(random))
      socket.end()
    },
    'storms of joins': (socket, random) => {
      const index = pick(random)
      open(socket, index)
      for (let count = 0; count < STORM; count++)
        send(socket, {
          type: count % 2 === 0 ? 'subscribe' : 'unsubscribe',
          id: `${count}`,
          roomId: load.roomOf(index),
        })
    },
    'frames of bad input': (socket, random) => {
      const index = pick(random)
      open(socket, index)
      send(socket, {
        type: random.pick(['subscribe', 'typing', 'x']),
        id: badValue(random),
        roomId: badValue(random),
      })
      socket.write(Buffer.from(Array.from({ length: 200 }, () => random.index(256))))
    },
    'messages of bad input': (socket, random) => {
      const index = pick(random)
      const { 'content-type': _, ...headers } = (load.members[index] as Person).headers
      const path = `/api/rooms/${load.roomOf(index)}/messages`
      const body = badBody(random, ['content', 'clientId', 'replyTo', 'files'])
      socket.write(headOf(path, headers, body) + body)
    },
  }
}

interface Load {
  begin(random: Random): void
  end(): Promise<void>
  check(options: { visits: boolean }): Promise<void>
  stop(): Promise<unknown>
}

async function flood({ random, isOver }: Run, load: Load, clients: HostileClients): Promise<void> {
  for (let round = 0; !isOver(); round++) {
    const choices = random.fork(`flood ${round}`)
    load.begin(random.fork(`round ${round}`))
    clients.begin(choices.fork('clients'))
    await Bun.sleep(choices.between(ROUND_MS.min, ROUND_MS.max))
    await load.end()
    await clients.end()
    await load.check({ visits: true })
  }
  await load.stop()
}

async function floodLinks(run: Run): Promise<Outcome> {
  return inFolder(async (folder) => {
    const load = await LinksLoad.open({ folder, random: run.random })
    try {
      const clients = new HostileClients(() => load.nodes[0]?.port ?? 0, linksActs(load))
      await flood(run, load, clients)
      return { tried: { ...clients.counts, ...linksCounts(load.ledger) }, problems: load.ledger.problems }
    } finally {
      await load.close()
    }
  })
}

async function floodRooms(run: Run): Promise<Outcome> {
  return inFolder(async (folder) => {
    const load = await RoomsLoad.open({ folder, random: run.random })
    try {
      const clients = new HostileClients(() => load.port, roomsActs(load))
      await flood(run, load, clients)
      return { tried: { ...clients.counts, ...roomsCounts(load) }, problems: load.ledger.problems }
    } finally {
      await load.close()
    }
  })
}

type FullDisk = NonNullable<ReturnType<typeof mountDisk>>

async function onSmallDisk(work: (disk: FullDisk) => Promise<Outcome>): Promise<Outcome> {
  const disk = mountDisk('24m')
  if (!disk) throw new MissingProgram('This process may not mount a file system: a full disk needs root')
  try {
    return await work(disk)
  } finally {
    disk.close()
  }
}

/** Fills the disk under load, and frees it again. Returns how often. */
async function fillUnderLoad(
  { random, isOver }: Run,
  load: Load,
  { disk, isReady }: { disk: FullDisk; isReady: () => Promise<boolean> },
): Promise<number> {
  let round = 0
  for (; !isOver(); round++) {
    const choices = random.fork(`disk ${round}`)
    load.begin(random.fork(`round ${round}`))
    await Bun.sleep(choices.between(FULL_MS.min, FULL_MS.max))
    disk.fill()
    await Bun.sleep(choices.between(FULL_MS.min, FULL_MS.max))
    disk.free()
    await Bun.sleep(choices.between(FULL_MS.min, FULL_MS.max))
    await load.end()
    const deadline = performance.now() + READY_WITHIN_MS
    while (!(await isReady())) {
      if (performance.now() > deadline) throw new Error('After a full disk, the node is not ready')
      await Bun.sleep(50)
    }
    await load.check({ visits: true })
  }
  await load.stop()
  return round
}

async function fillDiskOfLinks(run: Run, disk: FullDisk): Promise<Outcome> {
  const load = await LinksLoad.open({
    folder: disk.folder,
    random: run.random,
    expectedFaults: /^\{/,
    mayLoseClicks: true,
  })
  load.workload.mayRefuse = true
  try {
    const isReady = async () => (await load.nodes[0]?.request('GET', '/_/ready'))?.status === 200
    const full = await fillUnderLoad(run, load, { disk, isReady })
    const { ledger, workload } = load
    const tried = {
      full,
      ...linksCounts(ledger),
      'answered with 503': workload.refused,
      'clicks lost': ledger.lost,
    }
    return { tried, problems: ledger.problems }
  } finally {
    await load.close()
  }
}

async function fillDiskOfRooms(run: Run, disk: FullDisk): Promise<Outcome> {
  const load = await RoomsLoad.open({ folder: disk.folder, random: run.random })
  try {
    const full = await fillUnderLoad(run, load, { disk, isReady: () => load.isReady() })
    return { tried: { full, ...roomsCounts(load) }, problems: load.ledger.problems }
  } finally {
    await load.close()
  }
}

export const floodProofs: readonly Proof[] = [
  { name: 'Links', run: floodLinks },
  { name: 'Rooms', run: floodRooms },
  { name: 'Links on a full disk', run: (run) => onSmallDisk((disk) => fillDiskOfLinks(run, disk)) },
  { name: 'Rooms on a full disk', run: (run) => onSmallDisk((disk) => fillDiskOfRooms(run, disk)) },
]
