// Readers of the audit log.
import type { Rooms } from '../src/app.ts'
import type { TestRooms } from './rooms.ts'

function rowsOf({ database }: Rooms) {
  return database.read.selectFrom('audit_events').selectAll().orderBy('created_at').orderBy('id').execute()
}

/** All audit events without their times and ids, oldest first. */
export async function listAuditEvents({ rooms }: TestRooms): Promise<Record<string, unknown>[]> {
  return (await rowsOf(rooms)).map(
    ({ action, actor_user_id, target_type, target_id, metadata, client_ip }) => ({
      action,
      actor: actor_user_id,
      target: target_type === null ? null : [target_type, target_id],
      metadata: JSON.parse(metadata) as unknown,
      ip: client_ip,
    }),
  )
}

/** Action, actor and target of the events since `since`, oldest first. Sign-ins are left out. */
export async function listAuditActions({ rooms }: TestRooms, since = 0) {
  return (await rowsOf(rooms))
    .filter(({ action, created_at }) => created_at >= since && !SIGN_INS.includes(action))
    .map(({ action, actor_user_id, target_id }) => [action, actor_user_id, target_id])
}

const SIGN_INS: readonly string[] = ['auth.login', 'guest.create']

/** The rows of one action, with their metadata parsed, oldest first. */
export async function findAuditEvents(rooms: Rooms, action: string) {
  return (await rowsOf(rooms))
    .filter((row) => row.action === action)
    .map(({ metadata, ...row }) => ({ ...row, metadata: JSON.parse(metadata) as Record<string, unknown> }))
}
