import { Anchor, Text } from '@mantine/core'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { Link } from 'wouter'
import { LoadMore } from '../../parts/load-more.tsx'
import { usePages } from '../../queries.ts'
import { useText } from '../../texts/text.ts'

/** Rooms that can only be read, which no other list has (R36.3). */
export default function ArchivedRooms() {
  const { t } = useText()
  const { pages, error, retry, ...next } = usePages('rooms', 'listRooms', { query: { archived: true } })
  if (error && !pages) return <ErrorNotice error={error} onRetry={retry} />
  if (!pages) return null
  const rooms = pages.flatMap((page) => page.rooms)
  if (rooms.length === 0) return <Text c="dimmed">{t('lobby.noneArchived')}</Text>
  return (
    <div>
      <ul className="plain rows" aria-label={t('lobby.archived')}>
        {rooms.map(({ id, name, topic }) => (
          <li key={id}>
            <Anchor component={Link} href={`/rooms/${id}`} className="wrap">
              {name}
            </Anchor>
            {topic !== null && (
              <Text size="sm" c="dimmed" className="wrap">
                {topic}
              </Text>
            )}
          </li>
        ))}
      </ul>
      <LoadMore more={next.more} isReading={next.isReading} error={next.moreError} />
    </div>
  )
}
