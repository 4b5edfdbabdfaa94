import { Text, VisuallyHidden } from '@mantine/core'
import { useEffect, useSyncExternalStore } from 'react'
import type { RoomStore } from '../../live/room-store.ts'
import type { User } from '../../session.ts'
import { useText } from '../../texts/text.ts'
import { Composer } from './composer.tsx'
import { Messages } from './messages.tsx'
import type { Room } from './room.ts'

interface Props {
  room: Room
  user: User
  store: RoomStore
  isComing: boolean
}

export function Chat({ room, user, store, isComing }: Props) {
  const { unread } = useSyncExternalStore(store.watch, store.state)
  useUnreadInTitle(unread)
  return (
    <>
      <Messages room={room} user={user} store={store} isComing={isComing} />
      <TypingIndicator store={store} />
      <Composer room={room} store={store} />
      <Announcements store={store} />
    </>
  )
}

/** In the name of the tab, for whoever looks at another. */
function useUnreadInTitle(unread: number): void {
  useEffect(() => {
    const title = document.title.replace(/^\(\d+\) /, '')
    document.title = unread === 0 ? title : `(${unread}) ${title}`
  })
}

function TypingIndicator({ store }: { store: RoomStore }) {
  const { t } = useText()
  const { typing, present } = useSyncExternalStore(store.watch, store.state)
  const names = typing.flatMap((id) => present.get(id)?.nickname ?? [])
  return (
    <Text size="sm" c="dimmed" mih={22} className="wrap">
      {names.length > 2 && t('room.areTyping')}
      {names.length > 0 && names.length <= 2 && t('room.isTyping', { names: names.join(', ') })}
    </Text>
  )
}

/** What is new, for who listens instead of looking: messages of others, and who came and went. */
function Announcements({ store }: { store: RoomStore }) {
  const { t } = useText()
  const { announcements, moved } = useSyncExternalStore(store.watch, store.state)
  const came = moved?.came.join(', ') ?? ''
  const went = moved?.went.join(', ') ?? ''
  return (
    <VisuallyHidden>
      <div aria-live="polite">
        {announcements.map(({ id, nickname, content }) => (
          <p key={id}>{t('room.said', { name: nickname, text: content ?? '' })}</p>
        ))}
      </div>
      <div aria-live="polite">
        {came !== '' && <p>{t('room.came', { names: came })}</p>}
        {went !== '' && <p>{t('room.went', { names: went })}</p>}
      </div>
    </VisuallyHidden>
  )
}
