import type { CacheFigures, Target } from './lookup.ts'

/** In each of two generations; about 800 bytes a target. */
const GENERATION = 4_000

/**
 * The targets asked for most recently. When the younger generation is full it becomes the elder, and what nobody asked for
 * since the elder did is gone: nearly as good as an order by use, without keeping one.
 */
export class RecentTargets implements CacheFigures {
  hits = 0
  misses = 0
  #younger = new Map<string, Target>()
  #elder = new Map<string, Target>()

  /** Each target once. Takes as long as there are targets: for who asks seldom. */
  get entries(): number {
    let onlyElder = 0
    for (const slug of this.#elder.keys()) if (!this.#younger.has(slug)) onlyElder++
    return this.#younger.size + onlyElder
  }

  get(slug: string): Target | undefined {
    const target = this.#younger.get(slug) ?? this.#again(slug)
    if (target) this.hits++
    else this.misses++
    return target
  }

  #again(slug: string): Target | undefined {
    const old = this.#elder.get(slug)
    if (old) this.set(slug, old)
    return old
  }

  set(slug: string, target: Target): void {
    if (this.#younger.size >= GENERATION) {
      this.#elder = this.#younger
      this.#younger = new Map()
    }
    this.#younger.set(slug, target)
  }

  clear(): void {
    if (this.#younger.size === 0 && this.#elder.size === 0) return
    this.#younger = new Map()
    this.#elder = new Map()
  }
}
