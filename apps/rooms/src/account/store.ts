import { type Kysely, type SqlBool, type Transaction, sql } from 'kysely'
import type {
  AuditEventRow,
  IdentityRow,
  RoleGrantRow,
  RoomMessageRow,
  SessionRow,
  Tables,
} from '../db/tables.ts'
import type { Position } from '../paging.ts'

/** What is stored beside the account itself. */
export interface AccountRows {
  identity: IdentityRow
  grants: RoleGrantRow[]
  sessions: SessionRow[]
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
  }
}

const ROWS_AT_ONCE = 200

/** What the person has said in rooms that are there, in its order. */
export function pagesOfMessages(db: Kysely<Tables>, userId: string): AsyncGenerator<RoomMessageRow[]> {
  const messages = db
    .selectFrom('room_messages')
    .selectAll()
    .where('user_id', '=', userId)
    .where('room_id', 'in', db.selectFrom('rooms').select('id'))
  return pages((after) =>
    messages
      .$if(after !== undefined, (query) => query.where(isAfter(after)))
      .orderBy('created_at')
      .orderBy('id')
      .limit(ROWS_AT_ONCE)
      .execute(),
  )
}

/** What the audit log says that the person did, in its order. */
export function pagesOfActivity(db: Kysely<Tables>, userId: string): AsyncGenerator<AuditEventRow[]> {
  const events = db.selectFrom('audit_events').selectAll().where('actor_user_id', '=', userId)
  return pages((after) =>
    events
      .$if(after !== undefined, (query) => query.where(isAfter(after)))
      .orderBy('created_at')
      .orderBy('id')
      .limit(ROWS_AT_ONCE)
      .execute(),
  )
}

function isAfter(position: Position | undefined) {
  return sql<SqlBool>`(created_at, id) > (${position?.created_at}, ${position?.id})`
}

/** Between pages others have their turn. */
async function* pages<Row extends Position>(
  find: (after: Position | undefined) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (let after: Position | undefined; ; await new Promise((resolve) => setImmediate(resolve))) {
    const rows = await find(after)
    if (rows.length > 0) yield rows
    if (rows.length < ROWS_AT_ONCE) return
    after = rows.at(-1)
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
