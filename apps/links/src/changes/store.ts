import type { Insertable } from 'kysely'
import type { Database } from '@latchkey/database/database'
import type { Tables, Tx } from '../db/tables.ts'

export type NewChange = Insertable<Tables['history']>

/** Stores changes that belong to the writes of this transaction. */
export async function insertChanges(tx: Tx, changes: readonly NewChange[]): Promise<void> {
  if (changes.length > 0) await tx.insertInto('history').values(changes).execute()
}

/** Changes per transaction, few enough not to delay other writers. */
const CHANGES_PER_STEP = 2_000

/** Deletes the changes before this moment (Unix seconds), in small transactions (L29.1). */
export async function deleteChangesBefore(database: Database<Tables>, moment: number): Promise<void> {
  for (;;) {
    const { numDeletedRows } = await database.write(async (tx) => {
      await tx.insertInto('history_erasure').values({ before: moment }).execute()
      const result = await tx
        .deleteFrom('history')
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('history')
            .select('id')
            .where('changed_at', '<', moment)
            .orderBy('changed_at')
            .orderBy('id')
            .limit(CHANGES_PER_STEP),
        )
        .executeTakeFirst()
      await tx.deleteFrom('history_erasure').execute()
      return result
    })
    if (numDeletedRows < BigInt(CHANGES_PER_STEP)) return
    // Writing to a file does not yield to the event loop.
    await new Promise((resolve) => setImmediate(resolve))
  }
}
