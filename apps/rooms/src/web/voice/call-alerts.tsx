import { Suspense, lazy, useEffect, useState } from 'react'
import type { CallAlert } from '../live/frames.ts'
import { live } from '../live/live.ts'

// Loaded with the first call.
const AlertList = lazy(() => import('./view/load.ts').then(({ loadAlertList }) => loadAlertList()))

/** Calls in direct conversations that wait for the answer of the user, on every page (R37.5). */
export function CallAlerts() {
  const [alerts, setAlerts] = useState<readonly CallAlert[]>([])
  const end = (callId: unknown) => setAlerts((before) => before.filter((alert) => alert.callId !== callId))
  useEffect(
    () =>
      live.onNotice(({ notice, data }) => {
        if (notice === 'call_ended') end(data['callId'])
        if (notice !== 'call') return
        end(data['callId'])
        setAlerts((before) => [...before, data as unknown as CallAlert])
      }),
    [],
  )
  if (alerts.length === 0) return null
  return (
    <Suspense>
      <AlertList alerts={alerts} onEnd={end} />
    </Suspense>
  )
}
