import { Text } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { ROOM_ROLES } from '../../../../api/roles.ts'
import type { Person } from '../../../live/frames.ts'
import type { RoomStore } from '../../../live/room-store.ts'
import type { User } from '../../../session.ts'
import { useText } from '../../../texts/text.ts'
import type { Room } from '../room.ts'
import { People } from './people.tsx'

interface Props {
  room: Room
  user: User
  store: RoomStore
}

const rank = ({ role }: Person) => ROOM_ROLES.indexOf(role)

/** The people in the room, those with most rights first. */
export function PeopleHere({ room, user, store }: Props) {
  const { t, language } = useText()
  const { present, count } = useSyncExternalStore(store.watch, store.state)
  if (present.size === 0 && count > 0) return <Text c="dimmed">{t('room.tooMany')}</Text>
  const people = [...present.values()].toSorted(
    (a, b) => rank(a) - rank(b) || a.nickname.localeCompare(b.nickname, language),
  )
  return <People people={people} room={room} user={user} />
}
