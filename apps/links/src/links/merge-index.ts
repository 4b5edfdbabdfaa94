import type { Database } from '@latchkey/database/database'
import { type Transaction, sql } from 'kysely'
import { DAY } from '../time/window.ts'
import type { Tables } from '../db/tables.ts'
import { findInstanceValue, saveInstanceValue } from '../preferences/store.ts'

/** Pages per transaction, few enough not to delay the redirects that run beside it. */
const PAGES_PER_STEP = 50
/** The UTC day on which the index was merged. */
const MERGED_ON = 'index_merged_on'

/**
 * Once a day, removes what deleted and changed links have left in SQLite's index of words
 * (docs/decisions/0021).
 */
export async function mergeIndex(database: Database<Tables>, now: number): Promise<void> {
  if (database.dialect !== 'sqlite') return
  const today = String(Math.floor(now / DAY))
  if ((await findInstanceValue(database.read, MERGED_ON)) === today) return
  await database.write((tx) => mergePages(tx, -PAGES_PER_STEP))
  while ((await database.write((tx) => mergePages(tx, PAGES_PER_STEP))) > 1)
    // Writing to a file does not yield to the event loop.
    await new Promise((resolve) => setImmediate(resolve))
  await database.write((tx) => saveInstanceValue(tx, MERGED_ON, today))
}

/** Returns the number of changed rows: with less than two, the index is merged. */
async function mergePages(tx: Transaction<Tables>, pages: number): Promise<number> {
  const before = await countChanges(tx)
  await sql`insert into link_trigram (link_trigram, rank) values ('merge', ${pages})`.execute(tx)
  return (await countChanges(tx)) - before
}

async function countChanges(tx: Transaction<Tables>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select total_changes() as count`.execute(tx)
  return rows[0]?.count ?? 0
}
