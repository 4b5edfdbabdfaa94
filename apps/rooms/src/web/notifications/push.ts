/** What this browser has subscribed with, in its storage: id, session, endpoint. */
export const SENT = 'push-sent'

/** Whether this browser may be able to receive pushes: not on pages without https. */
export const isSupported = () => 'serviceWorker' in navigator && globalThis.PushManager !== undefined

/** The worker that shows notifications, if this browser has subscribed. */
export async function pushWorker(): Promise<ServiceWorkerRegistration | undefined> {
  if (!isSupported() || localStorage.getItem(SENT) === null) return undefined
  return navigator.serviceWorker.getRegistration('/')
}

/** Calls `open` with the path of a notification that the user has clicked. Returns a function that stops it. */
export function onNotificationClick(open: (path: string) => void): () => void {
  if (!('serviceWorker' in navigator)) return () => {}
  const listener = ({ data }: MessageEvent<{ open?: string }>) => {
    if (data.open?.startsWith('/rooms/')) open(data.open)
  }
  navigator.serviceWorker.addEventListener('message', listener)
  return () => navigator.serviceWorker.removeEventListener('message', listener)
}
