import type { CallAlert } from '../../api/cluster-events.ts'
import { toMoment } from '../../api/wire.ts'
import type { Db, Tx } from '../../db/tables.ts'
import { findKnownPerson } from '../../members/store.ts'
import { toPerson } from '../../rooms/schema.ts'

/** Other people of a direct conversation who want to be notified in it. */
export async function listAlertable(tx: Tx, roomId: string, callerId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('room_members')
    .innerJoin('users', 'users.id', 'room_members.user_id')
    .leftJoin('room_user_states', (join) =>
      join
        .onRef('room_user_states.room_id', '=', 'room_members.room_id')
        .onRef('room_user_states.user_id', '=', 'room_members.user_id'),
    )
    .select('users.id')
    .where('room_members.room_id', '=', roomId)
    .where('users.id', '<>', callerId)
    .where('users.disabled', '=', 0)
    .where((eb) =>
      eb.or([eb('room_user_states.level', 'is', null), eb('room_user_states.level', '<>', 'none')]),
    )
    .orderBy('users.id')
    .execute()
  return rows.map(({ id }) => id)
}

export async function insertAlerts(
  tx: Tx,
  userIds: readonly string[],
  { roomId, untilMs }: { roomId: string; untilMs: number },
): Promise<void> {
  if (userIds.length === 0) return
  const rows = userIds.map((user_id) => ({ user_id, room_id: roomId, until: untilMs }))
  await tx.insertInto('call_alerts').values(rows).execute()
}

/** Ends alerts of the call of a locked room: of this user, those that end until this time, or all. Returns their users. */
export async function deleteAlerts(
  tx: Tx,
  roomId: string,
  which: { userId?: string; untilMs?: number } = {},
): Promise<string[]> {
  let statement = tx.deleteFrom('call_alerts').where('room_id', '=', roomId)
  if (which.userId !== undefined) statement = statement.where('user_id', '=', which.userId)
  if (which.untilMs !== undefined) statement = statement.where('until', '<=', which.untilMs)
  const rows = await statement.returning('user_id').execute()
  return rows.map(({ user_id }) => user_id).toSorted()
}

export async function hasAlerts(tx: Tx, roomId: string): Promise<boolean> {
  const alert = await tx
    .selectFrom('call_alerts')
    .select('user_id')
    .where('room_id', '=', roomId)
    .limit(1)
    .executeTakeFirst()
  return alert !== undefined
}

/** No answer to the call of a locked room is awaited any more. */
export async function updateAnswered(tx: Tx, roomId: string): Promise<void> {
  await tx.updateTable('calls').set({ answer_until: null }).where('room_id', '=', roomId).execute()
}

/** Rooms with alerts or awaited answers that end until now. */
export async function listEndingAlerts(tx: Tx, nowMs: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('call_alerts')
    .select('room_id')
    .where('until', '<=', nowMs)
    .union(tx.selectFrom('calls').select('room_id').where('answer_until', '<=', nowMs))
    .orderBy('room_id')
    .execute()
  return rows.map(({ room_id }) => room_id)
}

function selectAlerts(db: Db, userId: string, nowMs: number) {
  return db
    .selectFrom('call_alerts')
    .innerJoin('calls', 'calls.room_id', 'call_alerts.room_id')
    .select(['calls.room_id', 'calls.id', 'calls.started_by', 'call_alerts.until'])
    .where('call_alerts.user_id', '=', userId)
    .where('call_alerts.until', '>', nowMs)
}

type AlertRow = Awaited<ReturnType<ReturnType<typeof selectAlerts>['execute']>>[number]

/** Undefined once the account of the caller is erased. */
async function toAlert(
  db: Db,
  { room_id: roomId, id: callId, started_by, until }: AlertRow,
  nowMs: number,
): Promise<CallAlert | undefined> {
  const caller = started_by === null ? undefined : await findKnownPerson(db, roomId, started_by, nowMs)
  return caller && { roomId, callId, from: toPerson(caller, 'speaker'), until: toMoment(until) }
}

/** The call of a room, if it alerts this user. */
export async function findCallAlert(
  db: Db,
  { userId, roomId, nowMs }: { userId: string; roomId: string; nowMs: number },
): Promise<CallAlert | undefined> {
  const row = await selectAlerts(db, userId, nowMs).where('calls.room_id', '=', roomId).executeTakeFirst()
  return row && toAlert(db, row, nowMs)
}

/** Everyone whom a call alerts now. */
export async function listAllAlerts(
  db: Db,
  nowMs: number,
): Promise<{ user_id: string; room_id: string; call_id: string }[]> {
  return db
    .selectFrom('call_alerts')
    .innerJoin('calls', 'calls.room_id', 'call_alerts.room_id')
    .select(['call_alerts.user_id', 'call_alerts.room_id', 'calls.id as call_id'])
    .where('call_alerts.until', '>', nowMs)
    .execute()
}

/** The calls that alert this user now. */
export async function listCallAlerts(db: Db, userId: string, nowMs: number): Promise<CallAlert[]> {
  const rows = await selectAlerts(db, userId, nowMs).orderBy('calls.started_at').execute()
  const alerts: CallAlert[] = []
  for (const row of rows) alerts.push(...[(await toAlert(db, row, nowMs)) ?? []].flat())
  return alerts
}
