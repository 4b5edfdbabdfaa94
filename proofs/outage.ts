import { Relay } from '@latchkey/database/testing-relay'
import type { Random } from '@latchkey/http/testing-random'
import { LinksLoad } from '../apps/links/test/durability/links-load.ts'
import { RoomsLoad } from '../apps/rooms/test/durability/rooms-load.ts'
import { linksCounts, roomsCounts } from './counts.ts'
import { type OwnRedis, withRedis } from './own-redis.ts'
import { type Outcome, type Proof, type Run, inFolder } from './proof.ts'
import { type SharedPostgres, withPostgres } from './shared-database.ts'

/** Load before, during and after a fault, in milliseconds. */
const BEFORE_MS = { min: 100, max: 1_000 }
const DURING_MS = { min: 50, max: 4_000 }
const AFTER_MS = 1_000
/** Answers come in bursts this far apart from a slow server. */
const SLOW_MS = { min: 20, max: 400 }
const READY_WITHIN_MS = 60_000

/** A server that nodes use, which can fail, and the relays through which they reach it. */
interface Dependency {
  relays: readonly Relay[]
  kill(): Promise<void>
  restart(): Promise<void>
  freeze(): void
  thaw(): void
}

type Fault = (during: { dependency: Dependency; random: Random; ms: number }) => Promise<void>

const FAULTS: Record<string, Fault> = {
  /** The network of one node or of all refuses connections. */
  async cut({ dependency: { relays }, random, ms }) {
    const cut = random.chance(0.5) ? relays : [random.pick(relays)]
    for (const relay of cut) relay.cut()
    await Bun.sleep(ms)
    for (const relay of cut) relay.restore()
  },
  /** Open connections stay silent for ever, and new ones work. */
  async swallowed({ dependency: { relays }, random, ms }) {
    random.pick(relays).swallow(100)
    await Bun.sleep(ms)
  },
  async frozen({ dependency, ms }) {
    dependency.freeze()
    await Bun.sleep(ms)
    dependency.thaw()
  },
  async slow({ dependency: { relays }, random, ms }) {
    const endMs = performance.now() + ms
    while (performance.now() < endMs) {
      for (const relay of relays) relay.holdAnswers(0)
      await Bun.sleep(random.between(SLOW_MS.min, SLOW_MS.max))
      for (const relay of relays) relay.releaseAnswers()
      await Bun.sleep(1)
    }
  },
  async killed({ dependency, ms }) {
    await dependency.kill()
    await Bun.sleep(ms)
    await dependency.restart()
  },
}

async function disturb(dependencies: readonly Dependency[], random: Random): Promise<string> {
  const kind = random.pick(Object.keys(FAULTS))
  const dependency = random.pick(dependencies)
  await FAULTS[kind]?.({ dependency, random, ms: random.between(DURING_MS.min, DURING_MS.max) })
  return kind
}

interface Relayed {
  relays: readonly Relay[]
  urls: [string, ...string[]]
}

async function behindRelays(
  urls: readonly string[],
  work: (relayed: Relayed) => Promise<Outcome>,
): Promise<Outcome> {
  const relays = await Promise.all(urls.map((url) => Relay.before(url)))
  try {
    return await work({
      relays,
      urls: urls.map((url, index) => relays[index]?.through(url) ?? '') as [string, ...string[]],
    })
  } finally {
    for (const relay of relays) relay.close()
  }
}

function dependencyOf({ server }: SharedPostgres, relays: readonly Relay[]): Dependency {
  return {
    relays,
    kill: () => server.kill(),
    restart: () => server.start(),
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
  }
}

interface Load {
  begin(random: Random): void
  end(): Promise<void>
  check(): Promise<void>
  stop(): Promise<unknown>
  close(): Promise<void>
}

interface Disturbed extends Run {
  load: Load
  dependencies: readonly Dependency[]
  shared: SharedPostgres
  isReady: () => Promise<boolean>
}

