import type { AuditEventRow, Db, Tx } from '../db/tables.ts'
import { type Position, pageOf } from '../api/paging.ts'
import type { AuditAction } from './actions.ts'
import type { AuditFilter } from './schema.ts'

/** An entry of the audit log (R21.2). Never contains a token, a code or a cookie. */
export interface AuditEvent {
  /** UUID version 7. Set only if the caller looks the entry up later. */
  id?: string
  action: AuditAction
  actorUserId: string | null
  target?: { type: string; id: string }
  metadata?: Readonly<Record<string, unknown>>
}

/** The address, request and time of an audited action. */
export interface AuditOrigin {
  clientIp: string | null
  requestId: string | null
  nowMs: number
}

/**
 * Inserts an audit log entry in the transaction of the change: neither is committed without the
 * other.
 */
export async function recordAudit(tx: Tx, event: AuditEvent, origin: AuditOrigin): Promise<void> {
  await recordAudits(tx, [event], origin)
}

/**
 * Inserts several entries in one statement. The caller must not exceed the parameters that a
 * statement accepts.
 */
export async function recordAudits(
  tx: Tx,
  events: readonly AuditEvent[],
  origin: AuditOrigin,
): Promise<void> {
  const rows = events.map((event) => ({
    id: event.id ?? Bun.randomUUIDv7('hex', origin.nowMs),
    actor_user_id: event.actorUserId,
    action: event.action,
    target_type: event.target?.type ?? null,
    target_id: event.target?.id ?? null,
    metadata: JSON.stringify(event.metadata ?? {}),
    client_ip: origin.clientIp,
    request_id: origin.requestId,
    created_at: origin.nowMs,
  }))
  await tx.insertInto('audit_events').values(rows).execute()
}

/** Lists entries, newest first. */
export async function listAudit(
  db: Db,
  { action, actorUserId, targetType, targetId, before }: AuditFilter,
  after: Position | undefined,
  limit: number,
): Promise<AuditEventRow[]> {
  return db
    .selectFrom('audit_events')
    .selectAll()
    .$if(action !== undefined, (query) => query.where('action', '=', action ?? ''))
    .$if(actorUserId !== undefined, (query) => query.where('actor_user_id', '=', actorUserId ?? ''))
    .$if(targetType !== undefined, (query) => query.where('target_type', '=', targetType ?? ''))
    .$if(targetId !== undefined, (query) => query.where('target_id', '=', targetId ?? ''))
    .$if(before !== undefined, (query) => query.where('created_at', '<', before ?? 0))
    .$call((query) => pageOf(query, ['created_at', 'id', 'desc'], after, limit))
    .execute()
}

/** Whether an equal entry with the same actor was recorded after `sinceMs`. */
export async function wasAuditedSince(
  db: Db,
  { action, actorUserId, target, metadata = {} }: AuditEvent,
  sinceMs: number,
): Promise<boolean> {
  const row = await db
    .selectFrom('audit_events')
    .select('id')
    .where('actor_user_id', '=', actorUserId)
    .where('created_at', '>', sinceMs)
    .where('action', '=', action)
    .where('metadata', '=', JSON.stringify(metadata))
    .$if(target !== undefined, (query) => query.where('target_id', '=', target?.id ?? ''))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The newest entry with one of these actions. */
export async function findNewestAudit(
  db: Db,
  actions: readonly AuditAction[],
): Promise<AuditEventRow | undefined> {
  return db
    .selectFrom('audit_events')
    .selectAll()
    .where('action', 'in', actions)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}
