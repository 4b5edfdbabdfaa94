import type { Database } from '@latchkey/database/database'
import { lockRows } from '@latchkey/database/locks'
import { sql } from 'kysely'
import { updateBundleRow } from '../bundles/store.ts'
import type { Tables, Tx } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import { type LinkRow, lockLinksForWrite, updateLinkRow } from '../links/store.ts'

/**
 * Throws unless the new owner has created something or the caller confirms the name: a mistyped one
 * would take the link from everyone.
 */
export async function requireKnownOwner(
  tx: Tx,
  { owner, confirm }: { owner: string; confirm?: boolean | undefined },
): Promise<void> {
  if (!confirm && !(await hasCreated(tx, owner))) throw failure('owner_unknown')
}

/** Whether the identity owns a link, a bundle or an API key. */
export async function hasCreated(tx: Tx, identity: string): Promise<boolean> {
  const { rows } = await sql<{ one: number }>`select 1 as one
    where exists (select 1 from link where created_by = ${identity})
      or exists (select 1 from bundle where created_by = ${identity})
      or exists (select 1 from api_key where identity = ${identity})`.execute(tx)
  return rows.length > 0
}

/** Makes `owner` the owner of a locked link. Slugs that the new owner added are slugs of the owner. */
export async function setOwner(
  tx: Tx,
  row: LinkRow,
  { owner, now }: { owner: string; now: number },
): Promise<void> {
  if (row.created_by === owner) return
  await updateLinkRow(tx, row, { created_by: owner }, now)
  await tx
    .updateTable('slug')
    .set({ added_by: null })
    .where('link_id', '=', row.id)
    .where('added_by', '=', owner)
    .execute()
}

interface Transfer {
  from: string
  to: string
  confirm: boolean
  now: number
}

/** Links per transaction, few enough not to delay the redirects of a running service. */
const LINKS_PER_STEP = 200

/** Makes one identity the owner of everything that another owns. Returns the numbers. */
export async function transferAll(
  database: Database<Tables>,
  { from, to, confirm, now }: Transfer,
): Promise<{ links: number; bundles: number }> {
  const bundles = await database.write(async (tx) => {
    await requireKnownOwner(tx, { owner: to, confirm })
    const owned = tx.selectFrom('bundle').select('id').where('created_by', '=', from)
    const rows = await lockRows(database.dialect, owned, 'id').execute()
    for (const { id } of rows) await updateBundleRow(tx, id, { created_by: to, updated_at: now })
    return rows.length
  })
  for (let links = 0; ;) {
    const { owned, transferred } = await database.write((tx) => transferSome(tx, database, { from, to, now }))
    links += transferred
    if (owned < LINKS_PER_STEP) return { links, bundles }
  }
}

async function transferSome(
  tx: Tx,
  database: Database<Tables>,
  { from, to, now }: Omit<Transfer, 'confirm'>,
): Promise<{ owned: number; transferred: number }> {
  const rows = await tx
    .selectFrom('link')
    .select('id')
    .where('created_by', '=', from)
    .orderBy('id')
    .limit(LINKS_PER_STEP)
    .execute()
  const ids = rows.map(({ id }) => id)
  // Meanwhile a link may have another owner, or be deleted.
  const remaining = [...(await lockLinksForWrite(tx, database, ids)).values()].filter(
    (row) => row.created_by === from,
  )
  for (const row of remaining) await setOwner(tx, row, { owner: to, now })
  return { owned: ids.length, transferred: remaining.length }
}
