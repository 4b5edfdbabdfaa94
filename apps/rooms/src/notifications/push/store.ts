import { inList } from '@latchkey/database/database'
import type { Database } from '@latchkey/database/database'
import { sql } from 'kysely'
import { rowsFrom } from '../../db/json-rows.ts'
import type { PushSubscriptionRow } from '../../db/notification-rows.ts'
import type { Db, ReadDatabase, Tables, Tx } from '../../db/tables.ts'
import { DEFAULT_LEVEL } from '../../rooms/notification-levels.ts'
import { isFollowing } from '../../rooms/user-state.ts'

/** Stores the subscription of a session. It replaces the last one, and that of another session of the same browser. */
export async function putSubscription(tx: Tx, row: PushSubscriptionRow): Promise<void> {
  await tx
    .deleteFrom('push_subscriptions')
    .where((eb) => eb.or([eb('session_id', '=', row.session_id), eb('endpoint', '=', row.endpoint)]))
    .execute()
  await tx.insertInto('push_subscriptions').values(row).execute()
}

/** Returns whether the session had this subscription. */
export async function deleteSubscription(
  tx: Tx,
  { id, sessionId }: { id: string; sessionId: string },
): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('push_subscriptions')
    .where('id', '=', id)
    .where('session_id', '=', sessionId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Deletes a subscription whose push service does not know it any more. */
export async function deleteGone(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('push_subscriptions').where('id', '=', id).execute()
}

/** Deletes the subscriptions of sessions that have ended. They get no pushes from their end on. */
export async function deleteOfEndedSessions(tx: Tx, nowMs: number): Promise<void> {
  await tx
    .deleteFrom('push_subscriptions')
    .where((eb) =>
      eb(
        'session_id',
        'in',
        eb
          .selectFrom('sessions')
          .select('id')
          .where((session) =>
            session.or([session('revoked_at', 'is not', null), session('idle_expires_at', '<=', nowMs)]),
          ),
      ),
    )
    .execute()
}

/** Subscriptions of live sessions. Guests have none. */
export function queryLiveSubscriptions(db: Db, nowMs: number) {
  return db
    .selectFrom('push_subscriptions')
    .innerJoin('sessions', 'sessions.id', 'push_subscriptions.session_id')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .where('users.is_guest', '=', 0)
    .where('sessions.revoked_at', 'is', null)
    .where('sessions.idle_expires_at', '>', nowMs)
}

/** Users who have subscribed and follow a room: owner, members and others with a read mark. */
export async function listSubscribedFollowers(db: Db, roomId: string, nowMs: number): Promise<string[]> {
  const rows = await queryLiveSubscriptions(db, nowMs)
    .select('sessions.user_id')
    .distinct()
    .where((eb) =>
      eb.or([
        eb('sessions.user_id', 'in', eb.selectFrom('rooms').select('owner_id').where('id', '=', roomId)),
        eb(
          'sessions.user_id',
          'in',
          eb.selectFrom('room_members').select('user_id').where('room_id', '=', roomId),
        ),
        eb(
          'sessions.user_id',
          'in',
          eb
            .selectFrom('room_user_states')
            .select('user_id')
            .where('room_id', '=', roomId)
            .where(isFollowing),
        ),
      ]),
    )
    .execute()
  return rows.map(({ user_id }) => user_id)
}

export async function findLiveSubscription(
  db: Db,
  id: string,
  nowMs: number,
): Promise<OwnSubscription | undefined> {
  return queryLiveSubscriptions(db, nowMs)
    .selectAll('push_subscriptions')
    .select('sessions.user_id')
    .where('push_subscriptions.id', '=', id)
    .executeTakeFirst()
}

export interface OwnSubscription extends PushSubscriptionRow {
  user_id: string
}

export async function listSubscriptionsOf(
  { read, dialect }: ReadDatabase,
  userIds: readonly string[],
  nowMs: number,
): Promise<OwnSubscription[]> {
  return queryLiveSubscriptions(read, nowMs)
    .selectAll('push_subscriptions')
    .select('sessions.user_id')
    .where(inList(dialect, 'sessions.user_id', userIds))
    .execute()
}

/**
 * Claims the pushes to these users about a room. Returns those users who have had none for a minute;
 * another node gets none of them.
 */
export async function claimPushes(
  tx: Tx,
  dialect: Database<Tables>['dialect'],
  {
    roomId,
    users,
    nowMs,
  }: { roomId: string; users: readonly { userId: string; readSeq: number }[]; nowMs: number },
): Promise<string[]> {
  const rows = users.map(({ userId, readSeq }) => [userId, readSeq])
  const { rows: claimed } = await sql<{ user_id: string }>`
    insert into room_user_states (room_id, user_id, last_read_seq, level, pushed_at)
    select ${roomId}, value ->> 0, cast(value ->> 1 as bigint), ${DEFAULT_LEVEL}, cast(${nowMs} as bigint)
    from ${rowsFrom(dialect, rows)} where true
    on conflict (room_id, user_id) do update set pushed_at = excluded.pushed_at
    where coalesce(room_user_states.pushed_at, 0) <= excluded.pushed_at - ${PUSH_EVERY_MS}
    returning user_id`.execute(tx)
  return claimed.map(({ user_id }) => user_id)
}

/** Shortest time between two pushes to one user about one room (R30.3). */
const PUSH_EVERY_MS = 60_000
