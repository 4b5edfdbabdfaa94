import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import type { Tables } from '../db/tables.ts'
import { recordChanges } from '../record-changes.ts'
import { OPERATOR } from '../changes/source.ts'
import { findLinkRow, lockLinkForWrite, updateLinkRow } from '../links/store.ts'
import { BackgroundQueue } from './background-queue.ts'
import type { TitleFetcher } from './fetch-title.ts'

/**
 * Labels links created without a label with the title of their destination, in the background
 * (L6.6). Failures are silent.
 */
export type TitleQueue = BackgroundQueue<{ linkId: number; url: string }>

interface TitleQueueOptions {
  database: Database<Tables>
  fetchTitle: TitleFetcher
  log: Log
  /** Unix seconds. */
  now: () => number
}

export function createTitleQueue({ database, fetchTitle, log, now }: TitleQueueOptions): TitleQueue {
  return new BackgroundQueue({
    maxConcurrent: 8,
    maxQueued: 1_000,
    onError: (error) => log.warn('title: cannot be stored', { error }),
    async run({ linkId, url }, abort) {
      const title = await fetchTitle(url, abort)
      const row = title === null ? undefined : await findLinkRow(database.read, linkId)
      if (title === null || !row) return
      const at = now()
      const recorded = recordChanges(database, { identity: OPERATOR, via: 'watch', now: at })
      await recorded.write(async (tx) => {
        const link = await lockLinkForWrite(tx, database, linkId)
        // Meanwhile the link may have a label or another destination, or may be deleted.
        if (link?.label === null && link.url === url) await updateLinkRow(tx, link, { label: title }, at)
      })
    },
  })
}
