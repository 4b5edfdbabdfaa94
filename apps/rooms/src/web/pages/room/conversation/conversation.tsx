import { Text, VisuallyHidden } from '@mantine/core'
import { useEffect, useSyncExternalStore } from 'react'
import { plainText } from '../../../markdown/plain-text.ts'
import type { RoomStore } from '../../../live/room-store.ts'
import type { User } from '../../../session.ts'
import { useText } from '../../../texts/text.ts'
import { Composer } from '../composer/composer.tsx'
import { Messages } from './message-list.tsx'
import type { Room } from '../room.ts'

interface Props {
  room: Room
  user: User
  store: RoomStore
  isEntering: boolean
}

/** The messages and the field for new ones. */
export function Conversation({ room, user, store, isEntering }: Props) {
  const { unread } = useSyncExternalStore(store.watch, store.state)
  useUnreadInTitle(unread)
  return (
    <div className="conversation">
      <Messages room={room} user={user} store={store} isEntering={isEntering} />
      <TypingIndicator store={store} />
      <Composer room={room} store={store} />
      <Announcements store={store} />
    </div>
  )
}

/** Shows the number of unread messages in the title of the tab. */
function useUnreadInTitle(unread: number): void {
  useEffect(() => {
    const title = document.title.replace(/^\(\d+\) /, '')
    document.title = unread === 0 ? title : `(${unread}) ${title}`
  })
}

function TypingIndicator({ store }: { store: RoomStore }) {
  const { t, list } = useText()
  const { typing, present } = useSyncExternalStore(store.watch, store.state)
  const names = typing.flatMap((id) => present.get(id)?.nickname ?? [])
  return (
    <Text size="sm" c="dimmed" mih={22} className="wrap">
      {names.length > 2 && t('room.areTyping')}
      {names.length > 0 &&
        names.length <= 2 &&
        t('room.isTyping', { names: list(names), count: names.length })}
    </Text>
  )
}

/** Live regions for screen readers: messages of other users, and who joined and left. */
function Announcements({ store }: { store: RoomStore }) {
  const { t, list } = useText()
  const { announcements, movement } = useSyncExternalStore(store.watch, store.state)
  const arrivals = list(movement?.arrivals ?? [])
  const departures = list(movement?.departures ?? [])
  return (
    <VisuallyHidden>
      <div aria-live="polite">
        {announcements.map(({ id, nickname, content }) => (
          <p key={id}>{t('room.messageFrom', { name: nickname, text: plainText(content ?? '') })}</p>
        ))}
      </div>
      <div aria-live="polite">
        {arrivals !== '' && <p>{t('room.hasJoined', { names: arrivals })}</p>}
        {departures !== '' && <p>{t('room.hasLeft', { names: departures })}</p>}
      </div>
    </VisuallyHidden>
  )
}
