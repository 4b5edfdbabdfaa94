import { Button, Group, Skeleton, Stack, TextInput } from '@mantine/core'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import { IconChevronRight, IconPlus, IconSearch } from '@latchkey/web/icons'
import { lazyPart } from '@latchkey/web/lazy-page'
import { Notice } from '@latchkey/web/parts/notice'
import { useQueryString } from '@latchkey/web/query-string'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { OnUse } from '@latchkey/web/shell/on-use'
import { LoadMore } from '../../parts/load-more.tsx'
import { useCall, usePages } from '../../queries.ts'
import { useUser } from '../../session.ts'
import { useText } from '../../texts/text.ts'
import { Pending } from './pending.tsx'
import { RoomRow } from './room-row.tsx'

const NewRoom = lazyPart(() => import('./new-room.tsx'))
const ArchivedRooms = lazyPart(() => import('./archived-rooms.tsx'))

const SEARCH_AFTER_MS = 250

/** Rooms that the user may enter, and pending invitations and offers. */
export default function LobbyPage() {
  const { t } = useText()
  const user = useUser()
  const [{ q }, setQuery] = useQueryString({ q: '' })
  const [isOpen, { open, close }] = useDisclosure()
  const { data: config } = useCall('config', 'getConfig', {})
  const isGuest = user.identityType === 'guest'
  const mayCreate = !isGuest || config?.guestRooms === true
  return (
    <Stack gap="lg">
      {!isGuest && <Pending user={user} />}
      <Group justify="space-between" align="flex-end" gap="sm">
        <TextInput
          type="search"
          aria-label={t('lobby.search')}
          placeholder={t('lobby.search')}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={q}
          onChange={({ currentTarget }) => setQuery({ q: currentTarget.value }, { isTyping: true })}
          style={{ flex: '1 1 220px' }}
          maw={420}
        />
        {mayCreate && (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
            {t('lobby.create')}
          </Button>
        )}
      </Group>
      <Rooms q={q.trim()} />
      <Archived />
      <OnUse isUsed={isOpen}>{isOpen && <NewRoom user={user} onClose={close} />}</OnUse>
    </Stack>
  )
}

/** Opens the list of archived rooms. */
function Archived() {
  const { t } = useText()
  const [isOpen, { toggle }] = useDisclosure()
  return (
    <div>
      <Button
        variant="transparent"
        c="dimmed"
        size="xs"
        // Its words begin where the rows do.
        px={0}
        mb="xs"
        rightSection={<IconChevronRight size={14} className="disclosure" aria-hidden />}
        aria-expanded={isOpen}
        onClick={toggle}
      >
        {t('lobby.archived')}
      </Button>
      <OnUse isUsed={isOpen}>{isOpen && <ArchivedRooms />}</OnUse>
    </div>
  )
}

function Rooms({ q }: { q: string }) {
  const { t } = useText()
  const [search] = useDebouncedValue(q, SEARCH_AFTER_MS)
  const { pages, error, retry, ...next } = usePages('rooms', 'listRooms', {
    query: { q: search, preview: true },
  })
  if (error && !pages) return <ErrorNotice error={error} onRetry={retry} />
  if (!pages) return <RowsSkeleton />
  const rooms = pages.flatMap((page) => page.rooms)
  if (rooms.length === 0)
    return search === '' ? (
      <Notice title={t('lobby.none')} help={t('lobby.noneHelp')} />
    ) : (
      <Notice title={t('lobby.noneFound')} />
    )
  return (
    <div>
      <ul className="plain room-rows">
        {rooms.map((room) => (
          <RoomRow key={room.id} room={room} />
        ))}
      </ul>
      <LoadMore more={next.more} isReading={next.isReading} error={next.moreError} />
    </div>
  )
}

function RowsSkeleton() {
  const { t } = useText()
  return (
    <div className="room-rows" role="status" aria-label={t('page.loading')}>
      {Array.from({ length: 8 }, (_, index) => (
        <div key={index} className="room-row">
          <Skeleton height={14} width={`${60 - ((index * 17) % 30)}%`} />
        </div>
      ))}
    </div>
  )
}
