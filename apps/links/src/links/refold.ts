import type { Database } from '@latchkey/database/database'
import type { Transaction } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { findInstanceValue, saveInstanceValue } from '../preferences/store.ts'
import { foldForSearch, searchText } from './search.ts'

/** Links per transaction, few enough not to delay the redirects that run beside it. */
const LINKS_PER_STEP = 200
/** Up to this id, the texts of links are folded as they are today. Missing if all are. */
const REFOLDING = 'refolding'

/** Folds texts that an earlier version has stored, in small transactions (L6.9). */
export async function refoldTexts(database: Database<Tables>): Promise<void> {
  while (await database.write(refoldNext))
    // Writing to a file does not yield to the event loop.
    await new Promise((resolve) => setImmediate(resolve))
}

/** A text that changes in between has been folded already. */
async function refoldNext(tx: Transaction<Tables>): Promise<boolean> {
  const through = await findInstanceValue(tx, REFOLDING)
  if (through === undefined) return false
  const links = await tx
    .selectFrom('link')
    .select(['id', 'label', 'url', 'created_by', 'search_text'])
    .where('id', '>', Number(through))
    .orderBy('id')
    .limit(LINKS_PER_STEP)
    .execute()
  for (const link of links) {
    const folded = searchText(link)
    if (folded === link.search_text) continue
    await tx
      .updateTable('link')
      .set({ search_text: folded })
      .where('id', '=', link.id)
      .where('search_text', '=', link.search_text)
      .execute()
  }
  const last = links.at(-1)
  if (!last) await refoldBundles(tx)
  await saveInstanceValue(tx, REFOLDING, last ? String(last.id) : null)
  return last !== undefined
}

async function refoldBundles(tx: Transaction<Tables>): Promise<void> {
  const bundles = await tx.selectFrom('bundle').select(['id', 'name', 'search_text']).orderBy('id').execute()
  for (const { id, name, search_text } of bundles) {
    const folded = foldForSearch(name)
    if (folded === search_text) continue
    await tx
      .updateTable('bundle')
      .set({ search_text: folded })
      .where('id', '=', id)
      .where('search_text', '=', search_text)
      .execute()
  }
}
