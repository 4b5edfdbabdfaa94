import type { Context } from '../api/context.ts'
import type { Tx } from '../db/tables.ts'
import { originOf } from './origin.ts'
import { type AuditEvent, recordAudit, wasAuditedSince } from './store.ts'

/** Records an action of the caller in the audit log. */
export async function auditAct(
  tx: Tx,
  context: Context,
  event: Omit<AuditEvent, 'id' | 'actorUserId'>,
): Promise<void> {
  await recordAudit(tx, { ...event, actorUserId: context.actor.user.id }, originOf(context))
}

/** An equal read within this time is not recorded again. */
const REPEATED_READ_MS = 600_000

/**
 * Records that the caller read something. Repeated reads within `REPEATED_READ_MS` are recorded
 * once.
 */
export async function auditRead(
  context: Context,
  event: Omit<AuditEvent, 'id' | 'actorUserId'>,
): Promise<void> {
  const { database, now } = context
  const read = { ...event, actorUserId: context.actor.user.id }
  if (await wasAuditedSince(database.read, read, now - REPEATED_READ_MS)) return
  await database.write((tx) => recordAudit(tx, read, originOf(context)))
}
