import { VisuallyHidden } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import type { RoomStore } from '../../../live/room-store.ts'
import { plainText } from '../../../markdown/plain-text.ts'
import { useText } from '../../../texts/text.ts'

/** Live regions for screen readers: messages of other users, and who joined and left. */
export function Announcements({ store }: { store: RoomStore }) {
  const { t, list } = useText()
  const { announcements, movement } = useSyncExternalStore(store.watch, store.state)
  const arrivals = list(movement?.arrivals ?? [])
  const departures = list(movement?.departures ?? [])
  return (
    <VisuallyHidden>
      <div aria-live="polite">
        {announcements.map(({ id, nickname, content, mentions }) => {
          const names = new Map(mentions.map((each) => [each.userId, each.nickname]))
          const text = plainText(content ?? '', (userId) => names.get(userId))
          return <p key={id}>{t('room.messageFrom', { name: nickname, text })}</p>
        })}
      </div>
      <div aria-live="polite">
        {arrivals !== '' && <p>{t('room.hasJoined', { names: arrivals })}</p>}
        {departures !== '' && <p>{t('room.hasLeft', { names: departures })}</p>}
      </div>
    </VisuallyHidden>
  )
}
