import { useEffect } from 'react'
import { closeDesktop, showDesktop } from '../../notifications/desktop.ts'
import { playAlert } from '../sounds.ts'

const EVERY_MS = 2_000

/**
 * Plays a sound while a call alerts the user, in one of the open tabs, and shows a notification of
 * the browser from a tab that is not on display. `open` is called on a click of that.
 */
export function useAlertSound(roomId: string, text: string, open: () => void): void {
  useEffect(() => {
    const ended = new AbortController()
    const alert = async () => {
      if (document.hidden) await showDesktop(roomId, text, open)
      while (!ended.signal.aborted) {
        await playAlert()
        await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
      }
    }
    // Pages without https have no locks.
    const alerting =
      'locks' in navigator
        ? navigator.locks.request(`call-${roomId}`, { signal: ended.signal }, alert)
        : alert()
    alerting.catch(() => {})
    return () => {
      ended.abort()
      void closeDesktop(roomId)
    }
  }, [roomId])
}
