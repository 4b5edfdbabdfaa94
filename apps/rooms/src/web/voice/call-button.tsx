import { Suspense, lazy } from 'react'
import { instance } from '../instance.ts'
import type { RoomStore } from '../live/room-store.ts'
import type { Room } from '../pages/room/room.ts'
import type { User } from '../session.ts'
import { useCurrentCall } from './current-call.ts'

// Only in rooms with calls.
const JoinButtons = lazy(() => import('./view/join-buttons.tsx'))

/** Joins the call of a room, unless the user is in it. */
export function CallButton({ room, user, store }: { room: Room; user: User; store: RoomStore }) {
  const session = useCurrentCall()
  const isForGuests = room.voiceGuests !== 'off'
  const mayJoin =
    instance.hasCalls &&
    room.voice !== 'off' &&
    !room.archived &&
    (user.identityType === 'oauth' || isForGuests)
  if (!mayJoin || session?.room.id === room.id) return null
  return (
    <Suspense>
      <JoinButtons room={room} store={store} />
    </Suspense>
  )
}
