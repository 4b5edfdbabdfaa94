import { lockKey } from '@latchkey/database/database'
import type { DialectName } from '@latchkey/database/url'
import type { Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { ChangeRow } from '../list.ts'
import { lockSubjects } from '../../changes/states.ts'
import { parseValues } from '../../changes/values.ts'

/** Any number that all undos share which bring something back. */
const RETURN_LOCK = 4_170_620

/**
 * Locks everything that the reversal of these changes depends on. Deleted links and bundles have no row
 * to lock: undos that bring any back wait for each other.
 */
export async function lockForUndo(
  tx: Transaction<Tables>,
  dialect: DialectName,
  rows: readonly ChangeRow[],
): Promise<void> {
  const links = rows.flatMap(({ link_id: id }) => id ?? [])
  const bundles = rows.flatMap(({ bundle_id: id }) => id ?? [])
  const deletions = rows.filter(({ after_values: after }) => after === null)
  if (deletions.length > 0) await lockKey(dialect, tx, RETURN_LOCK)
  for (const { before_values } of deletions) {
    // A link that comes back enters its bundles again, and a bundle gets its links.
    const before = parseValues(before_values) as { links?: number[]; bundles?: number[] } | null
    for (const id of before?.links ?? []) links.push(id)
    for (const id of before?.bundles ?? []) bundles.push(id)
  }
  await lockSubjects(tx, dialect, { links, bundles })
}
