import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SharedDatabase } from '@latchkey/database/testing-nodes'
import type { Random } from '@latchkey/http/testing-random'
import { LinksLoad } from '../apps/links/test/durability/links-load.ts'
import { RoomsLoad } from '../apps/rooms/test/durability/rooms-load.ts'
import { linksCounts, roomsCounts } from './counts.ts'
import { type OwnRedis, withRedis } from './own-redis.ts'
import { MissingProgram, type Outcome, type Proof, type Run, inFolder } from './proof.ts'
import { withPostgres } from './shared-database.ts'

/** libfaketime, as Debian installs it. It sets the clock of a process, not of the machine. */
const LIBRARY = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`)
  .find(existsSync)

const MINUTE = 60
const DAY = 86_400
/** Seconds by which a step moves a clock at most, in both directions. Sessions live for a week. */
const STEPS = [2, 45, 5 * MINUTE, 60 * MINUTE, DAY]
const STEPS_PER_ROUND = 4
const PAUSE_MS = { min: 100, max: 700 }
const RESTART = 0.2

/** The clocks of nodes, which a test can set. */
class Clocks {
  steps = 0
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
    for (const node of [0, 1]) this.set(node, 0)
  }

  environmentOf(node: number): Record<string, string> {
    if (LIBRARY === undefined) throw new MissingProgram('libfaketime is not installed')
    return {
      LD_PRELOAD: LIBRARY,
      FAKETIME_TIMESTAMP_FILE: this.#fileOf(node),
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    }
  }

  step(node: number, random: Random): void {
    const limit = random.pick(STEPS)
    this.set(node, Math.round(random.between(-limit, limit)))
    this.steps++
  }

  set(node: number, seconds: number): void {
    const next = `${this.#fileOf(node)}.next`
    writeFileSync(next, `${seconds < 0 ? '' : '+'}${seconds}\n`)
    renameSync(next, this.#fileOf(node))
  }

  #fileOf(node: number): string {
    return join(this.#folder, `clock-${node}`)
  }
}

interface Load {
  readonly nodes: readonly { stop(): Promise<unknown> }[]
  start(node: number): Promise<unknown>
  begin(random: Random): void
  end(): Promise<void>
  check(options: { visits: boolean }): Promise<void>
  stop(): Promise<unknown>
}

async function stepUnderLoad({ random, isOver }: Run, load: Load, clocks: Clocks): Promise<void> {
  for (let round = 0; !isOver(); round++) {
    const choices = random.fork(`clocks ${round}`)
    load.begin(random.fork(`round ${round}`))
    for (let step = 0; step < STEPS_PER_ROUND; step++) {
      await Bun.sleep(choices.between(PAUSE_MS.min, PAUSE_MS.max))
      clocks.step(choices.index(load.nodes.length), choices)
    }
    await Bun.sleep(PAUSE_MS.max)
    await load.end()
    if (choices.chance(RESTART)) {
      const node = choices.index(load.nodes.length)
      await load.nodes[node]?.stop()
      await load.start(node)
    }
    await load.check({ visits: true })
  }
  await load.stop()
}

async function stepLinks(run: Run, database?: SharedDatabase): Promise<Outcome> {
  return inFolder(async (folder) => {
    const clocks = new Clocks(folder)
    const load = await LinksLoad.open({
      folder,
      random: run.random,
      environmentOf: (node) => clocks.environmentOf(node),
      expectedFaults: /"clock: /,
      ...(database && { database }),
    })
    try {
      await stepUnderLoad(run, load, clocks)
      return { tried: { steps: clocks.steps, ...linksCounts(load.ledger) }, problems: load.ledger.problems }
    } finally {
      await load.close()
    }
  })
}

async function stepRooms(run: Run, shared?: { database: SharedDatabase; redis: OwnRedis }): Promise<Outcome> {
  return inFolder(async (folder) => {
    const clocks = new Clocks(folder)
    const load = await RoomsLoad.open({
      folder,
      random: run.random,
      environmentOf: (node) => ({
        ...clocks.environmentOf(node),
        ...(shared && { ROOMS_BUS_URL: shared.redis.url }),
      }),
      ...(shared && { database: shared.database }),
    })
    try {
      await stepUnderLoad(run, load, clocks)
      return { tried: { steps: clocks.steps, ...roomsCounts(load) }, problems: load.ledger.problems }
    } finally {
      await load.close()
    }
  })
}

export const clockProofs: readonly Proof[] = [
  { name: 'Links on SQLite', run: (run) => stepLinks(run) },
  {
    name: 'two nodes of Links on PostgreSQL',
    run: (run) => withPostgres((shared) => stepLinks(run, shared)),
  },
  { name: 'Rooms on SQLite', run: (run) => stepRooms(run) },
  {
    name: 'two nodes of Rooms on PostgreSQL',
    run: (run) => withPostgres((database) => withRedis((redis) => stepRooms(run, { database, redis }))),
  },
]
