import type { DialectName } from '@latchkey/database/url'
import { foldText } from '@latchkey/http/fold'
import { containsText } from '@latchkey/database/database'
import type { Db, RoomOwnershipTransferRow, Tx } from '../../db/tables.ts'
import { type Position, pageOf } from '../../api/paging.ts'
import { isRoom } from '../../rooms/list-store.ts'
import { queryParticipantCount } from '../../rooms/store.ts'
import { Id } from '../../api/wire.ts'
import type { RoomWithCounts, TransferWithNames } from './schema.ts'

export async function insertTransfer(
  tx: Tx,
  row: RoomOwnershipTransferRow,
): Promise<RoomOwnershipTransferRow> {
  return tx.insertInto('room_ownership_transfers').values(row).returningAll().executeTakeFirstOrThrow()
}

/** Pending transfers from or to this user, newest first. */
export async function listTransfers(
  db: Db,
  { userId, roomId, nowMs }: { userId: string; roomId?: string; nowMs: number },
  after: Position | undefined,
  limit: number,
): Promise<TransferWithNames[]> {
  return db
    .selectFrom('room_ownership_transfers as transfer')
    .innerJoin('rooms', 'rooms.id', 'transfer.room_id')
    .innerJoin('users', 'users.id', 'transfer.from_user_id')
    .selectAll('transfer')
    .select(['transfer.room_id as id', 'rooms.name as room_name', 'users.nickname as from_nickname'])
    .where((eb) => eb.or([eb('transfer.to_user_id', '=', userId), eb('transfer.from_user_id', '=', userId)]))
    .where('transfer.expires_at', '>', nowMs)
    .$if(roomId !== undefined, (query) => query.where('transfer.room_id', '=', roomId ?? ''))
    .$call((query) => pageOf(query, ['transfer.created_at', 'transfer.room_id', 'desc'], after, limit))
    .execute()
}

/** All rooms without direct conversations, newest first. `q` is an id or a part of the name; empty for all. */
export async function selectAllRooms(
  { read: db, dialect }: { read: Db; dialect: DialectName },
  { q, nowMs }: { q: string; nowMs: number },
  after: Position | undefined,
  limit: number,
): Promise<RoomWithCounts[]> {
  const isId = Id.safeParse(q).success
  return db
    .selectFrom('rooms')
    .selectAll('rooms')
    .select((eb) => [
      eb
        .selectFrom('room_members')
        .select((member) => member.fn.countAll<number>().as('count'))
        .whereRef('room_members.room_id', '=', 'rooms.id')
        .as('members'),
      queryParticipantCount(eb, nowMs).as('present'),
    ])
    .where(isRoom)
    .$if(isId, (query) => query.where('rooms.id', '=', q))
    .$if(!isId && q !== '', (query) => query.where(containsText(dialect, 'rooms.search_name', foldText(q))))
    .$call((query) => pageOf(query, ['rooms.created_at', 'rooms.id', 'desc'], after, limit))
    .execute()
}

/** Moderator with an enabled account and the longest membership. */
export async function findSuccessor(db: Db, roomId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('room_members')
    .innerJoin('users', 'users.id', 'room_members.user_id')
    .select('users.id')
    .where('room_members.room_id', '=', roomId)
    .where('room_members.role', '=', 'moderator')
    .where('users.is_guest', '=', 0)
    .where('users.disabled', '=', 0)
    .orderBy('room_members.joined_at')
    .orderBy('users.id')
    .limit(1)
    .executeTakeFirst()
  return row?.id
}
