import { memo } from 'react'
import type { Person, Room, RoomEvent } from '../../../live/frames.ts'
import { type Translate, useText } from '../../../texts/text.ts'

/** System line: an event that is not about a message (R29.5). */
export const EventLine = memo(function EventLine({ rowKey, event }: { rowKey: string; event: RoomEvent }) {
  const { time } = useText()
  const text = useEventText(event)
  if (text === undefined) return null
  return (
    <li className="event-line" data-row={rowKey}>
      {text} <time dateTime={event.at}>{time(event.at)}</time>
    </li>
  )
})

type Data = RoomEvent['data']

/** Who changed the room, and what if it is one thing that people see. */
function settingsText(t: Translate, name: string, data: Data): string {
  const { archived, topic } = data['room'] as Pick<Room, 'archived' | 'topic'>
  const [change, ...others] = (data['changes'] ?? []) as readonly string[]
  if (others.length === 0 && change === 'archived')
    return t(archived ? 'room.event.archived' : 'room.event.unarchived', { name })
  if (others.length === 0 && change === 'topic' && topic !== null)
    return t('room.event.topic', { name, topic })
  return t('room.event.settings', { name })
}

/** Text for what happened to the room itself. */
function roomText(
  { event, data }: Pick<RoomEvent, 'event' | 'data'>,
  t: Translate,
  moment: (at: string) => string,
): string | undefined {
  const person = data['person'] as Person | undefined
  switch (event) {
    case 'room.owner':
      return t('room.event.owner')
    case 'members.added':
      return t('room.event.added', { count: Number(data['count']) })
    case 'room.settings':
      return person ? settingsText(t, person.nickname, data) : t('room.event.settings.unknown')
    case 'room.retention':
      return retentionText(t, moment(String(data['from'])), data['days'])
    default:
      return undefined
  }
}

function retentionText(t: Translate, when: string, days: unknown): string {
  return typeof days === 'number'
    ? t('room.event.retention', { when, count: days })
    : t('room.event.retention.forever')
}

/** Undefined for events that this client does not know. */
function useEventText({ event, data }: RoomEvent): string | undefined {
  const { t, duration, moment } = useText()
  const person = data['person'] as Person | undefined
  const name = person?.nickname ?? ''
  switch (event) {
    case 'member.joined':
      return t('room.event.joined', { name })
    case 'member.left':
      return t('room.event.left', { name })
    case 'member.removed':
      return t('room.event.removed', { name })
    case 'member.role':
      return person && t('room.event.role', { name, role: t(`room.role.${person.role}`) })
    case 'call.started':
      return t('room.event.callStarted', { name })
    case 'call.missed':
      return t('room.event.callMissed', { name })
    case 'call.ended': {
      const lasted = { name, time: duration(Number(data['seconds'])) }
      return t(person ? 'room.event.callLasted' : 'room.event.callEnded', lasted)
    }
    default:
      return roomText({ event, data }, t, moment)
  }
}
