import { MINUTE_MS } from '@latchkey/http/duration'
import type { Database } from '@latchkey/database/database'
import type { Tables } from '../db/tables.ts'
import { beginDeletion, deleteContent, endDeletion } from '../files/clean-up.ts'
import type { FileStorage } from '../files/storage/storage.ts'
import type { Job } from './job.ts'

/** Far below the time in which no other node deletes the same contents. */
const MAX_RUN_MS = 2 * MINUTE_MS

/** Deletes contents from files. These jobs wait for them, so they run beside all others. */
export function createFileJobs(database: Database<Tables>, storage: FileStorage): readonly Job[] {
  return [
    {
      name: 'file-contents',
      everyMs: MINUTE_MS,
      async run(tx, nowMs) {
        const { keys, isMore } = await beginDeletion(tx, nowMs)
        return { events: [], isMore, afterCommit: (isStopped) => deleteContents(keys, nowMs, isStopped) }
      },
    },
    {
      name: 'database-log',
      everyMs: 10 * MINUTE_MS,
      run: async () => ({ events: [], afterCommit: () => database.emptyLog() }),
    },
  ]

  async function deleteContents(
    keys: readonly string[],
    nowMs: number,
    isStopped: () => boolean,
  ): Promise<void> {
    const startedMs = performance.now()
    const deleted: string[] = []
    try {
      for (const key of keys) {
        if (isStopped() || performance.now() - startedMs > MAX_RUN_MS) break
        await deleteContent(storage, key)
        deleted.push(key)
      }
    } finally {
      await database.write((tx) => endDeletion(tx, deleted, nowMs))
    }
  }
}
