import { Suspense, lazy } from 'react'
import type { RoomStore } from '../live/room-store.ts'
import { type Room, rightsIn } from '../pages/room/room.ts'
import type { User } from '../session.ts'
import { useCurrentCall } from './current-call.ts'

// Loaded when the user joins a call.
const CallView = lazy(() => import('./view/load.ts').then(({ loadCallView }) => loadCallView()))

/** Place of the call, beside or above the conversation of its room. */
export function CallPlace({ room, user, store }: { room: Room; user: User; store: RoomStore }) {
  const session = useCurrentCall()
  if (session?.room.id !== room.id) return null
  return (
    <Suspense>
      <CallView
        user={user}
        store={store}
        session={session}
        mayModerate={rightsIn(room, user)('moderate_call')}
      />
    </Suspense>
  )
}
