import { memo } from 'react'
import type { Person, Room, RoomEvent } from '../../../live/frames.ts'
import { useText } from '../../../texts/text.ts'

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

/** Undefined for events that this client does not know. */
function useEventText({ event, data }: RoomEvent): string | undefined {
  const { t, duration } = useText()
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
    case 'room.owner':
      return t('room.event.owner')
    case 'room.settings':
      return t('room.event.settings', { room: (data['room'] as Pick<Room, 'name'>).name })
    case 'call.started':
      return t('room.event.callStarted', { name })
    case 'call.missed':
      return t('room.event.callMissed', { name })
    case 'call.ended':
      return t('room.event.callEnded', { time: duration(Number(data['seconds'])) })
    default:
      return undefined
  }
}
