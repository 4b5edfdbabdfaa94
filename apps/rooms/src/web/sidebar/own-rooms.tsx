import { Text } from '@mantine/core'
import { useId } from 'react'
import { Link, useLocation } from 'wouter'
import { RoomMark } from '../parts/room-mark.tsx'
import { useText } from '../texts/text.ts'
import { type ListedRoom, useOwnRooms } from './lobby.ts'
import { UnreadCount } from './unread-count.tsx'

/** The user's own rooms, in the navigation of every page. */
export function OwnRooms() {
  const { t } = useText()
  const id = useId()
  const rooms = useOwnRooms() ?? []
  if (rooms.length === 0) return null
  return (
    <section aria-labelledby={id}>
      <Text id={id} size="xs" c="dimmed" fw={500} className="own-rooms-title">
        {t('sidebar.rooms')}
      </Text>
      <ul className="plain">
        {rooms.map((room) => (
          <OwnRoom key={room.id} room={room} />
        ))}
      </ul>
    </section>
  )
}

function OwnRoom({ room }: { room: ListedRoom }) {
  const [path] = useLocation()
  const href = `/rooms/${room.id}`
  const isOpen = path === href
  return (
    <li>
      <Link href={href} className="own-room" aria-current={isOpen ? 'page' : undefined}>
        <RoomMark visibility={room.visibility} />
        <bdi className="own-room-name">{room.name}</bdi>
        {/* What is on display is about to be read. */}
        {!isOpen && <UnreadCount room={room} />}
      </Link>
    </li>
  )
}
