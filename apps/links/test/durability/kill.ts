import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SharedDatabase } from '@latchkey/database/testing-nodes'
import type { Random } from '@latchkey/http/testing-random'
import type { Ledger } from './ledger.ts'
import { LinksLoad } from './links-load.ts'

const LOAD_MS = { min: 50, max: 400 }
/** The other nodes go on for this long. */
const ALONE_MS = 300
/**
 * Some kills hit a server that has just started, anywhere from before its first line to after its
 * recovery.
 */
const KILLED_STARTS = { chance: 0.25, maxMs: 350 }
/**
 * Clicks are checked after this share of the kills. After the others, they stay in the journal over
 * several kills.
 */
const CHECKED_COUNTS = 0.3

interface KillOptions {
  random: Random
  /** By default, one node has a SQLite file. */
  database?: SharedDatabase
  isEnough: (kills: number, ledger: Ledger) => boolean
}

export interface KillOutcome {
  kills: number
  killsAtStart: number
  restartMs: number[]
  ledger: Ledger
  clicks: number
  /** Counted clicks whose redirect got no answer. */
  maybe: number
}

/**
 * Kills nodes at random moments under load, starts them again on the same files, and compares the
 * stored state with the answers.
 */
export async function killUnderLoad({ random, database, isEnough }: KillOptions): Promise<KillOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-kill-'))
  const load = await LinksLoad.open({
    folder,
    random,
    ...(database && { database }),
  })
  try {
    const restartMs: number[] = []
    let killsAtStart = 0
    for (let round = 0; !isEnough(round + killsAtStart, load.ledger); round++) {
      load.begin(random.fork(`round ${round}`))
      await Bun.sleep(random.between(LOAD_MS.min, LOAD_MS.max))
      const victim = random.index(load.nodes.length)
      await load.kill(victim)
      if (load.nodes.length > 1) await Bun.sleep(random.next() * ALONE_MS)
      await load.end()
      for (; random.chance(KILLED_STARTS.chance); killsAtStart++) {
        const starting = load.spawn(victim)
        await Bun.sleep(random.next() * KILLED_STARTS.maxMs)
        await starting.kill()
      }
      await database?.waitForEndOf(victim)
      restartMs.push(await load.start(victim))
      await load.check({ visits: random.chance(CHECKED_COUNTS) })
    }
    const sums = await load.stop()
    return { kills: restartMs.length + killsAtStart, killsAtStart, restartMs, ledger: load.ledger, ...sums }
  } finally {
    await load.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
