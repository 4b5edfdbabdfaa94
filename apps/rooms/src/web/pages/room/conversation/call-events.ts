import { MINUTE_MS } from '@latchkey/http/duration'
import type { Message, RoomEvent } from '../../../live/frames.ts'

/** Time after which the end of a call that no one answered at first is worth a line of its own. */
const ANSWERED_AFTER_MS = MINUTE_MS

/**
 * The events with one line for a call that no one answered, and one for a call during which nothing
 * else happened.
 */
export function mergeCallEvents(
  events: readonly RoomEvent[],
  messages: readonly Pick<Message, 'seq'>[],
): readonly RoomEvent[] {
  const missedAt = new Map(
    events.flatMap(({ event, at, data }) => (event === 'call.missed' ? [[data['callId'], at]] : [])),
  )
  const merged: RoomEvent[] = []
  for (const event of events) {
    if (isImpliedByMissed(event, missedAt.get(event.data['callId']))) continue
    const before = merged.at(-1)
    if (before && isEndOf(before, event) && !messages.some(isBetween(before, event)))
      merged[merged.length - 1] = { ...before, event: event.event, data: { ...before.data, ...event.data } }
    else merged.push(event)
  }
  return merged
}

/** Whether the line of a missed call implies this one. Someone may still have joined late. */
function isImpliedByMissed({ event, at }: RoomEvent, missedAt: string | undefined): boolean {
  if (missedAt === undefined || event === 'call.missed') return false
  return event === 'call.started' || Date.parse(at) - Date.parse(missedAt) < ANSWERED_AFTER_MS
}

const isEndOf = (started: RoomEvent, { event, data }: RoomEvent) =>
  started.event === 'call.started' && event === 'call.ended' && data['callId'] === started.data['callId']

const isBetween =
  (first: RoomEvent, last: RoomEvent) =>
  ({ seq }: Pick<Message, 'seq'>) =>
    seq > first.seq && seq < last.seq
