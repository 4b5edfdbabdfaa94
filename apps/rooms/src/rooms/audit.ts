import type { Transaction } from 'kysely'
import type { AuditAction } from '../audit/actions.ts'
import { recordAudit } from '../audit/store.ts'
import type { Context } from '../context.ts'
import type { Tables } from '../db/tables.ts'
import { entrantOf } from './entry.ts'

/** One line of the audit log about something that the caller has done in a room. */
export async function auditRoom(
  tx: Transaction<Tables>,
  context: Context,
  {
    action,
    roomId,
    metadata = {},
  }: { action: AuditAction; roomId: string; metadata?: Readonly<Record<string, unknown>> },
): Promise<void> {
  const entrant = entrantOf(context)
  const target = { type: 'room', id: roomId }
  await recordAudit(tx, { action, actorUserId: entrant.userId, target, metadata }, entrant)
}
