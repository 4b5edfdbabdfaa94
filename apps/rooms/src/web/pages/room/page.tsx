import { CallError } from '@latchkey/web/call'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { RowSkeletons } from '@latchkey/web/parts/skeletons'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { embedded } from '../../call.ts'
import { RoomStore } from '../../live/room-store.ts'
import { inOwnTask } from '../../parts/in-own-task.ts'
import { named } from '../../parts/room-name.ts'
import { useCall } from '../../queries.ts'
import { type User, useUser } from '../../session.ts'
import { useText } from '../../texts/text.ts'
import { CallPlace } from '../../voice/call-place.tsx'
import { useCurrentCall } from '../../voice/current-call.ts'
import { Conversation } from './conversation/conversation.tsx'
import { NotInRoom } from './not-in-room.tsx'
import type { Room } from './room.ts'
import { Panel } from './panel.tsx'
import { DirectPeople } from './people/direct-people.tsx'
import { PeopleHere } from './people/people-here.tsx'
import { Pins } from './pins.tsx'
import { RoomHeader } from './room-header.tsx'
import { usePanel } from './use-panel.ts'

/** A room: its messages, its people, and the actions of the user. */
export default function RoomPage({ id }: { id: string }) {
  const { t } = useText()
  const user = useUser()
  const { data, error, refetch } = useCall('room', 'getRoom', { params: { id } })
  // Number of times that the user has asked to enter again.
  const [visit, setVisit] = useState(0)
  const [store] = useState(() => new RoomStore(id, user.id))
  const { out } = useSyncExternalStore(store.watch, store.state)
  // The frame of the page, the room and its messages are rendered one after another: together, they
  // would hold up a slow processor.
  const [isStarted, setStarted] = useState(false)
  useEffect(() => inOwnTask(() => setStarted(true)), [])
  const mayEnter = data !== undefined && isStarted
  useEffect(() => {
    if (!mayEnter) return undefined
    const { readSeq, unread, lastSeq } = data.room
    return inOwnTask(() => {
      const newest = embedded('listMessages', { params: { id }, query: {} })?.body
      return store.enter({ readSeq: readSeq ?? 0, unread: unread ?? 0 }, newest && { newest, lastSeq })
    })
    // `data` is not a dependency: only the unread messages on entering count.
  }, [mayEnter, visit, store])
  if (out) return <NotInRoom name={data?.room.name} out={out} onComeBack={() => setVisit(visit + 1)} />
  if (error && !data) {
    const code = error instanceof CallError ? error.code : undefined
    if (code !== undefined && error instanceof CallError && error.status < 500 && error.status !== 429)
      return (
        <NotInRoom name={undefined} out={{ reason: code, until: null }} onComeBack={() => void refetch()} />
      )
    return <ErrorNotice error={error} onRetry={() => void refetch()} />
  }
  if (data && !isStarted) return null
  if (!data)
    return (
      <div className="page-margin">
        <RowSkeletons />
      </div>
    )
  return <RoomView room={named(data.room, t)} user={user} store={store} />
}

interface RoomViewProps {
  room: Room
  user: User
  store: RoomStore
}

/** The conversation, with what is around it. */
function RoomView({ room, user, store }: RoomViewProps) {
  const { t } = useText()
  const panel = usePanel(room, useCurrentCall()?.room.id === room.id)
  return (
    <div className="room" data-panel={panel.panel ?? undefined}>
      <RoomHeader room={room} user={user} store={store} panel={panel} />
      <CallPlace room={room} user={user} store={store} />
      <Conversation room={room} user={user} store={store} messageId={panel.messageId} />
      {panel.panel === 'people' && (
        <Panel title={t('room.people')} isBeside={panel.isWide} close={panel.close}>
          {room.people ? (
            <DirectPeople people={room.people} user={user} />
          ) : (
            <PeopleHere room={room} user={user} store={store} />
          )}
        </Panel>
      )}
      {panel.panel === 'pins' && (
        <Panel title={t('room.pins')} isBeside={panel.isWide} close={panel.close}>
          <Pins user={user} store={store} onOpen={panel.showMessage} />
        </Panel>
      )}
    </div>
  )
}
