import type { ExpressionBuilder, SelectQueryBuilder } from 'kysely'
import { foldText } from '@latchkey/http/fold'
import { changeDocuments } from '../db/message-words.ts'
import { prepareQuery } from '../db/prepared-query.ts'
import type { Db, RoomMemberRow, RoomRow, Tables, Tx } from '../db/tables.ts'
import { lockFirstState, saveState } from '../platform/store.ts'
import { isAccount, lockAccount } from '../users/store.ts'
import { UNREAD_RETENTION_MS, VISIT_RESUME_MS } from './history.ts'
import { nicknameIn } from './nickname.ts'
import type { RoomRole } from '../api/roles.ts'
import type { PersonRow } from './schema.ts'

/** Columns that only some rooms have. */
const NEW_ROOM = {
  kind: 'room',
  topic: null,
  archived_at: null,
  is_default: 0,
  direct_key: null,
  max_retention_days: null,
  max_retention_from: null,
  max_retention_before: null,
} as const

export async function insertRoom(
  tx: Tx,
  room: Omit<RoomRow, 'search_name' | keyof typeof NEW_ROOM> & Partial<Pick<RoomRow, keyof typeof NEW_ROOM>>,
): Promise<RoomRow> {
  return tx
    .insertInto('rooms')
    .values({ ...NEW_ROOM, ...room, search_name: searchNameOf({ ...NEW_ROOM, ...room }) })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** What searches for rooms compare with: name and topic. */
export function searchNameOf({ name, topic }: Pick<RoomRow, 'name' | 'topic'>): string {
  return foldText(topic === null ? name : `${name} ${topic}`)
}

export async function updateRoom(tx: Tx, before: RoomRow, changes: Partial<RoomRow>): Promise<RoomRow> {
  return tx
    .updateTable('rooms')
    .set({ ...changes, search_name: searchNameOf({ ...before, ...changes }) })
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

const selectRoom = prepareQuery<{ id: string }, RoomRow>((db, { id }) =>
  db.selectFrom('rooms').selectAll().where('id', '=', id),
)

export async function findRoom(db: Db, id: string): Promise<RoomRow | undefined> {
  const [room] = await selectRoom(db, { id })
  return room
}

/** Ids of the owner and of all members. */
export async function listMemberIds(
  db: Db,
  { id, owner_id }: Pick<RoomRow, 'id' | 'owner_id'>,
): Promise<string[]> {
  const rows = await db.selectFrom('room_members').select('user_id').where('room_id', '=', id).execute()
  return [...(owner_id === null ? [] : [owner_id]), ...rows.map(({ user_id }) => user_id)]
}

/** Prefix of the state key of a deleted room with messages or events left to delete. */
const DELETED_ROOM_PREFIX = 'gone.'

/**
 * Deletes a room with everything in it. If there are many messages and events, `deleteOrphanedLog`
 * deletes the rest later; they are unreadable meanwhile.
 */
export async function deleteRoomRows(tx: Tx, id: string, nowMs: number): Promise<void> {
  await tx.deleteFrom('rooms').where('id', '=', id).execute()
  if (await deleteLogBatch(tx, id)) await saveState(tx, DELETED_ROOM_PREFIX + id, '', nowMs)
}

/**
 * Deletes a batch of messages or events of a deleted room. Returns `more` if there was such a room.
 */
export async function deleteOrphanedLog(tx: Tx): Promise<'more' | void> {
  // Serialises nodes that work on the same room.
  const gone = await lockFirstState(tx, DELETED_ROOM_PREFIX)
  if (gone === undefined) return
  if (!(await deleteLogBatch(tx, gone.slice(DELETED_ROOM_PREFIX.length))))
    await tx.deleteFrom('platform_state').where('key', '=', gone).execute()
  return 'more'
}

/**
 * Deletes the oldest batch of messages or events that no participant may read, in a locked room
 * with history visibility `none`. Returns whether more may be left.
 */
export async function deleteUnreadBatch(tx: Tx, { id, last_seq }: RoomRow, nowMs: number): Promise<boolean> {
  const { began } = await tx
    .selectFrom('room_visits')
    .select((eb) => eb.fn.min<number | null>('started_seq').as('began'))
    .where('room_id', '=', id)
    .where((eb) => eb.or([eb('ended_at', 'is', null), eb('ended_at', '>=', nowMs - VISIT_RESUME_MS)]))
    .executeTakeFirstOrThrow()
  for (const table of ['room_messages', 'room_events'] as const) {
    const isMore = await deleteBatch(tx, table, (query) =>
      query
        .where('room_id', '=', id)
        .where((eb) =>
          eb.or([eb('seq', '<=', began ?? last_seq), eb('created_at', '<=', nowMs - UNREAD_RETENTION_MS)]),
        )
        .orderBy('seq'),
    )
    if (isMore) return true
  }
  return false
}

/** Deletes all messages and events of a locked room, one batch per statement. */
export async function deleteLog(tx: Tx, roomId: string): Promise<void> {
  for (let isLeft = true; isLeft;) isLeft = await deleteLogBatch(tx, roomId)
}

/**
 * Returns whether rows are left. This takes a query: with concurrent deletions, an incomplete batch
 * is not necessarily the last.
 */
async function deleteLogBatch(tx: Tx, roomId: string): Promise<boolean> {
  for (const table of ['room_messages', 'room_events'] as const) {
    // Ordered by an index. Otherwise PostgreSQL would collect all remaining rows for each batch.
    await deleteBatch(tx, table, (query) => query.where('room_id', '=', roomId).orderBy('seq'))
    const left = tx.selectFrom(table).select('seq').where('room_id', '=', roomId).orderBy('seq').limit(1)
    if (await left.executeTakeFirst()) return true
  }
  return false
}

/** Rows of a batch: few enough that waiting requests are not delayed noticeably. */
const BATCH_SIZE = 1_000

type LogQuery = SelectQueryBuilder<Tables, 'room_messages' | 'room_events', { room_id: string; seq: number }>

/** Deletes a batch of the selected rows of one table. Returns whether more may be left. */
export async function deleteBatch(
  tx: Tx,
  table: 'room_messages' | 'room_events',
  narrow: (query: LogQuery) => LogQuery,
): Promise<boolean> {
  const batch = narrow(tx.selectFrom(table).select(['room_id', 'seq'])).limit(BATCH_SIZE)
  const remove = () =>
    tx
      .deleteFrom(table)
      .where((eb) => eb(eb.refTuple('room_id', 'seq'), 'in', batch.$asTuple('room_id', 'seq')))
      .executeTakeFirst()
  const { numDeletedRows } =
    table === 'room_messages' ? await changeDocuments(tx, batch, remove) : await remove()
  return numDeletedRows >= BATCH_SIZE
}

/**
 * Number of rooms that the user owns. Concurrent creations by the same user wait until the
 * transaction ends. Throws Kysely's `NoResultError` if the account is erased.
 */
export async function countOwnedRooms(tx: Tx, userId: string): Promise<number> {
  await lockAccount(tx, userId)
  await tx
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .where(isAccount())
    .executeTakeFirstOrThrow()
  const { count } = await tx
    .selectFrom('rooms')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('owner_id', '=', userId)
    .executeTakeFirstOrThrow()
  return count
}

export async function countDefaultRooms(tx: Tx): Promise<number> {
  const { count } = await tx
    .selectFrom('rooms')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('is_default', '=', 1)
    .executeTakeFirstOrThrow()
  return count
}

/** Subquery: number of users with a live lease in the room of the row. */
export function queryParticipantCount(eb: ExpressionBuilder<Tables, 'rooms'>, nowMs: number) {
  return eb
    .selectFrom('presence_leases')
    .select((lease) => lease.fn.count<number>('user_id').distinct().as('count'))
    .whereRef('presence_leases.room_id', '=', 'rooms.id')
    .where('expires_at', '>', nowMs)
}

const selectParticipantCount = prepareQuery<{ roomId: string; nowMs: number }, { present: number | null }>(
  (db, { roomId, nowMs }) =>
    db
      .selectFrom('rooms')
      .select((eb) => queryParticipantCount(eb, nowMs).as('present'))
      .where('id', '=', roomId),
)

/** Number of participants, each user counted once. */
export async function countParticipants(db: Db, roomId: string, nowMs: number): Promise<number> {
  const [room] = await selectParticipantCount(db, { roomId, nowMs })
  return room?.present ?? 0
}

export interface ParticipantRow extends PersonRow {
  started_at: number
}

type SelectedParticipant = Omit<ParticipantRow, 'role'> & {
  owner_id: string
  member_role: RoomMemberRow['role'] | null
}

const selectParticipants = prepareQuery<
  { roomId: string; nowMs: number; limit: number },
  SelectedParticipant
>((db, { roomId, nowMs, limit }) =>
  db
    .selectFrom('room_visits')
    .innerJoin('users', 'users.id', 'room_visits.user_id')
    .innerJoin('rooms', 'rooms.id', 'room_visits.room_id')
    .leftJoin('room_members', (join) =>
      join.onRef('room_members.room_id', '=', 'rooms.id').onRef('room_members.user_id', '=', 'users.id'),
    )
    .select([
      'users.id as user_id',
      nicknameIn(roomId).as('nickname'),
      'users.avatar_color',
      'users.picture_id',
      'users.is_guest',
      'rooms.owner_id',
      'room_members.role as member_role',
      'room_visits.started_at',
    ])
    .where('room_visits.room_id', '=', roomId)
    .where('room_visits.user_id', 'in', (eb) =>
      eb
        .selectFrom('presence_leases')
        .select('presence_leases.user_id')
        .where('presence_leases.room_id', '=', roomId)
        .where('presence_leases.expires_at', '>', nowMs),
    )
    .orderBy('room_visits.started_at')
    .orderBy('users.id')
    .limit(limit),
)

/** Current participants, in order of arrival. */
export async function listParticipants(
  db: Db,
  roomId: string,
  nowMs: number,
  limit: number,
): Promise<ParticipantRow[]> {
  const rows = await selectParticipants(db, { roomId, nowMs, limit })
  return rows.map(({ owner_id, member_role, ...person }) => {
    const role: RoomRole | null = owner_id === person.user_id ? 'owner' : member_role
    return { ...person, role }
  })
}

/** Whether an entry of this administrator was audited after this moment. */
export async function hasEnteredAsAdminSince(
  db: Db,
  { roomId, userId, sinceMs }: { roomId: string; userId: string; sinceMs: number },
): Promise<boolean> {
  const row = await db
    .selectFrom('audit_events')
    .select('id')
    .where('target_type', '=', 'room')
    .where('target_id', '=', roomId)
    .where('action', '=', 'room.admin_entry')
    .where('actor_user_id', '=', userId)
    .where('created_at', '>', sinceMs)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
