import { Text } from '@mantine/core'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { useSyncExternalStore } from 'react'
import { LoadMore } from '../../../parts/load-more.tsx'
import { usePages } from '../../../queries.ts'
import type { RoomStore } from '../../../live/room-store.ts'
import type { User } from '../../../session.ts'
import { useText } from '../../../texts/text.ts'
import type { Room } from '../room.ts'
import { People } from './people.tsx'

/** The members who are not in the room now. */
export default function AbsentPeople({ room, user, store }: { room: Room; user: User; store: RoomStore }) {
  const { t } = useText()
  const { present } = useSyncExternalStore(store.watch, store.state)
  const list = usePages('members', 'listMembers', { params: { id: room.id } })
  if (list.error && !list.pages) return <ErrorNotice error={list.error} onRetry={list.retry} />
  if (!list.pages) return null
  const absent = list.pages.flatMap(({ members }) => members).filter(({ userId }) => !present.has(userId))
  if (absent.length === 0 && !list.more)
    return (
      <Text size="sm" c="dimmed" px="xs">
        {t('room.noneAbsent')}
      </Text>
    )
  return (
    <>
      <People people={absent} room={room} user={user} areMembers label={t('room.absent')} />
      <LoadMore more={list.more} isReading={list.isReading} error={list.moreError} />
    </>
  )
}
