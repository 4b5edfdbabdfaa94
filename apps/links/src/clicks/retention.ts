import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import { DAY } from '../analytics/window.ts'
import type { Tables } from '../db/tables.ts'

const EVERY_MS = DAY * 1000
/** Rows in one transaction: short enough that writers in between do not notice. */
const AT_ONCE = 5_000

/** Deletes raw clicks older than `days` now and once a day; sums per hour stay (L13.6). Returns what stops it. */
export function forgetOldClicks(database: Database<Tables>, days: number | null, log: Log): () => void {
  if (days === null) return () => {}
  const run = () => {
    deleteClicksBefore(database, Math.floor(Date.now() / 1000) - days * DAY).catch((error: unknown) =>
      log.error('old clicks could not be deleted', { error }),
    )
  }
  run()
  const timer = setInterval(run, EVERY_MS)
  return () => clearInterval(timer)
}

/** Deletes the raw clicks from before this moment (Unix seconds) in small transactions. Returns how many there were. */
export async function deleteClicksBefore(database: Database<Tables>, moment: number): Promise<number> {
  for (let deleted = 0; ;) {
    const step = await database.write(async (tx) => {
      const old = tx
        .selectFrom('click')
        .select('id')
        .where('clicked_at', '<', moment)
        .orderBy('clicked_at')
        .limit(AT_ONCE)
      const { numDeletedRows } = await tx.deleteFrom('click').where('id', 'in', old).executeTakeFirst()
      return Number(numDeletedRows)
    })
    deleted += step
    if (step < AT_ONCE) return deleted
  }
}
