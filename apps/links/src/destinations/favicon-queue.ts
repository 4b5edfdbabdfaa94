import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import type { Tables } from '../db/tables.ts'
import { BackgroundQueue } from './background-queue.ts'
import type { FaviconFetcher } from './fetch-favicon.ts'
import { saveFavicon } from './store.ts'

/** Limit of the stored icons: at 16 KiB each at most 80 MiB, in practice about a tenth of that. */
const MAX_HOSTS = 5_000

export interface FaviconQueueOptions {
  database: Database<Tables>
  fetchFavicon: FaviconFetcher
  log: Log
  /** Unix seconds. */
  now: () => number
  maxHosts?: number
}

/** Fetches the icons of sites in the background, one host once at a time (L39.2). */
export class FaviconQueue {
  readonly #options: FaviconQueueOptions
  readonly #hosts = new Set<string>()
  readonly #queue: BackgroundQueue<URL>

  constructor(options: FaviconQueueOptions) {
    this.#options = options
    this.#queue = new BackgroundQueue({
      maxConcurrent: 4,
      maxQueued: 200,
      onError: (error) => options.log.warn('favicon: cannot be stored', { error }),
      run: (site, abort) => this.#fetch(site, abort).finally(() => this.#hosts.delete(site.host)),
    })
  }

  /** A site that does not fit into the queue is left to the next request for its icon. */
  enqueue(owner: string, site: URL): void {
    if (!this.#hosts.has(site.host) && this.#queue.enqueue(owner, site)) this.#hosts.add(site.host)
  }

  drain(): void {
    this.#queue.drain()
  }

  close(): Promise<void> {
    return this.#queue.close()
  }

  async #fetch({ origin, host }: URL, abort: AbortSignal): Promise<void> {
    const { database, fetchFavicon, now, maxHosts = MAX_HOSTS } = this.#options
    const icon = await fetchFavicon(origin, abort)
    if (!icon && abort.aborted) return
    await database.write((tx) => saveFavicon(tx, { host, icon, now: now() }, maxHosts))
  }
}
