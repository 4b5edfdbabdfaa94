import { auditAct } from '../audit/act.ts'
import type { AuditAction } from '../audit/actions.ts'
import type { Context } from '../api/context.ts'
import type { Tx } from '../db/tables.ts'

/** Audits an action of the caller in a room. */
export async function auditRoom(
  tx: Tx,
  context: Context,
  {
    action,
    roomId,
    metadata = {},
  }: { action: AuditAction; roomId: string; metadata?: Readonly<Record<string, unknown>> },
): Promise<void> {
  await auditAct(tx, context, { action, target: { type: 'room', id: roomId }, metadata })
}
