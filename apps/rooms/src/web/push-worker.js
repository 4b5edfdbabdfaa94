// Service worker: shows pushes while no page is open, and does nothing else. It stores nothing. Its
// language is in its address.

const TEXTS = {
  en: { messages: 'New messages', mention: 'You were mentioned' },
  sv: { messages: 'Nya meddelanden', mention: 'Du nämndes' },
  id: { messages: 'Pesan baru', mention: 'Anda disebut' },
}
const texts = TEXTS[new URL(self.location.href).searchParams.get('lang')] ?? TEXTS.en

self.addEventListener('install', () => self.skipWaiting())

self.addEventListener('push', (event) => event.waitUntil(show(event.data.json())))

/** The same tag as that of an open page: one notification replaces the other. */
async function show({ roomId, isMention, room, author, text }) {
  const summary = isMention ? texts.mention : texts.messages
  await self.registration.showNotification(room ?? 'Rooms', {
    body: text === undefined ? summary : `${author}: ${text}`,
    tag: roomId,
    icon: '/icon-192.png',
    data: { roomId },
  })
  await self.navigator.setAppBadge?.()
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
