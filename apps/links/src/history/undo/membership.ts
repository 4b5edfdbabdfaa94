import { addMembers, lockBundleRow, removeMember } from '../../bundles/store.ts'
import { failure } from '../../api/failures.ts'
import { lockLinkRow } from '../../links/store.ts'
import type { ChangeRow } from '../list.ts'
import type { Membership } from '../../changes/states.ts'
import type { UndoRun } from './run.ts'

/** Makes a link part of a bundle, or not, as before these changes. */
export async function undoMembership(
  { tx, context, isForAll }: UndoRun,
  pair: Membership,
  rows: readonly ChangeRow[],
): Promise<void> {
  const bundle = await lockBundleRow(tx, context.database, pair.bundle_id)
  const link = await lockLinkRow(tx, context.database, pair.link_id)
  if (rows.at(-1)?.kind === 'bundle.link_added') {
    // The link or the bundle is deleted, and the membership with it.
    if (!bundle || !link) return
    if (bundle.created_by !== context.identity && !isForAll) throw failure('not_owner_bundle_links')
    await removeMember(tx, pair.bundle_id, pair.link_id)
    return
  }
  if (!bundle) throw failure('bundle_not_found')
  if (!link) throw failure('link_not_found')
  await addMembers(tx, [pair])
}
