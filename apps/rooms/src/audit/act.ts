import type { Transaction } from 'kysely'
import { type Context, actorOf } from '../context.ts'
import type { Tables } from '../db/tables.ts'
import { originOf } from './origin.ts'
import { type AuditEvent, recordAudit } from './store.ts'

/** One line of the audit log about something that the caller has done. */
export async function auditAct(
  tx: Transaction<Tables>,
  context: Context,
  event: Omit<AuditEvent, 'id' | 'actorUserId'>,
): Promise<void> {
  await recordAudit(tx, { ...event, actorUserId: actorOf(context).user.id }, originOf(context))
}
