import { DAY_MS, MINUTE_MS } from '@latchkey/http/duration'
import type { Message, RoomEvent } from '../../../live/frames.ts'
import { mergeCallEvents } from './call-events.ts'

export const NEW_KEY = 'new'

/** Line of the conversation. */
export type Row =
  | { type: 'day'; key: string; at: string }
  | { type: 'new'; key: typeof NEW_KEY }
  | { type: 'event'; key: string; event: RoomEvent }
  | {
      type: 'message'
      key: string
      message: Message
      /** Directly below another message of the same author, whose name and picture it shares. */
      continues: boolean
    }

interface Lines {
  messages: readonly Message[]
  /** Events that are not about messages (R29.5). */
  events: readonly RoomEvent[]
  /** Sequence number of the first new message. Null if none is marked. */
  unreadFrom: number | null
  /** True if there are older messages than these. */
  hasOlder: boolean
}

/** Time within which a message continues the previous one of the same author. */
const CONTINUES_FOR_MS = 5 * MINUTE_MS

/** Lines of the conversation in their order, with the beginnings of days and of new messages. */
export function rowsOf({ messages, events: allEvents, unreadFrom, hasOlder }: Lines): Row[] {
  const events = mergeCallEvents(allEvents, messages)
  const rows: Row[] = []
  let day: number | undefined
  let before: Message | undefined
  let isMarked = unreadFrom === null
  const startDay = (at: string, seq: number) => {
    const next = dayOf(at)
    if (next === day) return
    day = next
    before = undefined
    rows.push({ type: 'day', key: `day-${seq}`, at })
  }
  const addEvents = (untilSeq: number) => {
    for (; next < events.length; next++) {
      const event = events[next]
      if (!event || event.seq > untilSeq) return
      startDay(event.at, event.seq)
      before = undefined
      rows.push({ type: 'event', key: `event-${event.seq}`, event })
    }
  }
  let next = 0
  for (const message of messages) {
    addEvents(message.seq)
    startDay(message.createdAt, message.seq)
    if (!isMarked && message.seq >= (unreadFrom ?? 0)) {
      isMarked = true
      // The first new message may be among older ones that were dropped or not read yet.
      const isFirst = !hasOlder || rows.length > 1 || message.seq === unreadFrom
      if (isFirst) {
        rows.push({ type: 'new', key: NEW_KEY })
        before = undefined
      }
    }
    rows.push({ type: 'message', key: message.id, message, continues: continuesFrom(before, message) })
    before = message
  }
  addEvents(Number.POSITIVE_INFINITY)
  return rows
}

/** True if a message continues the one before it: same author, same name, and soon after it. */
function continuesFrom(before: Message | undefined, message: Message): boolean {
  return (
    before !== undefined &&
    message.replyTo === null &&
    message.userId !== null &&
    before.userId === message.userId &&
    before.nickname === message.nickname &&
    Date.parse(message.createdAt) - Date.parse(before.createdAt) < CONTINUES_FOR_MS
  )
}

/** Number of the day in the browser's time zone. */
function dayOf(at: string): number {
  const date = new Date(at)
  return Math.floor((date.getTime() - date.getTimezoneOffset() * MINUTE_MS) / DAY_MS)
}
