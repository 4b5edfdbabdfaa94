/** Values by key, with a limit in bytes. The least recently used values are evicted. */
export class LruCache<Value> {
  readonly #maxBytes: number
  #bytes = 0
  /** Entries in the order of their last use. */
  readonly #entries = new Map<string, { value: Value; bytes: number }>()

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  has(key: string): boolean {
    return this.#entries.has(key)
  }

  hasRoomFor(bytes: number): boolean {
    return bytes <= this.#maxBytes
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  /** An existing entry stays. A value larger than the cache is not added. */
  add(key: string, value: Value, bytes: number): void {
    if (this.#entries.has(key) || !this.hasRoomFor(bytes)) return
    this.#entries.set(key, { value, bytes })
    this.#bytes += bytes
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) break
      this.#entries.delete(oldest)
      this.#bytes -= entry.bytes
    }
  }
}
