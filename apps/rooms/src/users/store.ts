import { type SqlBool, sql } from 'kysely'
import type { Db, Tx, UserRow } from '../db/tables.ts'
import { avatarColorOf } from './avatar-color.ts'
import { namesOf } from './names.ts'
import { NO_PROFILE } from './profile.ts'

/** The user of a login according to the provider. */
export interface ExternalPerson {
  issuer: string
  subject: string
  mode: string
  name: string
  email: string | null
}

/**
 * Updates or creates the account of an identity (R8). Only issuer and subject identify it, never a
 * name or an email address.
 */
export async function upsertMember(
  tx: Tx,
  person: ExternalPerson,
  nowMs: number,
): Promise<{ user: UserRow; isNew: boolean; isRenamed: boolean }> {
  const { issuer, subject, mode } = person
  const identity = await tx
    .updateTable('identities')
    .set({ mode })
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .returning('user_id')
    .executeTakeFirst()
  if (identity) return { ...(await refresh(tx, identity.user_id, person, nowMs)), isNew: false }
  const { name: nickname, email } = person
  const user = await insertUser(tx, { id: crypto.randomUUID(), nickname, email, is_guest: 0 }, nowMs)
  await tx
    .insertInto('identities')
    .values({
      id: crypto.randomUUID(),
      user_id: user.id,
      is_guest: 0,
      issuer,
      subject,
      mode,
      created_at: nowMs,
    })
    .execute()
  return { user, isNew: true, isRenamed: false }
}

export async function findUserOfIdentity(
  db: Db,
  { issuer, subject }: Pick<ExternalPerson, 'issuer' | 'subject'>,
): Promise<string | undefined> {
  const identity = await db
    .selectFrom('identities')
    .select('user_id')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return identity?.user_id
}

async function refresh(
  tx: Tx,
  userId: string,
  { name, email }: ExternalPerson,
  nowMs: number,
): Promise<{ user: UserRow; isRenamed: boolean }> {
  const before = await tx.selectFrom('users').select('nickname').where('id', '=', userId).executeTakeFirst()
  const user = await tx
    .updateTable('users')
    .set({ ...namesOf(name), email, last_seen_at: nowMs })
    .where('id', '=', userId)
    .returningAll()
    .executeTakeFirstOrThrow()
  return { user, isRenamed: before?.nickname !== name }
}

export async function insertUser(
  tx: Tx,
  person: Pick<UserRow, 'id' | 'nickname' | 'email' | 'is_guest'>,
  nowMs: number,
): Promise<UserRow> {
  const user = {
    ...person,
    avatar_color: avatarColorOf(person.id),
    disabled: 0,
    created_at: nowMs,
    last_seen_at: nowMs,
    guest_ended_at: null,
    picture_id: null,
  } as const
  await tx
    .insertInto('users')
    .values({ ...user, ...namesOf(user.nickname), ...NO_PROFILE })
    .execute()
  return user
}

/** The account that an operator names by its id or by `issuer|subject`. */
export async function findUserByReference(db: Db, reference: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .innerJoin('identities', 'identities.user_id', 'users.id')
    .selectAll('users')
    .where((eb) =>
      eb.or([
        eb('users.id', '=', reference),
        // Compared as a whole, since subjects may contain the separator.
        eb(sql<string>`identities.issuer || '|' || identities.subject`, '=', reference),
      ]),
    )
    .executeTakeFirst()
}

/** Undefined for erased accounts too. */
export async function findUser(db: Db, id: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', id).where(isAccount()).executeTakeFirst()
}

/** Prefix of the key under which an erased account is listed until nothing refers to it. */
export const ERASED_PREFIX = 'erased.'

/**
 * Whether a row of `users` is an account or guest. Rows of erased accounts must not be visible. Do
 * not use it in the statement that locks the row: on PostgreSQL that statement would not see what
 * was committed while it waited.
 */
export function isAccount() {
  return sql<SqlBool>`not exists (
    select 1 from platform_state where platform_state.key = ${sql.lit(ERASED_PREFIX)} || users.id
  )`
}

/**
 * Prevents the erasure of the account until the transaction ends. Other transactions that call it
 * wait.
 */
export async function lockAccount(tx: Tx, userId: string): Promise<void> {
  await tx
    .updateTable('users')
    .set((eb) => ({ last_seen_at: eb.ref('last_seen_at') }))
    .where('id', '=', userId)
    .execute()
}
