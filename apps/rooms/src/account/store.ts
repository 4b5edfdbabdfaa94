import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { findClaims } from '../access-layer/store.ts'
import type { AuditAction } from '../audit/actions.ts'
import type {
  AccessClaimsRow,
  AuditEventRow,
  BlockRow,
  Db,
  IdentityRow,
  RoleGrantRow,
  RoomMessageRow,
  RoomMessageVersionRow,
  RoomReactionRow,
  SessionRow,
  Tx,
} from '../db/tables.ts'
import { changeDocuments } from '../db/message-words.ts'
import { type FileWithContent, findFilesOf } from '../files/store.ts'
import { listVersions } from '../messages/version-store.ts'
import { type Position, pageOf } from '../api/paging.ts'
import { type ProfileRow, findProfile } from '../people/store.ts'
import { lockFirstState, saveState } from '../platform/store.ts'
import { lockRoom } from '../rooms/room-events.ts'
import { deletedUserName } from '../rooms/nickname.ts'
import { avatarColorOf } from '../users/avatar-color.ts'
import { namesOf } from '../users/names.ts'
import { NO_PROFILE } from '../users/profile.ts'
import { ERASED_PREFIX, isAccount, lockAccount } from '../users/store.ts'
import { enqueueErasedId } from './erased-ids.ts'

/** Rows that belong to an account, besides its row in `users`. */
export interface AccountRows {
  identity: IdentityRow
  grants: RoleGrantRow[]
  sessions: (SessionRow & { endpoint: string | null })[]
  blocks: BlockRow[]
  profile: ProfileRow
  access: AccessClaimsRow | null
}

export async function findAccountRows(db: Db, userId: string): Promise<AccountRows> {
  return {
    identity: await db
      .selectFrom('identities')
      .selectAll()
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow(),
    grants: await db.selectFrom('role_grants').selectAll().where('user_id', '=', userId).execute(),
    sessions: await db
      .selectFrom('sessions')
      .leftJoin('push_subscriptions', 'push_subscriptions.session_id', 'sessions.id')
      .selectAll('sessions')
      .select('push_subscriptions.endpoint')
      .where('user_id', '=', userId)
      .orderBy('sessions.created_at')
      .orderBy('sessions.id')
      .execute(),
    profile: await findProfile(db, userId),
    access: (await findClaims(db, userId)) ?? null,
    blocks: await db
      .selectFrom('blocks')
      .selectAll()
      .where('user_id', '=', userId)
      .orderBy('created_at')
      .orderBy('blocked_id')
      .execute(),
  }
}

const PAGE_ROWS = 200

/** Message with its earlier texts, oldest first, and its files. */
export interface OwnMessage extends RoomMessageRow {
  versions: RoomMessageVersionRow[]
  files: FileWithContent[]
}

/** Messages of the user in rooms that exist, oldest first. */
export function pagesOfMessages(db: Db, userId: string): AsyncGenerator<OwnMessage[]> {
  const messages = db
    .selectFrom('room_messages')
    .selectAll()
    .where('user_id', '=', userId)
    .where('room_id', 'in', db.selectFrom('rooms').select('id'))
  return pages(async (after) => {
    const rows = await pageOf(messages, ['created_at', 'id', 'asc'], after, PAGE_ROWS).execute()
    const edited = rows.filter(({ edited_at }) => edited_at !== null)
    const versions = await listVersions(
      db,
      edited.map(({ id }) => id),
    )
    const byMessage = Map.groupBy(versions, ({ message_id }) => message_id)
    const withFiles = rows.filter(({ file_count }) => file_count !== null)
    const files = await findFilesOf(
      db,
      withFiles.map(({ id }) => id),
    )
    return rows.map((row) => ({
      ...row,
      versions: byMessage.get(row.id) ?? [],
      files: files.get(row.id) ?? [],
    }))
  })
}

/** Reaction of a user, with the room of its message. */
export interface ReactionWithRoom extends RoomReactionRow {
  room_id: string
}

/** Reactions of the user in rooms that exist, oldest first. */
export function pagesOfReactions(db: Db, userId: string): AsyncGenerator<ReactionWithRoom[]> {
  const reactions = db
    .selectFrom('room_reactions')
    .innerJoin('room_messages', 'room_messages.id', 'room_reactions.message_id')
    .selectAll('room_reactions')
    .select('room_messages.room_id')
    .where('room_reactions.user_id', '=', userId)
    .where('room_messages.room_id', 'in', db.selectFrom('rooms').select('id'))
  return pages((after) =>
    pageOf(reactions, ['room_reactions.created_at', 'room_reactions.id', 'asc'], after, PAGE_ROWS).execute(),
  )
}

