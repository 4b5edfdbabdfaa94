import { Anchor, Button, Group, Text, Textarea } from '@mantine/core'
import { useQueryString } from '@latchkey/web/query-string'
import { showSuccess } from '@latchkey/web/toast'
import { useState } from 'react'
import { Link } from 'wouter'
import { type Result, call } from '../../call.ts'
import { useUserDraft } from '../../user-draft.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { Section } from '../../parts/section.tsx'
import { invalidate, usePages } from '../../queries.ts'
import { useUser } from '../../session.ts'
import { useText } from '../../texts/text.ts'
import { DefaultRoomButton } from './default-room.tsx'
import { Listing } from './listing.tsx'
import { AdminRefusal } from './refusal.tsx'
import { Search } from './search.tsx'

type Room = Result<'listAllRooms'>['rooms'][number]

export function AllRooms() {
  const { t } = useText()
  const [{ q }, setQuery] = useQueryString({ part: 'people', q: '' })
  const list = usePages('admin', 'listAllRooms', { query: { q } })
  const rooms = list.pages?.flatMap((page) => page.rooms)
  return (
    <Section title={t('admin.allRooms')} isTitleHidden>
      <Search
        label={t('admin.searchRooms')}
        help={t('admin.searchRoomsHelp')}
        q={q}
        minLength={1}
        onSearch={(next) => setQuery({ q: next })}
      />
      <Listing list={list} count={rooms?.length} none={t('admin.noRooms')}>
        <ul className="plain rows">
          {rooms?.map((room) => (
            <RoomLine key={room.id} room={room} />
          ))}
        </ul>
      </Listing>
    </Section>
  )
}

function RoomLine({ room }: { room: Room }) {
  const { t, day } = useText()
  const [isAsking, setAsking] = useState(false)
  const isOwn = useUser().id === room.ownerId
  const { id, name } = room
  const admitsGuests = room.allowGuests && room.visibility !== 'private'
  return (
    <Group component="li" justify="space-between" align="flex-start" gap="sm">
      <div style={{ minWidth: 0, flex: '1 1 240px' }}>
        <Anchor component={Link} href={`/rooms/${id}`} fw={500} className="wrap">
          {name}
        </Anchor>
        <Text size="sm" c="dimmed" className="wrap">
          {[
            t(`room.visibility.${room.visibility}`),
            t(admitsGuests ? 'admin.guestsIn' : 'admin.guestsOut'),
            t('admin.members', { count: room.memberCount }),
            t('lobby.present', { count: room.participantCount }),
            t('admin.created', { when: day(room.createdAt) }),
            room.default && t('admin.default'),
            room.archived && t('admin.archived'),
          ]
            .filter((fact) => fact !== false)
            .join(' · ')}
        </Text>
      </div>
      <Group gap="sm">
        <DefaultRoomButton room={room} />
        {isOwn ? (
          <Text size="sm" c="dimmed">
            {t('admin.ownRoom')}
          </Text>
        ) : (
          <>
            <Anchor
              component={Link}
              href={`/admin?q=${room.ownerId}`}
              size="sm"
              aria-label={t('admin.ownerOf', { name })}
            >
              {t('admin.owner')}
            </Anchor>
            <Button
              variant="default"
              size="xs"
              aria-label={t('admin.takeOverNamed', { name })}
              onClick={() => setAsking(true)}
            >
              {t('admin.takeOver')}
            </Button>
          </>
        )}
      </Group>
      {isAsking && <TakeOver room={room} onClose={() => setAsking(false)} />}
    </Group>
  )
}

const [MIN_LENGTH, MAX_LENGTH] = [3, 1000]

function TakeOver({ room: { id, name }, onClose }: { room: Room; onClose: () => void }) {
  const { t } = useText()
  const [reason, setReason] = useUserDraft(`takeover:${id}`)
  const takeOver = async () => {
    await call('takeOverRoom', { params: { roomId: id }, body: { reason } })
    setReason('')
    showSuccess(t('admin.takenOver', { name }))
    await invalidate('admin', 'rooms', 'room', 'members')
  }
  return (
    <ConfirmDialog
      title={t('admin.takeOverTitle', { name })}
      help={t('admin.takeOverHelp')}
      button={t('admin.takeOver')}
      act={takeOver}
      onClose={onClose}
      isReady={Array.from(reason.trim()).length >= MIN_LENGTH}
      renderError={(error) => <AdminRefusal error={error} />}
    >
      <Textarea
        label={t('admin.reason')}
        description={t('admin.reasonHelp')}
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
        maxLength={MAX_LENGTH}
        autosize
        minRows={2}
        maxRows={6}
        required
      />
    </ConfirmDialog>
  )
}
