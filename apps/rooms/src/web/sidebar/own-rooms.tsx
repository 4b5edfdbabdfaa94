import { Text } from '@mantine/core'
import { useId } from 'react'
import { Link, useLocation } from 'wouter'
import { RoomMark } from '../parts/room-mark.tsx'
import { useText } from '../texts/text.ts'
import { type ListedRoom, useFollowedRooms } from './lobby.ts'
import { countNotifying } from '../../notifications/notifying.ts'
import { CallMark } from '../parts/call-mark.tsx'
import { UnreadCount } from './unread-count.tsx'

/**
 * The user's own rooms, in the navigation of every page; and of other rooms the open one, and those
 * of whose messages the user is notified.
 */
export function OwnRooms() {
  const { t } = useText()
  const id = useId()
  const [path] = useLocation()
  const followed = useFollowedRooms() ?? []
  const rooms = followed.filter(
    (room) => room.role !== null || path === addressOf(room) || countNotifying(room) > 0,
  )
  if (rooms.length === 0) return null
  return (
    <section aria-labelledby={id}>
      <Text id={id} size="xs" c="dimmed" fw={500} className="own-rooms-title">
        {t('sidebar.rooms')}
      </Text>
      <ul className="plain">
        {rooms.map((room) => (
          <OwnRoom key={room.id} room={room} isOpen={path === addressOf(room)} />
        ))}
      </ul>
    </section>
  )
}

const addressOf = ({ id }: ListedRoom) => `/rooms/${id}`

function OwnRoom({ room, isOpen }: { room: ListedRoom; isOpen: boolean }) {
  return (
    <li>
      <Link href={addressOf(room)} className="own-room" aria-current={isOpen ? 'page' : undefined}>
        <RoomMark visibility={room.visibility} />
        <bdi className="own-room-name">{room.name}</bdi>
        <CallMark room={room} />
        {/* The messages of the open room are about to be read. */}
        {!isOpen && <UnreadCount room={room} />}
      </Link>
    </li>
  )
}
