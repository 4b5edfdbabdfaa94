import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Random } from '@latchkey/http/testing-random'

export interface Outcome {
  /** What was tried, with counts: `{ kills: 40, 'clicks counted': 1200 }`. */
  tried: Record<string, number>
  /** Where what is stored differs from what was acknowledged. */
  problems: readonly string[]
}

export interface Run {
  /** The source of all choices. */
  random: Random
  /** Whether the time of the proof has passed. */
  isOver: () => boolean
}

/** One fault harness on one service and one engine. */
export interface Proof {
  name: string
  run: (run: Run) => Promise<Outcome>
}

/** The machine has not what a proof needs, so that nothing was tried. */
export class MissingProgram extends Error {}

/** Gives `work` a folder, and removes it afterwards. */
export async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-prove-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
