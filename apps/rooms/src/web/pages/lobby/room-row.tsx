import { Button } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import { plainText } from '../../markdown/plain-text.ts'
import { CallMark } from '../../parts/call-mark.tsx'
import { UserAvatar } from '../../parts/person.tsx'
import { RoomMark } from '../../parts/room-mark.tsx'
import { useJoin } from '../../parts/use-join.ts'
import type { ListedRoom } from '../../sidebar/lobby.ts'
import { UnreadCount } from '../../sidebar/unread-count.tsx'
import { useText } from '../../texts/text.ts'

/** A room with its topic, who is there, and when it was last active. */
export function RoomRow({ room }: { room: ListedRoom }) {
  const { id, name, visibility, role } = room
  return (
    <li className="room-row" data-unread={room.unread ? true : undefined}>
      <RoomMark {...room} />
      <div className="room-row-text">
        <div className="room-row-name">
          <Link href={`/rooms/${id}`} className="card-link">
            <bdi>{name}</bdi>
          </Link>
          <CallMark room={room} />
          <UnreadCount room={room} />
        </div>
        <Subject room={room} />
      </div>
      <People room={room} />
      <LastTime room={room} />
      <span className="room-row-act">
        {role === null && visibility !== 'private' && !room.archived ? (
          <Join room={room} />
        ) : (
          <Joined room={room} />
        )}
      </span>
    </li>
  )
}

/** The topic, or the last message. */
function Subject({ room: { topic, preview } }: { room: ListedRoom }) {
  const { t } = useText()
  const last = preview?.lastMessage
  if (topic !== null) return <bdi className="room-row-subject">{topic}</bdi>
  if (!last) return <span className="room-row-subject">{preview && t('lobby.noMessages')}</span>
  return (
    <span className="room-row-subject" dir="auto">
      <bdi>{last.nickname}</bdi>: <bdi>{plainText(last.excerpt)}</bdi>
    </span>
  )
}

function LastTime({ room: { preview } }: { room: ListedRoom }) {
  const { ago, moment } = useText()
  const at = preview?.lastMessage?.at
  return (
    <span className="room-row-time">
      {at !== undefined && (
        <time dateTime={at} title={moment(at)}>
          {ago(at)}
        </time>
      )}
    </span>
  )
}

/** Number of faces in a row. */
const FACES = 3

function People({ room: { preview, participantCount: count } }: { room: ListedRoom }) {
  const { t, list } = useText()
  const people = preview?.people ?? []
  return (
    <span className="room-row-people" title={list(people.map(({ nickname }) => nickname))}>
      {people.slice(0, FACES).map((person) => (
        <UserAvatar key={person.userId} of={person} size={24} />
      ))}
      {count > 0 && (
        <span className="present" data-some>
          {t('lobby.present', { count })}
        </span>
      )}
    </span>
  )
}

function Join({ room: { id, name } }: { room: ListedRoom }) {
  const { t } = useText()
  const [, go] = useLocation()
  const { mutate, isPending } = useJoin(id, () => go(`/rooms/${id}`))
  return (
    <Button
      size="xs"
      variant="default"
      loading={isPending}
      aria-label={t('lobby.joinNamed', { room: name })}
      onClick={() => mutate()}
    >
      {t('lobby.join')}
    </Button>
  )
}

function Joined({ room: { role } }: { room: ListedRoom }) {
  const { t } = useText()
  return role !== null && <span className="room-row-joined">{t('lobby.joined')}</span>
}
