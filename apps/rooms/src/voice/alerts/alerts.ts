import type { DialectName } from '@latchkey/database/url'
import type { CallAlertEnd, ClusterEvent } from '../../api/cluster-events.ts'
import { toMoment } from '../../api/wire.ts'
import type { Tx } from '../../db/tables.ts'
import type { CallRow } from '../../db/voice-rows.ts'
import { findKnownPerson } from '../../members/store.ts'
import { showToEveryone } from '../../rooms/hidden.ts'
import { appendEvent, lockRoom } from '../../rooms/room-events.ts'
import { type Person, toPerson } from '../../rooms/schema.ts'
import { findBlockersAmong } from '../../users/blocks.ts'
import { findQuietAmong } from '../../users/quiet-people.ts'
import { findCallRow } from '../store.ts'
import {
  deleteAlerts,
  hasAlerts,
  insertAlerts,
  listAlertable,
  listEndingAlerts,
  updateAnswered,
} from './store.ts'

/**
 * Alerts the other people of a direct conversation of a call that has begun, but those who block
 * the caller, have quiet hours or want no notifications from it. Returns their ids as well.
 */
export async function alertPeople(
  tx: Tx,
  dialect: DialectName,
  { call, caller, nowMs }: { call: CallRow; caller: Person; nowMs: number },
): Promise<{ alertedIds: string[]; events: ClusterEvent[] }> {
  const { room_id: roomId, id: callId, answer_until: untilMs } = call
  if (untilMs === null) return { alertedIds: [], events: [] }
  const others = await listAlertable(tx, roomId, caller.userId)
  const blockers = await findBlockersAmong(tx, dialect, others, caller.userId)
  const quiet = await findQuietAmong(tx, dialect, others, nowMs)
  const alertedIds = others.filter((userId) => !blockers.has(userId) && !quiet.has(userId))
  await insertAlerts(tx, alertedIds, { roomId, untilMs })
  // As a message does.
  await showToEveryone(tx, { roomId, authorId: caller.userId })
  const data = { roomId, callId, from: caller, until: toMoment(untilMs) }
  return {
    alertedIds,
    events: alertedIds.map((userId) => ({ kind: 'notice', userId, notice: 'call', data })),
  }
}

/** A user has joined the call of a locked room: it alerts them no more, and is not missed. */
export async function answerCall(tx: Tx, call: CallRow, userId: string): Promise<ClusterEvent[]> {
  if (userId === call.started_by) return []
  if (call.answer_until !== null) await updateAnswered(tx, call.room_id)
  return endedEvents(call, await deleteAlerts(tx, call.room_id, { userId }), 'answered')
}

/**
 * A user declines the call of a locked room, which goes on alerting others. Undefined if it does not
 * alert the user.
 */
export async function declineAlert(
  tx: Tx,
  call: CallRow,
  userId: string,
): Promise<ClusterEvent[] | undefined> {
  const { room_id: roomId, id: callId, started_by: callerId } = call
  const ended = await deleteAlerts(tx, roomId, { userId })
  if (ended.length === 0) return undefined
  // Everyone has declined: nothing is missed.
  if (!(await hasAlerts(tx, roomId))) await updateAnswered(tx, roomId)
  const data = { roomId, callId, userId, reason: 'declined' } as const
  const recipients = callerId === null ? [userId] : [userId, callerId]
  return recipients.map((recipient) => ({
    kind: 'notice',
    userId: recipient,
    notice: 'call_ended',
    data,
  }))
}

/** Ends all alerts of the call of a locked room, which ends. Without an answer, it is missed. */
export async function endAlerts(tx: Tx, call: CallRow, nowMs: number): Promise<ClusterEvent[]> {
  const ended = endedEvents(call, await deleteAlerts(tx, call.room_id), 'ended')
  return [...ended, ...(await markMissed(tx, call, nowMs))]
}

/** Ends the alerts whose time has passed, and marks the calls that no one has answered as missed. */
export async function endUnanswered(tx: Tx, nowMs: number): Promise<ClusterEvent[]> {
  const events: ClusterEvent[] = []
  for (const roomId of await listEndingAlerts(tx, nowMs)) {
    await lockRoom(tx, roomId)
    const call = await findCallRow(tx, roomId)
    if (!call) continue
    events.push(...endedEvents(call, await deleteAlerts(tx, roomId, { untilMs: nowMs }), 'missed'))
    if (call.answer_until !== null && call.answer_until <= nowMs)
      events.push(...(await markMissed(tx, call, nowMs)))
  }
  return events
}

async function markMissed(tx: Tx, call: CallRow, nowMs: number): Promise<ClusterEvent[]> {
  const { room_id: roomId, id: callId, started_by: callerId, answer_until } = call
  if (answer_until === null) return []
  await updateAnswered(tx, roomId)
  const caller = callerId === null ? undefined : await findKnownPerson(tx, roomId, callerId, nowMs)
  const data = { callId, ...(caller && { person: toPerson(caller, 'speaker') }) }
  const event = await appendEvent(tx, { roomId, event: 'call.missed', data, nowMs })
  return [
    { kind: 'event', roomId, event },
    { kind: 'lobby', roomId },
  ]
}

function endedEvents(
  { room_id: roomId, id: callId }: CallRow,
  userIds: readonly string[],
  reason: CallAlertEnd,
): ClusterEvent[] {
  return userIds.map((userId) => ({
    kind: 'notice',
    userId,
    notice: 'call_ended',
    data: { roomId, callId, userId, reason },
  }))
}
