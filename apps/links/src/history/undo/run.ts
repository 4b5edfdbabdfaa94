import type { Transaction } from 'kysely'
import type { Context } from '../../api/context.ts'
import type { Membership } from '../../changes/states.ts'
import type { Tables } from '../../db/tables.ts'

/** What the reversal of one subject needs and leaves for the end. */
export interface UndoRun {
  tx: Transaction<Tables>
  context: Context
  /** The caller may undo changes of what others own. */
  isForAll: boolean
  /** Links of bundles that come back once both are there. */
  memberships: Membership[]
}
