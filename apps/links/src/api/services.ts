import type { Database } from '@latchkey/database/database'
import type { Tables } from '../db/tables.ts'
import type { Sites } from '../domains/sites.ts'
import type { SlugSpace } from '../links/slugs/generator.ts'
import type { ChangeSubscription } from '../live/feed.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'

/** What operations use of the service. */
export interface OperationServices {
  /** A database whose writes become part of history (L29.1). */
  database: Database<Tables>
  /** Maximum number of API keys per person. */
  keysPerPerson: number
  sites: Sites
  slugSpace: Pick<SlugSpace, 'findLength' | 'recordSlug'>
  webhooks: Webhooks
  /** Resolves once the subscription receives every later change. */
  followChanges(): Promise<ChangeSubscription>
  /**
   * Resolves once every click that this node has redirected so far is counted. Returns false if the
   * database refuses them or takes too long: the answer then says from when clicks may be missing.
   */
  flushClicks(): Promise<boolean>
  /**
   * Whether this node has redirected a click of this link or slug that is not counted yet. For use
   * in the middle of a write, when it is too late to count the click. Call it before you query the
   * database: no click can then be counted in between.
   */
  hasPendingClicks(of: { linkId: number } | { slug: string }): boolean
  /**
   * Fetches the title of the destination in the background and stores it as label; undefined if
   * titles are disabled.
   */
  enqueueTitleFetch?: ((linkId: number, url: string) => void) | undefined
  /** Fetches the icon of a site in the background and stores it; undefined if icons are disabled. */
  enqueueFaviconFetch?: ((site: URL) => void) | undefined
}
