import { Badge, Button, Group, Skeleton, Stack } from '@mantine/core'
import { CallError } from '@latchkey/web/call'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { PageHeading } from '@latchkey/web/shell/heading'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { useLocation } from 'wouter'
import { RoomStore } from '../../live/room-store.ts'
import { useCall } from '../../queries.ts'
import { type User, useUser } from '../../session.ts'
import { useText } from '../../texts/text.ts'
import { Chat } from './chat.tsx'
import { Manage } from './manage/manage.tsx'
import { NotInRoom } from './not-in-room.tsx'
import type { Room } from './room.ts'
import { PeoplePanel } from './people-panel.tsx'

/** A room: its messages, its people, and the actions of the user. */
export default function RoomPage({ id }: { id: string }) {
  const user = useUser()
  const { data, error, refetch } = useCall('room', 'getRoom', { params: { id } })
  const [isAway, setAway] = useState(false)
  // Number of times that the user has asked to enter again.
  const [visit, setVisit] = useState(0)
  const [store] = useState(() => new RoomStore(id, user.id))
  const { phase, out } = useSyncExternalStore(store.watch, store.state)
  const mayEnter = data !== undefined
  useEffect(() => (mayEnter && !isAway ? store.enter() : undefined), [mayEnter, isAway, visit, store])
  if (out) return <NotInRoom name={data?.room.name} out={out} onComeBack={() => setVisit(visit + 1)} />
  if (error && !data) {
    const code = error instanceof CallError ? error.code : undefined
    if (code !== undefined && error instanceof CallError && error.status < 500 && error.status !== 429)
      return (
        <NotInRoom name={undefined} out={{ reason: code, until: null }} onComeBack={() => void refetch()} />
      )
    return <ErrorNotice error={error} onRetry={() => void refetch()} />
  }
  if (!data) return <Skeleton h={320} />
  return (
    <RoomView
      room={data.room}
      user={user}
      store={store}
      isEntering={phase === 'entering'}
      onLeave={() => setAway(true)}
    />
  )
}

interface RoomViewProps {
  room: Room
  user: User
  store: RoomStore
  isEntering: boolean
  onLeave: () => void
}

function RoomView({ room, user, store, isEntering, onLeave }: RoomViewProps) {
  const { t } = useText()
  const [, go] = useLocation()
  return (
    <div className="room">
      <Group justify="space-between" gap="sm" mb="sm">
        <Stack gap={4} style={{ minWidth: 0 }}>
          <PageHeading title={room.name} className="wrap" />
          <Group gap={6}>
            <Badge variant="default" style={{ textTransform: 'none' }}>
              {t(`room.visibility.${room.visibility}`)}
            </Badge>
            {room.role !== null && (
              <Badge variant="light" style={{ textTransform: 'none' }}>
                {t(`room.role.${room.role}`)}
              </Badge>
            )}
          </Group>
        </Stack>
        <Group gap="xs">
          <PeoplePanel room={room} user={user} store={store} />
          <Manage room={room} user={user} />
          <Button
            variant="default"
            size="sm"
            onClick={() => {
              onLeave()
              go('/')
            }}
          >
            {t('room.leave')}
          </Button>
        </Group>
      </Group>
      <Chat room={room} user={user} store={store} isEntering={isEntering} />
    </div>
  )
}
