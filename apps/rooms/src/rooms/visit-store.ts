import type { DialectName } from '@latchkey/database/url'
import { inList } from '@latchkey/database/database'
import { sql } from 'kysely'
import { rowsFrom } from '../db/json-rows.ts'
import { prepareQuery } from '../db/prepared-query.ts'
import type { Db, PresenceLeaseRow, RoomRow, RoomVisitRow, Tx } from '../db/tables.ts'

/** Expiry of the last lease of each of these users in the room, also of leases that have expired. */
export async function findLeaseEnds(
  tx: Tx,
  dialect: DialectName,
  { roomId, userIds }: { roomId: string; userIds: readonly string[] },
): Promise<Map<string, number>> {
  const rows = await tx
    .selectFrom('presence_leases')
    .select((eb) => ['user_id', eb.fn.max<number>('expires_at').as('until')])
    .where('room_id', '=', roomId)
    .where(inList(dialect, 'user_id', userIds))
    .groupBy('user_id')
    .execute()
  return new Map(rows.map(({ user_id, until }) => [user_id, until]))
}

/** Numbers of users in a room whom its capacity counts (R36.1). */
export interface CountedVisitors {
  /** Guests, and people without a membership. */
  visitors: number
  guests: number
}

const selectVisitors = prepareQuery<
  { roomId: string; ownerId: string | null; nowMs: number },
  CountedVisitors
>((db, { roomId, ownerId, nowMs }) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('presence_leases')
        .select('user_id')
        .distinct()
        .where('room_id', '=', roomId)
        .where('expires_at', '>', nowMs)
        .as('present'),
    )
    .innerJoin('users', 'users.id', 'present.user_id')
    .select((eb) => [
      eb.fn.countAll<number>().as('visitors'),
      sql<number>`count(case when users.is_guest = 1 then 1 end)`.as('guests'),
    ])
    .where((eb) =>
      eb.or([
        eb('users.is_guest', '=', 1),
        eb.and([
          eb('users.id', 'is distinct from', ownerId),
          eb(
            'users.id',
            'not in',
            eb.selectFrom('room_members').select('room_members.user_id').where('room_id', '=', roomId),
          ),
        ]),
      ]),
    ),
)

export async function countVisitors(
  db: Db,
  { room, nowMs }: { room: Pick<RoomRow, 'id' | 'owner_id'>; nowMs: number },
): Promise<CountedVisitors> {
  const [row] = await selectVisitors(db, { roomId: room.id, ownerId: room.owner_id, nowMs })
  return { visitors: row?.visitors ?? 0, guests: row?.guests ?? 0 }
}

/** A live lease of this user in the room; none if they are absent. */
export const findOwnLease = prepareQuery<
  { roomId: string; userId: string; nowMs: number },
  { connection_id: string }
>((db, { roomId, userId, nowMs }) =>
  db
    .selectFrom('presence_leases')
    .select('connection_id')
    .where('room_id', '=', roomId)
    .where('user_id', '=', userId)
    .where('expires_at', '>', nowMs)
    .limit(1),
)

/** Starts or resumes these visits, one per user, in one statement. */
export async function putVisits(
  tx: Tx,
  dialect: DialectName,
  visits: readonly Omit<RoomVisitRow, 'ended_at'>[],
): Promise<void> {
  const rows = visits.map((visit) => [visit.room_id, visit.user_id, visit.started_at, visit.started_seq])
  await sql`insert into room_visits (room_id, user_id, started_at, started_seq, ended_at)
    select value ->> 0, value ->> 1, cast(value ->> 2 as bigint), cast(value ->> 3 as bigint), null
    from ${rowsFrom(dialect, rows)} where true
    on conflict (room_id, user_id) do update
    set started_at = excluded.started_at, started_seq = excluded.started_seq, ended_at = null`.execute(tx)
}

/** Inserts or replaces leases, one per connection and room. */
export async function putLeases(
  tx: Tx,
  dialect: DialectName,
  leases: readonly PresenceLeaseRow[],
): Promise<void> {
  const rows = leases.map((lease) => [
    lease.connection_id,
    lease.room_id,
    lease.user_id,
    lease.session_id,
    lease.node_id,
    lease.expires_at,
  ])
  await sql`insert into presence_leases (connection_id, room_id, user_id, session_id, node_id, expires_at)
    select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, cast(value ->> 5 as bigint)
    from ${rowsFrom(dialect, rows)} where true
    on conflict (connection_id, room_id) do update
    set user_id = excluded.user_id, session_id = excluded.session_id, node_id = excluded.node_id,
      expires_at = excluded.expires_at`.execute(tx)
}

/**
 * Updates the addresses of sessions. A ban applies to the address that a user entered from, not to
 * that of the sign-in (R17.5).
 */
export async function putAddresses(
  tx: Tx,
  dialect: DialectName,
  addresses: readonly { session_id: string; client_ip: string }[],
): Promise<void> {
  const rows = addresses.map(({ session_id, client_ip }) => [session_id, client_ip])
  await sql`update sessions set client_ip = value ->> 1 from ${rowsFrom(dialect, rows)}
    where sessions.id = value ->> 0 and sessions.client_ip <> value ->> 1`.execute(tx)
}
