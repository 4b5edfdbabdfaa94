import { Text } from '@mantine/core'
import { useId } from 'react'
import { Link, useLocation } from 'wouter'
import type { Room } from '../live/frames.ts'
import { RoomMark } from '../parts/room-mark.tsx'
import type { User } from '../session.ts'
import { useText } from '../texts/text.ts'
import { useDirects, useFollowedRooms } from './lobby.ts'
import { countNotifying } from '../../notifications/notifying.ts'
import { CallMark } from '../parts/call-mark.tsx'
import { UnreadCount } from './unread-count.tsx'

/**
 * The user's own rooms and direct conversations, in the navigation of every page; and of other rooms the
 * open one, and those of whose messages the user is notified.
 */
export function OwnRooms({ user }: { user: User }) {
  const { t } = useText()
  const [path] = useLocation()
  const followed = useFollowedRooms() ?? []
  const rooms = followed.filter(
    (room) => room.role !== null || path === addressOf(room) || countNotifying(room) > 0,
  )
  return (
    <>
      {rooms.length > 0 && <Section title={t('sidebar.rooms')} rooms={rooms} path={path} />}
      {user.identityType === 'oauth' && <Directs path={path} />}
    </>
  )
}

function Directs({ path }: { path: string }) {
  const { t } = useText()
  const directs = useDirects() ?? []
  return directs.length > 0 && <Section title={t('sidebar.directs')} rooms={directs} path={path} />
}

interface SectionProps {
  title: string
  rooms: readonly Room[]
  path: string
}

function Section({ title, rooms, path }: SectionProps) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <div className="own-rooms-title">
        <Text id={id} size="xs" c="dimmed" fw={500}>
          {title}
        </Text>
      </div>
      <ul className="plain">
        {rooms.map((room) => (
          <OwnRoom key={room.id} room={room} isOpen={path === addressOf(room)} />
        ))}
      </ul>
    </section>
  )
}

const addressOf = ({ id }: Room) => `/rooms/${id}`

function OwnRoom({ room, isOpen }: { room: Room; isOpen: boolean }) {
  return (
    <li>
      <Link href={addressOf(room)} className="own-room" aria-current={isOpen ? 'page' : undefined}>
        <RoomMark {...room} />
        <bdi className="own-room-name">{room.name}</bdi>
        <CallMark room={room} />
        {/* The messages of the open room are about to be read. */}
        {!isOpen && <UnreadCount room={room} />}
      </Link>
    </li>
  )
}
