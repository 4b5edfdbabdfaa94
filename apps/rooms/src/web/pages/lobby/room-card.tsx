import { Anchor, Badge, Paper, Title, VisuallyHidden } from '@mantine/core'
import { Link } from 'wouter'
import { plainText } from '../../markdown/plain-text.ts'
import { CallMark } from '../../parts/call-mark.tsx'
import { UserAvatar } from '../../parts/person.tsx'
import { RoomMark } from '../../parts/room-mark.tsx'
import type { ListedRoom } from '../../sidebar/lobby.ts'
import { UnreadCount } from '../../sidebar/unread-count.tsx'
import { useText } from '../../texts/text.ts'

/** A room: its last message, who is there, and the number of unread messages. */
export function RoomCard({ room }: { room: ListedRoom }) {
  const { id, name } = room
  return (
    <Paper component="li" withBorder className="card room-card" data-unread={room.unread ? true : undefined}>
      <div className="room-card-head">
        <RoomMark {...room} />
        <Title order={2} className="room-card-name">
          <Anchor component={Link} href={`/rooms/${id}`} inherit underline="never" className="card-link">
            {name}
          </Anchor>
        </Title>
        <CallMark room={room} />
        <LastTime room={room} />
        <UnreadCount room={room} />
      </div>
      {room.topic !== null && <p className="room-card-line">{room.topic}</p>}
      <LastMessage room={room} />
      <div className="room-card-foot">
        <People room={room} />
        <Marks room={room} />
      </div>
    </Paper>
  )
}

function LastMessage({ room: { preview } }: { room: ListedRoom }) {
  const { t } = useText()
  const last = preview?.lastMessage
  if (!last) return <p className="room-card-line">{preview && t('lobby.noMessages')}</p>
  return (
    <p className="room-card-line" dir="auto">
      <bdi className="author">{last.nickname}</bdi>: <bdi>{plainText(last.excerpt)}</bdi>
    </p>
  )
}

function LastTime({ room: { preview } }: { room: ListedRoom }) {
  const { ago, moment } = useText()
  const at = preview?.lastMessage?.at
  if (at === undefined) return null
  return (
    <time className="room-card-time" dateTime={at} title={moment(at)}>
      {ago(at)}
    </time>
  )
}

function People({ room: { preview, participantCount: count } }: { room: ListedRoom }) {
  const { t, list } = useText()
  const people = preview?.people ?? []
  return (
    <span className="room-card-people">
      {people.map((person) => (
        <UserAvatar key={person.userId} of={person} size={24} />
      ))}
      <span
        className="present"
        data-some={count > 0 || undefined}
        title={list(people.map(({ nickname }) => nickname))}
      >
        {t('lobby.present', { count })}
      </span>
      {people.length > 0 && <VisuallyHidden>{list(people.map(({ nickname }) => nickname))}</VisuallyHidden>}
    </span>
  )
}

function Marks({ room: { role, visibility, allowGuests } }: { room: ListedRoom }) {
  const { t } = useText()
  const marks = [
    visibility !== 'public' && t(`room.visibility.${visibility}`),
    role !== null && t(`room.role.${role}`),
    !allowGuests && visibility !== 'private' && t('lobby.noGuests'),
  ].filter((mark) => mark !== false)
  return marks.map((mark) => (
    <Badge key={mark} variant="default" size="sm" style={{ textTransform: 'none' }}>
      {mark}
    </Badge>
  ))
}
