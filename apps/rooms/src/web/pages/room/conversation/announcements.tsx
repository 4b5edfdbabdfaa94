import { useSyncExternalStore } from 'react'
import type { RoomStore } from '../../../live/room-store.ts'
import { useText } from '../../../texts/text.ts'
import { messageLine } from './message-line.ts'

/** Live regions for screen readers: messages of other users, and who joined and left. */
export function Announcements({ store }: { store: RoomStore }) {
  const { t, list } = useText()
  const { announcements, movement } = useSyncExternalStore(store.watch, store.state)
  const arrivals = list(movement?.arrivals ?? [])
  const departures = list(movement?.departures ?? [])
  return (
    <div className="visually-hidden">
      <div aria-live="polite">
        {announcements.map((message) => (
          <p key={message.id}>
            {t('room.messageFrom', { name: message.nickname, text: messageLine(message) })}
          </p>
        ))}
      </div>
      <div aria-live="polite">
        {arrivals !== '' && <p>{t('room.hasJoined', { names: arrivals })}</p>}
        {departures !== '' && <p>{t('room.hasLeft', { names: departures })}</p>}
      </div>
    </div>
  )
}
