import { inList } from '@latchkey/database/database'
import type { DialectName } from '@latchkey/database/url'
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import { foldText } from '@latchkey/http/fold'
import type { Db, RoleGrantRow, SessionRow, Tables, Tx, UserRow } from '../db/tables.ts'
import { type Position, pageOf } from '../api/paging.ts'
import { endSessions } from '../sessions/store.ts'
import { isAccount } from '../users/store.ts'
import { Id } from '../api/wire.ts'

/**
 * Lists users, newest first. `q` is an id, a part of a name, or a whole email address. An empty `q`
 * matches all users.
 */
export async function selectUsers(
  db: Db,
  q: string,
  after: Position | undefined,
  limit: number,
): Promise<UserRow[]> {
  return db
    .selectFrom('users')
    .selectAll()
    .where(isAccount())
    .$if(q !== '', (query) => query.where((eb) => matches(eb, q)))
    .$call((query) => pageOf(query, ['created_at', 'id', 'desc'], after, limit))
    .execute()
}

function matches(eb: ExpressionBuilder<Tables, 'users'>, q: string): Expression<SqlBool> {
  if (Id.safeParse(q).success) return eb('id', '=', q)
  // ASCII only, since both engines fold a column that way. Full folding would need a column of its
  // own.
  const email = q.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  return eb.or([
    sql<SqlBool>`search_name like ${`%${literal(foldText(q))}%`} escape '!'`,
    sql<SqlBool>`lower(email) = ${email}`,
  ])
}

/** Escapes `%` and `_`, which `like` treats as wildcards. */
function literal(text: string): string {
  return text.replaceAll(/[%_!]/g, '!$&')
}

export async function findGrantsOf(
  { dialect, db }: { dialect: DialectName; db: Db },
  userIds: readonly string[],
): Promise<RoleGrantRow[]> {
  return db
    .selectFrom('role_grants')
    .selectAll()
    .where(inList(dialect, 'user_id', userIds))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Returns whether the value changed. */
export async function setDisabled(tx: Tx, id: string, disabled: boolean): Promise<boolean> {
  const value = disabled ? 1 : 0
  const { numUpdatedRows } = await tx
    .updateTable('users')
    .set({ disabled: value })
    .where('id', '=', id)
    .where('disabled', '<>', value)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function findSessionRow(db: Db, id: string): Promise<SessionRow | undefined> {
  return db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirst()
}

/**
 * Prevents other transactions from ending a live session until this one ends. Returns false if the
 * session has ended already.
 */
export async function lockLiveSession(tx: Tx, id: string, nowMs: number): Promise<boolean> {
  const held = await tx
    .updateTable('sessions')
    .set((eb) => ({ last_seen_at: eb.ref('last_seen_at') }))
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .where('idle_expires_at', '>', nowMs)
    .returning('id')
    .executeTakeFirst()
  return held !== undefined
}

/**
 * Returns the id of the user whose live session ended, or undefined if there is no such session.
 */
export async function revokeAnySession(tx: Tx, id: string, nowMs: number): Promise<string | undefined> {
  const [ended] = await endSessions(tx, 'revoked', nowMs, (query) => query.where('id', '=', id))
  return ended === undefined ? undefined : (await findSessionRow(tx, id))?.user_id
}
