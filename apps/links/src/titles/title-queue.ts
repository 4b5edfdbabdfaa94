import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import type { Tables } from '../db/tables.ts'
import { findLinkRow, lockLinkRow, updateLink } from '../links/store.ts'
import type { TitleFetcher } from './fetch-title.ts'

/**
 * Pages fetched at once. Links beyond the queue stay without a label rather than wait without
 * limit.
 */
const MAX_CONCURRENT = 8
const MAX_QUEUED = 1_000

/**
 * Labels links created without a label with the title of their destination, in the background
 * (L6.6). Failures are silent.
 */
export class TitleQueue {
  readonly #database: Database<Tables>
  readonly #fetchTitle: TitleFetcher
  readonly #log: Log
  readonly #running = new Set<Promise<void>>()
  readonly #queue: { linkId: number; url: string }[] = []
  readonly #abort = new AbortController()
  #isDraining = false

  constructor(database: Database<Tables>, fetchTitle: TitleFetcher, log: Log) {
    this.#database = database
    this.#fetchTitle = fetchTitle
    this.#log = log
  }

  enqueue(linkId: number, url: string): void {
    if (this.#isDraining || this.#queue.length >= MAX_QUEUED) return
    this.#queue.push({ linkId, url })
    this.#startNext()
  }

  /** Starts no more fetches. Running ones continue. */
  drain(): void {
    this.#isDraining = true
    this.#queue.length = 0
  }

  /** Aborts running fetches, except for a title that is being stored. */
  async close(): Promise<void> {
    this.drain()
    this.#abort.abort()
    await Promise.all(this.#running)
  }

  #startNext(): void {
    const job = this.#running.size < MAX_CONCURRENT ? this.#queue.shift() : undefined
    if (!job) return
    const run = this.#run(job).catch((error: unknown) => this.#log.warn('title: cannot be stored', { error }))
    this.#running.add(run)
    void run.finally(() => {
      this.#running.delete(run)
      this.#startNext()
    })
  }

  async #run({ linkId, url }: { linkId: number; url: string }): Promise<void> {
    const title = await this.#fetchTitle(url, this.#abort.signal)
    const row = title === null ? undefined : await findLinkRow(this.#database.read, linkId)
    if (title === null || !row) return
    await this.#database.write(async (tx) => {
      const link = await lockLinkRow(tx, this.#database, linkId)
      // Meanwhile the link may have a label or another destination, or may be deleted.
      if (link?.label === null && link.url === url) await updateLink(tx, link, { label: title })
    })
  }
}