/** Audit log entries with the user as actor, oldest first. */
export function pagesOfActivity(db: Db, userId: string): AsyncGenerator<AuditEventRow[]> {
  const events = db.selectFrom('audit_events').selectAll().where('actor_user_id', '=', userId)
  return pages((after) => pageOf(events, ['created_at', 'id', 'asc'], after, PAGE_ROWS).execute())
}

/** Yields to the event loop between pages. */
async function* pages<Row extends Position>(
  find: (after: Position | undefined) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (let after: Position | undefined; ; await new Promise((resolve) => setImmediate(resolve))) {
    const rows = await find(after)
    if (rows.length > 0) yield rows
    if (rows.length < PAGE_ROWS) return
    after = rows.at(-1)
  }
}

/**
 * Locks the account and all rooms that its deletion changes, and returns the ids of the rooms that the
 * user owns. Until the transaction ends, the user cannot become the owner of another one. Rooms come
 * first and in ascending order, as in every write of a room and a person.
 */
export async function lockOwnedRooms(tx: Tx, userId: string): Promise<string[]> {
  const rooms = tx.selectFrom('rooms').select('id').orderBy('id')
  const changed = await rooms
    .where((eb) => eb.or([eb('owner_id', '=', userId), eb('created_by', '=', userId)]))
    .execute()
  for (const { id } of changed) await lockRoom(tx, id)
  await lockAccount(tx, userId)
  const owned = await rooms.where('owner_id', '=', userId).execute()
  return owned.map(({ id }) => id)
}

/** Maximum rows of a table that one transaction changes: few enough not to delay other writers. */
const BATCH_ROWS = 1_000

/**
 * A reference to users that becomes null, or is deleted, when the user is erased. Many rows can hold
 * it.
 */
interface DetachedReference {
  table: string
  column: string
  /** Column by which an index orders the rows. */
  order: string
  /** Column that identifies a row among those of one user; by default `id`. */
  key?: string
  /** True if the rows are deleted. */
  isDeleted?: true
  /** Other columns that become null with `column`. */
  also?: readonly string[]
  /** The audit action whose entries keep the reference. */
  except?: AuditAction
}

const DETACHED_REFERENCES: readonly DetachedReference[] = [
  { table: 'room_messages', column: 'user_id', order: 'created_at', also: ['client_id', 'file_count'] },
  { table: 'room_messages', column: 'deleted_by', order: 'deleted_by' },
  { table: 'room_reactions', column: 'user_id', order: 'created_at' },
  { table: 'room_mentions', column: 'user_id', order: 'room_id', key: 'message_id', isDeleted: true },
  { table: 'files', column: 'user_id', order: 'created_at', isDeleted: true },
  { table: 'audit_events', column: 'actor_user_id', order: 'created_at', also: ['client_ip'] },
]

/** Targets of audit events, which have no foreign key to users. */
const AUDIT_TARGET_REFERENCE: DetachedReference = {
  table: 'audit_events',
  column: 'target_id',
  order: 'created_at',
  except: 'account.delete',
}

/** References that only few rows hold, detached without batches. */
const SMALL_DETACHED_REFERENCES = [
  ['rooms', 'created_by'],
  ['calls', 'started_by'],
  ['room_bans', 'banned_by'],
  ['role_grants', 'granted_by'],
] as const

/** References whose rows are deleted with the account. There are few of them. */
const DELETED_REFERENCES = [
  ['identities', 'user_id'],
  ['blocks', 'user_id'],
  ['blocks', 'blocked_id'],
  ['online_users', 'user_id'],
  ['call_alerts', 'user_id'],
  ['notification_settings', 'user_id'],
  ['access_claims', 'user_id'],
  ['sessions', 'user_id'],
  ['role_grants', 'user_id'],
  ['room_members', 'user_id'],
  ['room_visits', 'user_id'],
  ['room_user_states', 'user_id'],
  ['room_drafts', 'user_id'],
  ['presence_leases', 'user_id'],
  ['room_bans', 'user_id'],
  ['room_invitations', 'invited_user_id'],
  ['room_invitations', 'created_by'],
  ['room_invitation_uses', 'user_id'],
  ['room_manual_roles', 'user_id'],
  ['room_ownership_transfers', 'from_user_id'],
  ['room_ownership_transfers', 'to_user_id'],
] as const

