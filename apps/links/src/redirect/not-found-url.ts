import { withTimeout } from '@latchkey/database/with-timeout'

/** How long a change on another node may stay unnoticed, in milliseconds (L12.5). */
const FRESH_MS = 900
/** How long a visitor waits for a database that does not answer, in milliseconds. */
const TIMEOUT_MS = 500

/**
 * The URL to which short URLs that lead nowhere redirect. It is kept in memory: redirects read no
 * settings, and other answers read it once a second at the most.
 */
export class NotFoundUrl {
  readonly #read: () => Promise<string | null>
  #url: string | null = null
  #freshUntilMs = 0
  #change = 0
  #reading: Promise<string | null> | undefined

  constructor(read: () => Promise<string | null>) {
    this.#read = read
  }

  /** Call this after every write of this node: the next answer reads the URL again. */
  expire(): void {
    this.#change++
    this.#freshUntilMs = 0
    this.#reading = undefined
  }

  /** The URL; the last known one while the database does not answer. */
  current(): string | null | Promise<string | null> {
    if (performance.now() < this.#freshUntilMs) return this.#url
    this.#reading ??= this.#refresh()
    return this.#reading
  }

  async #refresh(): Promise<string | null> {
    const change = this.#change
    const url = await withTimeout(TIMEOUT_MS, 'Reading not_found_url', this.#read()).catch(() => this.#url)
    if (change === this.#change) {
      this.#url = url
      this.#freshUntilMs = performance.now() + FRESH_MS
      this.#reading = undefined
    }
    return url
  }
}
