import { Suspense, lazy } from 'react'
import { useCurrentCall } from './current-call.ts'

// Loaded when the user joins a call.
const CallBar = lazy(() => import('./view/load.ts').then(({ loadCallBar }) => loadCallBar()))

/** The call that goes on, on every page but that of its room. */
export function CallElsewhere({ path }: { path: string }) {
  const session = useCurrentCall()
  if (!session || path === `/rooms/${session.room.id}`) return null
  return (
    <Suspense>
      <CallBar session={session} />
    </Suspense>
  )
}
