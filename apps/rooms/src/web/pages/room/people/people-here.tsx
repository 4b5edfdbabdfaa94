import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconChevronRight } from '@latchkey/web/icons'
import { lazyPart } from '@latchkey/web/lazy-page'
import { OnUse } from '@latchkey/web/shell/on-use'
import { useSyncExternalStore } from 'react'
import { ROOM_ROLES } from '../../../../api/roles.ts'
import type { Person } from '../../../live/frames.ts'
import type { RoomStore } from '../../../live/room-store.ts'
import type { User } from '../../../session.ts'
import { useText } from '../../../texts/text.ts'
import { InviteButton } from '../invite-button.tsx'
import { type Room, rightsIn } from '../room.ts'
import { People } from './people.tsx'

const AbsentPeople = lazyPart(() => import('./absent-people.tsx'))

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
  return (
    <>
      <People people={people} room={room} user={user} />
      <InviteButton room={room} user={user} mt="xs" fullWidth />
      {rightsIn(room, user)('list_members') && <Absent room={room} user={user} store={store} />}
    </>
  )
}

/**
 * Opens the list of the other members. Not by itself: everyone in a room with thousands of members
 * would read it again with each that comes.
 */
function Absent(props: Props) {
  const { t } = useText()
  const [isOpen, { toggle }] = useDisclosure()
  return (
    <>
      <Button
        variant="subtle"
        color="gray"
        size="xs"
        my="xs"
        px="xs"
        rightSection={<IconChevronRight size={14} className="disclosure" aria-hidden />}
        aria-expanded={isOpen}
        onClick={toggle}
      >
        {t('room.absent')}
      </Button>
      <OnUse isUsed={isOpen}>{isOpen && <AbsentPeople {...props} />}</OnUse>
    </>
  )
}
