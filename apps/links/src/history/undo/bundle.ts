import { deleteBundleRow, insertBundle, lockBundleRow, updateBundleRow } from '../../bundles/store.ts'
import type { ChangeRow } from '../list.ts'
import { readBundleStates } from '../../changes/states.ts'
import { type Values, findDifference, revert } from '../../changes/values.ts'
import { requireKeptSecrets, requireOwner, toDifference } from './link.ts'
import type { UndoRun } from './run.ts'

interface BundleValues extends Values {
  name: string
  description?: string
  icon?: string
  accent: string
  archived_at?: number
  created_via?: string
  created_by: string
  created_at: number
  links?: readonly number[]
  links_omitted?: number
  share?: 'set'
}

/** Columns that have no value unless a bundle has one. */
const EMPTY = { description: null, icon: null, archived_at: null, created_via: null }

/** Gives a bundle the values that it had before these changes, or deletes it if it did not exist. */
export async function undoBundle(run: UndoRun, id: number, rows: readonly ChangeRow[]): Promise<void> {
  const { tx, context } = run
  const differences = rows.map(toDifference)
  for (const difference of differences) requireKeptSecrets(difference)
  const row = await lockBundleRow(tx, context.database, id)
  const present = (await readBundleStates(tx, context.database.dialect, [id])).get(id)
  const target = differences.reduce(
    revert,
    findDifference(undefined, present?.values)?.after ?? null,
  ) as BundleValues | null
  requireOwner(run, row?.created_by ?? target?.created_by)
  if (row && !target) return deleteBundleRow(tx, id)
  if (!target) return
  const {
    links = [],
    links_omitted: _,
    share: __,
    ...values
  } = { ...EMPTY, ...target, updated_at: context.now }
  if (row) {
    await updateBundleRow(tx, id, values)
    return
  }
  await insertBundle(tx, { ...values, id })
  run.memberships.push(...links.map((link_id) => ({ link_id, bundle_id: id })))
}
