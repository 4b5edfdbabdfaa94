import { Badge, Button, Drawer, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconUsers } from '@tabler/icons-react'
import { useSyncExternalStore } from 'react'
import type { Person } from '../../live/frames.ts'
import type { RoomStore } from '../../live/room-store.ts'
import { Face, GuestMark } from '../../parts/person.tsx'
import type { User } from '../../session.ts'
import { useText } from '../../texts/text.ts'
import type { Room } from './room.ts'

interface Props {
  room: Room
  user: User
  store: RoomStore
}

/** Who is in the room. */
export function PeoplePanel({ user, store }: Props) {
  const { say, number } = useText()
  const [isOpen, { open, close }] = useDisclosure()
  const { present, count } = useSyncExternalStore(store.watch, store.state)
  return (
    <>
      <Button variant="default" size="sm" onClick={open} leftSection={<IconUsers size={16} aria-hidden />}>
        {say('room.people')} ({number(count)})
      </Button>
      <Drawer
        opened={isOpen}
        onClose={close}
        position="right"
        title={say('room.peopleCount', { count })}
        closeButtonProps={{ 'aria-label': say('shell.close') }}
      >
        {present.size === 0 && count > 0 && <Text c="dimmed">{say('room.tooMany')}</Text>}
        <ul className="plain rows">
          {[...present.values()].map((person) => (
            <Line key={person.userId} person={person} isSelf={person.userId === user.id} />
          ))}
        </ul>
      </Drawer>
    </>
  )
}

function Line({ person, isSelf }: { person: Person; isSelf: boolean }) {
  const { say } = useText()
  const { nickname, avatarColor, guest, role } = person
  return (
    <Group component="li" gap="sm" wrap="nowrap">
      <Face nickname={nickname} avatarColor={avatarColor} size={32} />
      <div style={{ minWidth: 0, flex: 1 }}>
        <Text fw={550} size="sm" className="wrap">
          <bdi>{nickname}</bdi> {isSelf && `(${say('room.you')})`}
        </Text>
        <Group gap={6}>
          <Badge size="sm" variant="light" style={{ textTransform: 'none' }}>
            {say(`room.role.${role}`)}
          </Badge>
          {guest && <GuestMark />}
        </Group>
      </div>
    </Group>
  )
}
