import type { Kysely, Transaction } from 'kysely'
import type { AuditEventRow, IdentityRow, RoleGrantRow, SessionRow, Tables } from '../db/tables.ts'

/** What is stored beside the account itself. */
export interface AccountRows {
  identity: IdentityRow
  grants: RoleGrantRow[]
  sessions: SessionRow[]
  activity: AuditEventRow[]
}

export async function findAccountRows(db: Kysely<Tables>, userId: string): Promise<AccountRows> {
  return {
    identity: await db
      .selectFrom('identities')
      .selectAll()
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow(),
    grants: await db.selectFrom('role_grants').selectAll().where('user_id', '=', userId).execute(),
    sessions: await db
      .selectFrom('sessions')
      .selectAll()
      .where('user_id', '=', userId)
      .orderBy('created_at')
      .orderBy('id')
      .execute(),
    activity: await db
      .selectFrom('audit_events')
      .selectAll()
      .where('actor_user_id', '=', userId)
      .orderBy('created_at')
      .orderBy('id')
      .execute(),
  }
}

/** Rooms of this owner; no other is made for them until the transaction ends. */
export async function findOwnedRoomIds(tx: Transaction<Tables>, userId: string): Promise<string[]> {
  await tx
    .updateTable('users')
    .set((eb) => ({ last_seen_at: eb.ref('last_seen_at') }))
    .where('id', '=', userId)
    .execute()
  const rooms = await tx
    .selectFrom('rooms')
    .select('id')
    .where('owner_id', '=', userId)
    .orderBy('id')
    .execute()
  return rooms.map(({ id }) => id)
}

/** With identity, grants and sessions; the audit log keeps what was done, without by whom. */
export async function deleteUser(tx: Transaction<Tables>, userId: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('users').where('id', '=', userId).executeTakeFirst()
  return numDeletedRows > 0n
}
