/**
 * Random choices that a seed repeats. Each client of a test forks its own source, so that its choices
 * do not depend on how fast the others are.
 *
 * @example new Random('7').fork('writer 1').pick(['a', 'b'])
 */
export class Random {
  readonly seed: string
  #state: number

  constructor(seed: string) {
    this.seed = seed
    this.#state = Number(Bun.hash(seed) & 0xffffffffn)
  }

  fork(name: string | number): Random {
    return new Random(`${this.seed}/${name}`)
  }

  /** At least 0 and less than 1. */
  next(): number {
    // Mulberry32.
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** At least `min` and less than `max`. */
  between(min: number, max: number): number {
    return min + this.next() * (max - min)
  }

  /** A whole number, at least 0 and less than `count`. */
  index(count: number): number {
    return Math.floor(this.next() * count)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.index(items.length)] as Item
  }
}
