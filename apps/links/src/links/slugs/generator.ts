import type { Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { isReserved } from './reserved.ts'
import { MAX_SLUG_LENGTH } from './slug.ts'
import { countSlugsOfLength, findSlug, isRetired } from './store.ts'

/** 32 symbols without `l o 0 1`, which are misread; a power of two, so that a random byte maps without bias. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789'
/** Four taken slugs in one creation make the next one longer (L9.2). */
export const TRIES_PER_LENGTH = 4
/** Lengths from here on hold more than a billion slugs; counting them is not worth it, growth by collision remains. */
const MAX_COUNTED_LENGTH = 6
/**
 * Counting holds up redirects on SQLite, for 0.1 seconds where there are a million slugs: those are counted once an hour.
 * The nearer the limit is, the sooner, so that 250 slugs a second do not lead past it meanwhile.
 */
const RECOUNT_AFTER_MS = 60_000
const RECOUNT_AFTER_MS_PER_SLUG = 4

export function randomSlug(length: number): string {
  let slug = ''
  for (const byte of crypto.getRandomValues(new Uint8Array(length))) slug += ALPHABET[byte % ALPHABET.length]
  return slug
}

/** Slugs in use by length, so that not every creation counts them again. Those of other processes show with the next count. */
export class SlugSpace {
  readonly #counts = new Map<number, { count: number; untilMs: number }>()

  /** The first length from `length` on of which at most one eighth is in use. */
  async findLength(tx: Transaction<Tables>, length: number): Promise<number> {
    let candidate = length
    while (candidate < MAX_COUNTED_LENGTH && (await this.#isCrowded(tx, candidate))) candidate++
    return candidate
  }

  /** Told of every slug that this process stores. */
  recordSlug(slug: string): void {
    const entry = this.#counts.get(slug.length)
    if (entry) entry.count++
  }

  async #isCrowded(tx: Transaction<Tables>, length: number): Promise<boolean> {
    const limit = ALPHABET.length ** length / 8
    const entry = this.#counts.get(length)
    if (entry && performance.now() < entry.untilMs) return entry.count > limit
    const count = await countSlugsOfLength(tx, length)
    const isCrowded = count > limit
    const slugs = isCrowded ? count : Math.min(count, limit - count)
    const untilMs = performance.now() + RECOUNT_AFTER_MS + RECOUNT_AFTER_MS_PER_SLUG * slugs
    this.#counts.set(length, { count, untilMs })
    return isCrowded
  }
}

/**
 * A slug nobody has or ever had, of `length` or, where four in a row are taken, longer. Another writer may still take
 * it first: storing it says so, and the caller asks again.
 */
export async function findFreeSlug(tx: Transaction<Tables>, length: number): Promise<string> {
  for (let tries = 0; ; tries++) {
    const slug = randomSlug(Math.min(length + Math.floor(tries / TRIES_PER_LENGTH), MAX_SLUG_LENGTH))
    if (!isReserved(slug) && !(await findSlug(tx, slug)) && !(await isRetired(tx, slug))) return slug
  }
}
