import { pushWorker } from './push.ts'

const CHOICE = 'desktop-notifications'

/** Whether this browser shows notifications, and whether it can. */
export type DesktopState = 'on' | 'off' | 'denied' | 'unsupported'

export function desktopState(): DesktopState {
  if (!('Notification' in globalThis)) return 'unsupported'
  if (Notification.permission === 'denied') return 'denied'
  return Notification.permission === 'granted' && localStorage.getItem(CHOICE) === 'on' ? 'on' : 'off'
}

/**
 * Turns notifications of this browser on or off. Asks the user for permission first. `pushKey` is the
 * key of the instance for push services; without it, notifications are shown while a tab is open.
 */
export async function setDesktop(isOn: boolean, pushKey: string | undefined): Promise<DesktopState> {
  if (isOn) await Notification.requestPermission()
  localStorage.setItem(CHOICE, isOn ? 'on' : 'off')
  const state = desktopState()
  // Without a push service, there are notifications while a tab is open.
  await changePush(state === 'on', pushKey).catch(() => {})
  return state
}

async function changePush(isOn: boolean, pushKey: string | undefined): Promise<void> {
  const { subscribeToPush, unsubscribeFromPush } = await import('./push-subscription.ts')
  if (!isOn) await unsubscribeFromPush()
  else if (pushKey !== undefined) await subscribeToPush(pushKey)
}

/** Closes the notification of this room, where a worker has shown it. */
export async function closeDesktop(roomId: string): Promise<void> {
  const worker = await pushWorker().catch(() => undefined)
  for (const notification of (await worker?.getNotifications({ tag: roomId })) ?? []) notification.close()
}

/** Shows a notification, in the place of the last one of this room. `open` is called on a click. */
export async function showDesktop(roomId: string, text: string, open: () => void): Promise<void> {
  if (desktopState() !== 'on') return
  const options = { tag: roomId, renotify: true, icon: '/icon-192.png' }
  const worker = await pushWorker().catch(() => undefined)
  // A push about the same message then replaces it.
  if (worker) return worker.showNotification(text, { ...options, data: { roomId, shownAt: Date.now() } })
  try {
    const notification = new Notification(text, options)
    notification.addEventListener('click', () => {
      window.focus()
      open()
      notification.close()
    })
  } catch {
    // Phones show notifications of a service worker only.
  }
}
