const FIRST_SIZE = 256
/** The load factor is at most one half, or probing slows down. */
const SLOTS = 2
const WORDS = 2

/**
 * Numbers texts from 1 on, by 64 bits of their hashes: a quarter of the memory of a map. The fields
 * are plain, not `#private`, because the engine is faster with them.
 */
export class KeyMap {
  private keys = new Uint32Array(WORDS * FIRST_SIZE)
  /** Open addressing. A slot holds a number, or 0 if it is free. */
  private slots = new Int32Array(SLOTS * FIRST_SIZE)
  private count = 0

  get size(): number {
    return this.count
  }

  add(text: string): number {
    return this.addKey(Bun.hash.xxHash32(text, 0), Bun.hash.xxHash32(text, 1))
  }

  addKey(first: number, second: number): number {
    const { keys, slots } = this
    const mask = slots.length - 1
    let slot = first & mask
    for (let number = slots[slot] ?? 0; number !== 0; number = slots[slot] ?? 0) {
      const at = WORDS * (number - 1)
      if (keys[at] === first && keys[at + 1] === second) return number
      slot = (slot + 1) & mask
    }
    if (WORDS * this.count === keys.length) {
      this.grow()
      return this.addKey(first, second)
    }
    const at = WORDS * this.count++
    keys[at] = first
    keys[at + 1] = second
    slots[slot] = this.count
    return this.count
  }

  /** The keys of the numbers 1, 2, …, two words each. */
  toKeys(): Uint32Array {
    return this.keys.slice(0, WORDS * this.count)
  }

  private grow(): void {
    const keys = new Uint32Array(2 * this.keys.length)
    keys.set(this.keys)
    this.keys = keys
    this.slots = new Int32Array((SLOTS / WORDS) * keys.length)
    const mask = this.slots.length - 1
    for (let number = 1; number <= this.count; number++) {
      let slot = (keys[WORDS * (number - 1)] ?? 0) & mask
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask
      this.slots[slot] = number
    }
  }
}
