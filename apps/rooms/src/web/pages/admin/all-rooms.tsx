import { Anchor, Button, Group, Text, Textarea } from '@mantine/core'
import { useQueryString } from '@latchkey/web/query-string'
import { tellDone } from '@latchkey/web/told'
import { useState } from 'react'
import { Link } from 'wouter'
import { type Result, call } from '../../call.ts'
import { useKeptText } from '../../kept.ts'
import { Ask } from '../../parts/ask.tsx'
import { Section } from '../../parts/section.tsx'
import { changed, usePages } from '../../queries.ts'
import { useUser } from '../../session.ts'
import { useText } from '../../texts/text.ts'
import { Listing } from './listing.tsx'
import { AdminRefusal } from './refusal.tsx'
import { Search } from './search.tsx'

type Room = Result<'listAllRooms'>['rooms'][number]

export function AllRooms() {
  const { say } = useText()
  const [{ q }, setQuery] = useQueryString({ part: 'people', q: '' })
  const list = usePages('admin', 'listAllRooms', { query: { q } })
  const rooms = list.pages?.flatMap((page) => page.rooms)
  return (
    <Section title={say('admin.part.rooms')}>
      <Search
        label={say('admin.searchRooms')}
        help={say('admin.searchRoomsHelp')}
        q={q}
        least={1}
        onSearch={(next) => setQuery({ q: next })}
      />
      <Listing list={list} count={rooms?.length} none={say('admin.noRooms')}>
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
  const { say, day } = useText()
  const [isAsking, setAsking] = useState(false)
  const isOwn = useUser().id === room.ownerId
  const { id, name } = room
  return (
    <Group component="li" justify="space-between" align="flex-start" gap="sm">
      <div style={{ minWidth: 0, flex: '1 1 240px' }}>
        <Anchor component={Link} href={`/rooms/${id}`} fw={550} className="wrap">
          {name}
        </Anchor>
        <Text size="sm" c="dimmed">
          {say(`room.visibility.${room.visibility}`)} ·{' '}
          {say(room.allowGuests && room.visibility !== 'private' ? 'admin.guestsIn' : 'admin.guestsOut')}
        </Text>
        <Text size="sm" c="dimmed">
          {say('admin.members', { count: room.memberCount })} ·{' '}
          {say('lobby.present', { count: room.participantCount, most: room.maxParticipants })}
        </Text>
        <Text size="sm" c="dimmed">
          {say('admin.created', { when: day(room.createdAt) })}
        </Text>
        {isOwn ? (
          <Text size="sm">{say('admin.ownRoom')}</Text>
        ) : (
          <Anchor
            component={Link}
            href={`/admin?q=${room.ownerId}`}
            size="sm"
            aria-label={say('admin.ownerOf', { name })}
          >
            {say('admin.owner')}
          </Anchor>
        )}
      </div>
      {!isOwn && (
        <Button
          variant="default"
          size="xs"
          aria-label={say('admin.takeOverNamed', { name })}
          onClick={() => setAsking(true)}
        >
          {say('admin.takeOver')}
        </Button>
      )}
      {isAsking && <TakeOver room={room} onClose={() => setAsking(false)} />}
    </Group>
  )
}

const [SHORTEST, LONGEST] = [3, 1000]

function TakeOver({ room: { id, name }, onClose }: { room: Room; onClose: () => void }) {
  const { say } = useText()
  const [reason, setReason] = useKeptText(`takeover:${id}`)
  const takeOver = async () => {
    await call('takeOverRoom', { params: { roomId: id }, body: { reason } })
    setReason('')
    tellDone(say('admin.takenOver', { name }))
    await changed('admin', 'rooms', 'room', 'members')
  }
  return (
    <Ask
      title={say('admin.takeOverTitle', { name })}
      help={say('admin.takeOverHelp')}
      button={say('admin.takeOver')}
      act={takeOver}
      onClose={onClose}
      isReady={Array.from(reason.trim()).length >= SHORTEST}
      explain={(error) => <AdminRefusal error={error} />}
    >
      <Textarea
        label={say('admin.reason')}
        description={say('admin.reasonHelp')}
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
        maxLength={LONGEST}
        autosize
        minRows={2}
        maxRows={6}
        required
      />
    </Ask>
  )
}
