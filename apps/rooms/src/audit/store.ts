import type { Transaction } from 'kysely'
import type { Tables } from '../db/tables.ts'

/** One line of the audit log (R21.2). Never a token, a code or a cookie. */
export interface AuditEvent {
  /** UUID version 7; only for rows that are found again. */
  id?: string
  action: string
  actorUserId: string | null
  target?: { type: string; id: string }
  metadata?: Readonly<Record<string, unknown>>
}

/** From where and when something was done. */
export interface AuditOrigin {
  clientIp: string | null
  requestId: string | null
  nowMs: number
}

/** Written in the transaction of what it tells, so that neither exists without the other. */
export async function recordAudit(
  tx: Transaction<Tables>,
  event: AuditEvent,
  origin: AuditOrigin,
): Promise<void> {
  await tx
    .insertInto('audit_events')
    .values({
      id: event.id ?? Bun.randomUUIDv7('hex', origin.nowMs),
      actor_user_id: event.actorUserId,
      action: event.action,
      target_type: event.target?.type ?? null,
      target_id: event.target?.id ?? null,
      metadata: JSON.stringify(event.metadata ?? {}),
      client_ip: origin.clientIp,
      request_id: origin.requestId,
      created_at: origin.nowMs,
    })
    .execute()
}