/** All references to an account whose rooms have another owner or are deleted. */
export const USER_REFERENCES: readonly (readonly [table: string, column: string])[] = [
  ...DETACHED_REFERENCES.map(({ table, column }) => [table, column] as const),
  ...SMALL_DETACHED_REFERENCES,
  ...DELETED_REFERENCES,
]

/**
 * Deletes an account, which the caller has locked. Its identity, grants and sessions are deleted.
 * Messages and audit log entries stay without a reference to it. If there are too many of them for
 * one transaction, an anonymous row of `users` stays until `continueErasure` has processed all of
 * them. Returns false if there is no such account.
 */
export async function deleteUser(tx: Tx, userId: string, nowMs: number): Promise<boolean> {
  if (await exceedsBatch(tx, userId)) return anonymizeUser(tx, userId, nowMs)
  await detachBatch(tx, userId)
  await enqueueErasedId(tx, userId, nowMs)
  const { numDeletedRows } = await tx
    .deleteFrom('users')
    .where('id', '=', userId)
    .where(isAccount())
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Whether more rows refer to the account than one transaction may change. */
async function exceedsBatch(tx: Tx, userId: string): Promise<boolean> {
  for (const reference of [...DETACHED_REFERENCES, AUDIT_TARGET_REFERENCE]) {
    const { rows } = await sql`
      select 1 from ${sql.table(reference.table)} where ${refersTo(reference, userId)}
      order by ${sql.ref(reference.order)} limit 1 offset ${BATCH_ROWS}`.execute(tx)
    if (rows.length > 0) return true
  }
  return false
}

async function anonymizeUser(tx: Tx, userId: string, nowMs: number): Promise<boolean> {
  const nickname = deletedUserName(userId)
  const { numUpdatedRows } = await tx
    .updateTable('users')
    .set({
      ...namesOf(nickname),
      email: null,
      avatar_color: avatarColorOf(nickname),
      ...NO_PROFILE,
      disabled: 1,
      guest_ended_at: null,
    })
    .where('id', '=', userId)
    .where(isAccount())
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  for (const [table, column] of DELETED_REFERENCES)
    await sql`delete from ${sql.table(table)} where ${sql.ref(column)} = ${userId}`.execute(tx)
  for (const [table, column] of SMALL_DETACHED_REFERENCES)
    await sql`
      update ${sql.table(table)} set ${sql.ref(column)} = null where ${sql.ref(column)} = ${userId}`.execute(
      tx,
    )
  await saveState(tx, ERASED_PREFIX + userId, '', nowMs)
  await enqueueErasedId(tx, userId, nowMs)
  return true
}

/**
 * Detaches a batch of rows from an erased account, and deletes the rest of the account after the
 * last batch. Returns `more` if there was an account to process.
 */
export async function continueErasure(tx: Tx): Promise<'more' | void> {
  // Nodes that process the same account wait for each other.
  const erased = await lockFirstState(tx, ERASED_PREFIX)
  if (erased === undefined) return
  const userId = erased.slice(ERASED_PREFIX.length)
  const isMore = await exceedsBatch(tx, userId)
  await detachBatch(tx, userId)
  if (!isMore) {
    await tx.deleteFrom('users').where('id', '=', userId).execute()
    await tx.deleteFrom('platform_state').where('key', '=', erased).execute()
  }
  return 'more'
}

async function detachBatch(tx: Tx, userId: string): Promise<void> {
  for (const reference of [...DETACHED_REFERENCES, AUDIT_TARGET_REFERENCE]) {
    const { table, column, order, also = [], key = 'id', isDeleted = false } = reference
    const columns = [column, ...also]
    const change = isDeleted
      ? sql`delete from ${sql.table(table)}`
      : sql`update ${sql.table(table)} set ${sql.join(columns.map((name) => sql`${sql.ref(name)} = null`))}`
    const detach = () =>
      sql`
      ${change} where ${refersTo(reference, userId)} and ${sql.ref(key)} in (
        select ${sql.ref(key)} from ${sql.table(table)} where ${refersTo(reference, userId)}
        order by ${sql.ref(order)} limit ${BATCH_ROWS}
      )`.execute(tx)
    const messages = tx.selectFrom('room_messages').select('id').where('user_id', '=', userId)
    await (table === 'room_messages' ? changeDocuments(tx, messages, detach) : detach())
  }
}

function refersTo({ column, except }: DetachedReference, userId: string): RawBuilder<SqlBool> {
  const isNamed = sql<SqlBool>`${sql.ref(column)} = ${userId}`
  return except === undefined ? isNamed : sql<SqlBool>`${isNamed} and action <> ${except}`
}
