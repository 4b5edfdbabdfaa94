import { Button, Drawer, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconUsers } from '@latchkey/web/icons'
import { useSyncExternalStore } from 'react'
import type { RoomStore } from '../../live/room-store.ts'
import { unlessConfirming } from '../../parts/confirm-dialog.tsx'
import type { User } from '../../session.ts'
import { useText } from '../../texts/text.ts'
import { People } from './people.tsx'
import type { Room } from './room.ts'

interface Props {
  room: Room
  user: User
  store: RoomStore
}

export function PeoplePanel({ room, user, store }: Props) {
  const { t, number } = useText()
  const [isOpen, { open, close }] = useDisclosure()
  const { present, count } = useSyncExternalStore(store.watch, store.state)
  return (
    <>
      <Button variant="default" size="sm" onClick={open} leftSection={<IconUsers size={16} aria-hidden />}>
        {t('room.people')} ({number(count)})
      </Button>
      <Drawer
        opened={isOpen}
        onClose={unlessConfirming(close)}
        position="right"
        title={t('room.peopleCount', { count })}
        closeButtonProps={{ 'aria-label': t('shell.close') }}
      >
        {present.size === 0 && count > 0 && <Text c="dimmed">{t('room.tooMany')}</Text>}
        <People people={[...present.values()]} room={room} user={user} />
      </Drawer>
    </>
  )
}
