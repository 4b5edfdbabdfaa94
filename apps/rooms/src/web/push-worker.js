// Service worker: shows pushes while no page is open, and does nothing else. It stores nothing. Its
// language is in its address.

const TEXTS = {
  en: {
    messages: 'New messages',
    mention: 'You were mentioned',
    call: 'Incoming call',
    called: 'Called you',
  },
  sv: { messages: 'Nya meddelanden', mention: 'Du nämndes', call: 'Inkommande samtal', called: 'Ringde dig' },
  id: { messages: 'Pesan baru', mention: 'Anda disebut', call: 'Panggilan masuk', called: 'Menelepon Anda' },
}
const texts = TEXTS[new URL(self.location.href).searchParams.get('lang')] ?? TEXTS.en

self.addEventListener('install', () => self.skipWaiting())

self.addEventListener('push', (event) => event.waitUntil(show(event.data.json())))

/** Time in which the push about a message follows the notification of an open page. */
const SAME_MESSAGE_MS = 15_000

/**
 * The same tag as that of an open page: one notification replaces the other, and is heard again if it
 * is about further messages.
 */
async function show({ roomId, isMention, callUntil, room, author, text }) {
  if (callUntil !== undefined) return showCall(roomId, callUntil, room)
  const summary = isMention ? texts.mention : texts.messages
  const [earlier] = await self.registration.getNotifications({ tag: roomId })
  await self.registration.showNotification(room ?? 'Rooms', {
    body: text === undefined ? summary : `${author}: ${text}`,
    tag: roomId,
    renotify: !(Date.now() - earlier?.data?.shownAt < SAME_MESSAGE_MS),
    icon: '/icon-192.png',
    data: { roomId },
  })
  await self.navigator.setAppBadge?.()
}

/** A call, until it alerts no more. An open page closes the notification before, once there is an answer. */
async function showCall(roomId, callUntil, room = 'Rooms') {
  const options = { tag: roomId, icon: '/icon-192.png', data: { roomId, callUntil } }
  const { registration } = self
  await registration.showNotification(room, {
    ...options,
    body: texts.call,
    renotify: true,
    requireInteraction: true,
  })
  await new Promise((resolve) => setTimeout(resolve, Math.min(callUntil - Date.now(), 30_000)))
  const [shown] = await registration.getNotifications({ tag: roomId })
  if (shown?.data?.callUntil === callUntil)
    await registration.showNotification(room, { ...options, body: texts.called, silent: true })
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(`/rooms/${event.notification.data.roomId}`))
})

async function open(path) {
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const [page] = pages
  if (!page) await self.clients.openWindow(path)
  await page?.focus()
  page?.postMessage({ open: path })
}
