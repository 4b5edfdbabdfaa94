import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SharedDatabase } from '@latchkey/database/testing-nodes'
import type { Random } from '@latchkey/http/testing-random'
import { RoomsLoad } from './rooms-load.ts'

const LOAD_MS = { min: 50, max: 2_000 }

interface KillOptions {
  random: Random
  /** By default, one node has a SQLite file. */
  database?: SharedDatabase
  environmentOf?: (node: number) => Record<string, string>
  isEnough: (kills: number) => boolean
}

/**
 * Kills nodes at random moments while people post, read and sign out, starts them again, and compares
 * the stored state with the answers and with the pages.
 */
export async function killRoomsUnderLoad(options: KillOptions): Promise<{ kills: number; load: RoomsLoad }> {
  const { random, database, isEnough } = options
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-kill-'))
  const load = await RoomsLoad.open({ folder, ...options })
  try {
    let kills = 0
    for (; !isEnough(kills); kills++) {
      load.begin(random.fork(`round ${kills}`))
      await Bun.sleep(random.between(LOAD_MS.min, LOAD_MS.max))
      const victim = random.index(load.nodes.length)
      await load.nodes[victim]?.kill()
      await database?.waitForEndOf(victim)
      await load.start(victim)
      await Bun.sleep(random.next() * LOAD_MS.max)
      await load.end()
      await load.check()
    }
    await load.stop()
    return { kills, load }
  } finally {
    await load.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
