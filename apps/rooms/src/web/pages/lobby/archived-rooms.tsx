import { Text } from '@mantine/core'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { LoadMore } from '../../parts/load-more.tsx'
import { usePages } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { RoomRow } from './room-row.tsx'

/** Rooms that can only be read, which no other list has (R36.3). */
export default function ArchivedRooms() {
  const { t } = useText()
  const { pages, error, retry, ...next } = usePages('rooms', 'listRooms', {
    query: { archived: true, preview: true },
  })
  if (error && !pages) return <ErrorNotice error={error} onRetry={retry} />
  if (!pages) return null
  const rooms = pages.flatMap((page) => page.rooms)
  if (rooms.length === 0) return <Text c="dimmed">{t('lobby.noneArchived')}</Text>
  return (
    <div>
      <ul className="plain room-rows" aria-label={t('lobby.archived')}>
        {rooms.map((room) => (
          <RoomRow key={room.id} room={room} />
        ))}
      </ul>
      <LoadMore more={next.more} isReading={next.isReading} error={next.moreError} />
    </div>
  )
}
