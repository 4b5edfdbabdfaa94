import type { Transaction } from 'kysely'
import { type Context, actorOf } from '../context.ts'
import type { Tables } from '../db/tables.ts'
import { originOf } from './origin.ts'
import { type AuditEvent, recordAudit, wasAuditedSince } from './store.ts'

/** One line of the audit log about something that the caller has done. */
export async function auditAct(
  tx: Transaction<Tables>,
  context: Context,
  event: Omit<AuditEvent, 'id' | 'actorUserId'>,
): Promise<void> {
  await recordAudit(tx, { ...event, actorUserId: actorOf(context).user.id }, originOf(context))
}

/** Who looks again within this time is not audited again. */
const SAME_LOOK_MS = 600_000

/** The same about something that the caller has read; once for what is read again and again. */
export async function auditRead(
  context: Context,
  event: Omit<AuditEvent, 'id' | 'actorUserId'>,
): Promise<void> {
  const { database, now } = context
  const read = { ...event, actorUserId: actorOf(context).user.id }
  if (await wasAuditedSince(database.read, read, now - SAME_LOOK_MS)) return
  await database.write((tx) => recordAudit(tx, read, originOf(context)))
}