/** Disturbs the load until the time has passed. Returns the faults by their kind. */
async function disturbUnderLoad(run: Disturbed): Promise<Record<string, number>> {
  const { random, load, shared, isReady } = run
  const faults: Record<string, number> = Object.fromEntries(Object.keys(FAULTS).map((kind) => [kind, 0]))
  for (let round = 0; !run.isOver(); round++) {
    const choices = random.fork(`faults ${round}`)
    load.begin(random.fork(`round ${round}`))
    await Bun.sleep(choices.between(BEFORE_MS.min, BEFORE_MS.max))
    const kind = await disturb(run.dependencies, choices)
    faults[kind] = (faults[kind] ?? 0) + 1
    await Bun.sleep(choices.next() * AFTER_MS)
    await load.end()
    const deadline = performance.now() + READY_WITHIN_MS
    while (!(await isReady())) {
      if (performance.now() > deadline) throw new Error(`After ${kind}, a node is not ready`)
      await Bun.sleep(50)
    }
    await shared.waitUntilIdle()
    await load.check()
  }
  await load.stop()
  return faults
}

async function disturbLinks(
  { random, isOver }: Run,
  shared: SharedPostgres,
  { relays, urls }: Relayed,
): Promise<Outcome> {
  return inFolder(async (folder) => {
    const load = await LinksLoad.open({
      folder,
      random,
      database: { urls, checkedUrl: shared.checkedUrl },
      expectedFaults: /^\{/,
    })
    load.workload.mayRefuse = true
    const isReady = async () => {
      const statuses = await Promise.all(load.nodes.map((node) => node.request('GET', '/_/ready')))
      return statuses.every(({ status }) => status === 200)
    }
    const dependencies = [dependencyOf(shared, relays)]
    const counted: Load = {
      begin: (choices) => load.begin(choices),
      end: () => load.end(),
      check: () => load.check({ visits: true }),
      stop: () => load.stop(),
      close: () => load.close(),
    }
    try {
      const faults = await disturbUnderLoad({ random, isOver, load: counted, dependencies, shared, isReady })
      const tried = { ...faults, ...linksCounts(load.ledger), 'answered with 503': load.workload.refused }
      return { tried, problems: load.ledger.problems }
    } finally {
      await load.close()
    }
  })
}

interface Backends {
  shared: SharedPostgres
  redis: OwnRedis
  database: Relayed
  bus: Relayed
}

async function disturbRooms(
  { random, isOver }: Run,
  { shared, redis, database, bus }: Backends,
): Promise<Outcome> {
  return inFolder(async (folder) => {
    const load = await RoomsLoad.open({
      folder,
      random,
      database: { urls: database.urls, checkedUrl: shared.checkedUrl },
      environmentOf: (node) => ({ ROOMS_BUS_URL: bus.urls[node] ?? '' }),
    })
    const dependencies = [dependencyOf(shared, database.relays), { ...redis, relays: bus.relays }]
    try {
      const isReady = () => load.isReady()
      const faults = await disturbUnderLoad({ random, isOver, load, dependencies, shared, isReady })
      return { tried: { ...faults, ...roomsCounts(load) }, problems: load.ledger.problems }
    } finally {
      await load.close()
    }
  })
}

export const outageProofs: readonly Proof[] = [
  {
    name: 'two nodes of Links on PostgreSQL',
    run: (run) =>
      withPostgres((shared) => behindRelays(shared.urls, (relayed) => disturbLinks(run, shared, relayed))),
  },
  {
    name: 'two nodes of Rooms on PostgreSQL and Redis',
    run: (run) =>
      withPostgres((shared) =>
        withRedis((redis) =>
          behindRelays(shared.urls, (database) =>
            behindRelays(
              shared.urls.map(() => redis.url),
              (bus) => disturbRooms(run, { shared, redis, database, bus }),
            ),
          ),
        ),
      ),
  },
]
