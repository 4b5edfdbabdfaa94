import { Suspense, lazy, useEffect, useState } from 'react'
import type { CallAlert } from '../live/frames.ts'
import { live } from '../live/live.ts'

// Loaded with the first call.
const AlertList = lazy(() => import('./view/load.ts').then(({ loadAlertList }) => loadAlertList()))

/** A call that waits for the answer of the user, or that they have missed. */
export interface ListedAlert extends CallAlert {
  isMissed?: boolean
}

/** Calls in direct conversations that wait for an answer, and those just missed, on every page (R37.5). */
export function CallAlerts() {
  const [alerts, setAlerts] = useState<readonly ListedAlert[]>([])
  const close = (callId: string) => setAlerts((before) => before.filter((alert) => alert.callId !== callId))
  useEffect(() => {
    const stopNotices = live.onNotice(({ notice, data }) => {
      const { roomId, callId } = data as unknown as CallAlert
      const isMissed = data['reason'] === 'missed' || data['reason'] === 'ended'
      if (notice === 'call')
        setAlerts((before) => [
          ...before.filter((alert) => alert.roomId !== roomId),
          data as unknown as CallAlert,
        ])
      else if (notice === 'call_ended')
        setAlerts((before) =>
          before.flatMap((alert) =>
            alert.callId === callId ? (isMissed ? { ...alert, isMissed } : []) : alert,
          ),
        )
    })
    // The server sends those that still wait once the page is connected again.
    const stopWatching = live.watch(() => {
      if (live.state !== 'live') setAlerts((before) => before.filter(({ isMissed }) => isMissed))
    })
    return () => {
      stopNotices()
      stopWatching()
    }
  }, [])
  if (alerts.length === 0) return null
  return (
    <Suspense>
      <AlertList alerts={alerts} onClose={close} />
    </Suspense>
  )
}
