import { inList } from '@latchkey/database/database'
import type { Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { isReserved } from '../../urls/reserved.ts'
import { type Domain, MAX_SLUG_LENGTH, parseSlugKey, slugKey } from '../../urls/slug.ts'
import { type Queries, countSlugsOfLength, findExistingSlugs, findSlug, isRetired } from './store.ts'

/**
 * 32 symbols without `l o 0 1`, which are easily misread. A power of two lets a random byte map
 * without bias.
 */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789'
/** Four taken slugs in one creation make the next one longer (L9.2). */
const TRIES_PER_LENGTH = 4
/**
 * Slugs of this length and longer have more than a billion values. They are not counted; collisions
 * alone make them grow.
 */
const MAX_COUNTED_LENGTH = 6
/**
 * On SQLite, counting delays redirects, by 0.1 seconds for a million slugs. A million slugs are
 * therefore counted once an hour. Near the limit they are counted sooner: 250 slugs a second do not
 * exceed it between two counts.
 */
const RECOUNT_AFTER_MS = 60_000
const RECOUNT_AFTER_MS_PER_SLUG = 4

export function randomSlug(length: number): string {
  let slug = ''
  for (const byte of crypto.getRandomValues(new Uint8Array(length))) slug += ALPHABET[byte % ALPHABET.length]
  return slug
}

/**
 * Cached numbers of slugs by length, which spare most creations a count. Slugs of other processes
 * appear with the next count.
 */
export class SlugSpace {
  /** Numbers of slugs by domain and length. */
  readonly #counts = new Map<string, { count: number; untilMs: number }>()

  /** Returns the first length on the domain, starting with `length`, of which at most one eighth is in use. */
  async findLength(tx: Transaction<Tables>, domain: Domain, length: number): Promise<number> {
    let candidate = length
    while (candidate < MAX_COUNTED_LENGTH && (await this.#isCrowded(tx, domain, candidate))) candidate++
    return candidate
  }

  /** Call this for every slug that this process stores. */
  recordSlug(key: string): void {
    const { slug, domain = null } = parseSlugKey(key)
    const entry = this.#counts.get(slugKey(domain, String(slug.length)))
    if (entry) entry.count++
  }

  async #isCrowded(tx: Transaction<Tables>, domain: Domain, length: number): Promise<boolean> {
    const limit = ALPHABET.length ** length / 8
    const space = slugKey(domain, String(length))
    const entry = this.#counts.get(space)
    if (entry && performance.now() < entry.untilMs) return entry.count > limit
    const count = await countSlugsOfLength(tx, domain, length)
    const isCrowded = count > limit
    const slugs = isCrowded ? count : Math.min(count, limit - count)
    const untilMs = performance.now() + RECOUNT_AFTER_MS + RECOUNT_AFTER_MS_PER_SLUG * slugs
    this.#counts.set(space, { count, untilMs })
    return isCrowded
  }
}

/**
 * Returns the key of a slug that is not and never was in use, of `length`, or longer after every four
 * collisions. Another writer may still take it first: storing it then fails, and the caller tries
 * again.
 */
export async function findFreeSlug(tx: Transaction<Tables>, domain: Domain, length: number): Promise<string> {
  for (let tries = 0; ; tries++) {
    const slug = randomSlug(Math.min(length + Math.floor(tries / TRIES_PER_LENGTH), MAX_SLUG_LENGTH))
    const key = slugKey(domain, slug)
    if (!isReserved(slug) && !(await findSlug(tx, key)) && !(await isRetired(tx, key))) return key
  }
}

interface FreshSlug {
  domain: Domain
  length: number
}

/**
 * Generates the key of an automatic slug for each of these. All are different, and none of them is in
 * `existing`, in use or was ever used.
 */
export async function generateFreshSlugs(
  queries: Queries,
  wanted: readonly FreshSlug[],
  existing: ReadonlyMap<string, string> = new Map(),
): Promise<string[]> {
  const chosenSlugs = new Set<string>()
  const slugs = wanted.map(() => '')
  let missing = wanted.map((slug, at) => ({ ...slug, at }))
  for (let tries = 0; missing.length > 0; tries++) {
    const longer = Math.floor(tries / TRIES_PER_LENGTH)
    const candidates = missing.map((fresh) => {
      const name = randomSlug(fresh.length + longer)
      return { ...fresh, name, slug: slugKey(fresh.domain, name) }
    })
    const usedSlugs = await findUsedSlugs(
      queries,
      candidates.map(({ slug }) => slug),
    )
    missing = candidates.filter(({ name, slug, at }) => {
      if (usedSlugs.has(slug) || existing.has(slug) || chosenSlugs.has(slug) || isReserved(name)) return true
      chosenSlugs.add(slug)
      slugs[at] = slug
      return false
    })
  }
  return slugs
}

async function findUsedSlugs({ db, dialect }: Queries, slugs: readonly string[]): Promise<Set<string>> {
  const existing = await findExistingSlugs({ db, dialect }, slugs)
  const retired = await db
    .selectFrom('retired_slug')
    .select('slug')
    .where(inList(dialect, 'slug', slugs))
    .execute()
  return existing.union(new Set(retired.map(({ slug }) => slug)))
}
