import { call, pageToken } from '../call.ts'
import { SENT, isSupported } from './push.ts'

/**
 * Subscribes the session of this page to pushes, unless it has subscribed already. Does nothing in
 * browsers that have no push service.
 */
export async function subscribeToPush(pushKey: string): Promise<void> {
  if (!isSupported()) return
  // A worker in another language has another address, and replaces this one.
  const worker = await navigator.serviceWorker.register(
    `/push-worker.js?lang=${document.documentElement.lang}`,
  )
  try {
    const subscription = await subscriptionFor(worker, pushKey)
    const { endpoint, keys } = subscription.toJSON()
    const sent = `${pageToken()} ${endpoint}`
    if (localStorage.getItem(SENT)?.endsWith(` ${sent}`)) return
    const body = {
      endpoint: endpoint ?? '',
      keys: { p256dh: keys?.['p256dh'] ?? '', auth: keys?.['auth'] ?? '' },
    }
    const { id } = await call('subscribeToPush', { body })
    localStorage.setItem(SENT, `${id} ${sent}`)
  } catch (error) {
    await worker.unregister()
    throw error
  }
}

async function subscriptionFor(
  { pushManager }: ServiceWorkerRegistration,
  pushKey: string,
): Promise<PushSubscription> {
  const existing = await pushManager.getSubscription()
  const key = existing?.options.applicationServerKey
  if (existing && key && toBase64url(key) === pushKey) return existing
  // The keys of the instance have changed.
  await existing?.unsubscribe()
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: pushKey })
}

function toBase64url(bytes: ArrayBuffer): string {
  const base64 = btoa(String.fromCharCode(...new Uint8Array(bytes)))
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Ends the subscription of this browser. */
export async function unsubscribeFromPush(): Promise<void> {
  if (!isSupported()) return
  const worker = await navigator.serviceWorker.getRegistration('/')
  const subscription = await worker?.pushManager.getSubscription()
  await subscription?.unsubscribe()
  await worker?.unregister()
  const [id] = (localStorage.getItem(SENT) ?? '').split(' ', 1)
  localStorage.removeItem(SENT)
  if (id) await call('unsubscribeFromPush', { params: { id } })
}
