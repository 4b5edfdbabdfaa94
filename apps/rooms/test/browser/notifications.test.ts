import { beforeAll, expect, test } from 'bun:test'
import { createECDH } from 'node:crypto'
import { type Page, chromium } from 'playwright-core'
import { expectAccessible, screenshot } from '@latchkey/web/testing/browser'
import { type TestUser, createMessage, createRoom, makeMember, member } from '../actions.ts'
import { ALICE } from '../provider/hostile.ts'
import { FLAGS } from '../real/browser.ts'
import { ROOT, roomPages } from './browser.ts'
import { until } from '../until.ts'
import { field, lines } from './room-page.ts'

const pages = roomPages({
  // These tests send no push: the endpoint only has to be a public address.
  outbound: { resolve: async () => ['203.0.113.1'], isPublicAddress: () => true },
})

let host: TestUser
let aliceId: string
beforeAll(async () => {
  await pages.signIn(ROOT)
  host = await member(pages.service(), 'Hanna Host')
  ;({ id: aliceId } = await pages.signIn(ALICE))
}, 60_000)

/** A room of which Alice is a member. */
async function alicesRoom(name: string): Promise<string> {
  const { id } = await createRoom(host, { name })
  await makeMember(pages.service(), id, { user: { id: aliceId } })
  return id
}

const untilLevel = (page: Page, id: string, level: string) =>
  page.waitForFunction(
    async ([path, expected]) => (await (await fetch(path)).json()).room.notificationLevel === expected,
    [`/api/rooms/${id}`, level] as const,
  )

/** Lets the page believe that notifications are permitted, and keeps what it shows. */
async function recordNotifications(page: Page): Promise<() => Promise<{ title: string; tag: string }[]>> {
  await page.addInitScript(() => {
    // As on a page without https.
    Object.assign(globalThis, { PushManager: undefined })
    const list: { title: string; tag: string }[] = []
    Object.assign(globalThis, {
      recorded: list,
      // Browsers without windows permit none.
      Notification: class extends Notification {
        static override permission = 'granted' as const
        static override requestPermission = () => Promise.resolve<NotificationPermission>('granted')
        constructor(title: string, options: { tag: string }) {
          super(title, options)
          list.push({ title, tag: options.tag })
        }
      },
    })
  })
  return () => page.evaluate(() => (globalThis as unknown as { recorded: [] }).recorded)
}

test('R30.2: the level of notifications is chosen in the room', async () => {
  const id = await alicesRoom('Library')
  const { page, errors } = await pages.openAs(ALICE, `/rooms/${id}`)
  await page.getByRole('button', { name: 'Notifications' }).click()
  const mentions = page.getByRole('radio', { name: 'Mentions' })
  await mentions.and(page.locator(':checked')).waitFor()
  await expectAccessible(page)
  await screenshot(page, 'notification-level')
  await mentions.press('ArrowUp')
  await page.getByRole('radio', { name: 'All messages' }).and(page.locator(':checked')).waitFor()
  await untilLevel(page, id, 'all')
  await page.getByRole('radio', { name: 'Nothing' }).check()
  await untilLevel(page, id, 'none')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Notifications' }).and(page.locator(':focus')).waitFor()
  expect(errors).toEqual([])
}, 60_000)

test('R30.2: the sound and quiet hours are chosen on the account page', async () => {
  const { page, errors } = await pages.openAs(ALICE, '/account')
  const section = page.getByRole('region', { name: 'Notifications' })
  const saved = () => page.waitForResponse((response) => response.request().method() === 'PUT')
  for (const name of ['Play a sound', 'Quiet hours'])
    await Promise.all([saved(), section.getByRole('switch', { name }).click()])
  const from = section.getByLabel('From')
  await from.fill('23:15')
  await Promise.all([saved(), from.blur()])
  const to = section.getByLabel('To')
  await to.fill('23:15')
  await to.blur()
  await section.getByRole('alert').getByText('Choose different times.').waitFor()
  await expectAccessible(page)
  await screenshot(page, 'notification-settings')
  await page.reload()
  await section.getByText(/^In the time zone/).waitFor()
  expect([await from.inputValue(), await to.inputValue()]).toEqual(['23:15', '07:00'])
  expect(await section.getByRole('switch', { name: 'Play a sound' }).isChecked()).toBe(true)
  await Promise.all([saved(), section.getByRole('switch', { name: 'Quiet hours' }).click()])
  await from.waitFor({ state: 'detached' })
  expect(errors).toEqual([])
}, 60_000)

test('R30.4, R30.4b, R30.4a: a mention elsewhere is counted on the tab and shown by the browser, a message that the user sees is not', async () => {
  const [id, other] = [await alicesRoom('Kitchen'), await alicesRoom('Attic')]
  const { page, errors } = await pages.openAs(ALICE, '/account', { own: true })
  const notifications = await recordNotifications(page)
  await page.reload()
  await page.getByRole('switch', { name: 'Show notifications on this device' }).click()
  await page.goto(pages.at(`/rooms/${id}`))
  await field(page).waitFor()
  await createMessage(host, id, `<@${aliceId}> here`)
  await lines(page).getByText('here').waitFor()
  // Without a mention, the default level notifies of nothing.
  await createMessage(host, other, 'For nobody')
  await createMessage(host, other, `<@${aliceId}> there`)
  await page.waitForFunction(() => (globalThis as unknown as { recorded: unknown[] }).recorded.length > 0)
  expect(await notifications()).toEqual([{ title: 'You were mentioned in Attic', tag: other }])
  expect(await page.title()).toStartWith('(1) Kitchen')
  expect(await page.locator('link[rel=icon]').getAttribute('href')).toContain('e03131')
  await page
    .getByRole('region', { name: 'Rooms' })
    .getByRole('link', { name: /^Attic/ })
    .click()
  await lines(page).getByText('there').waitFor()
  await page.waitForFunction(() => document.title.startsWith('Attic'))
  expect(await page.locator('link[rel=icon]').getAttribute('href')).not.toContain('e03131')
  expect(errors).toEqual([])
}, 60_000)

test('R30.4: a mention in a visited room is noticed, and the room is in the sidebar until it is read and left', async () => {
  const { id } = await createRoom(host, { name: 'Marketplace' })
  const { page, errors } = await pages.openAs(ALICE, '/account', { own: true })
  const notifications = await recordNotifications(page)
  await page.reload()
  await page.getByRole('switch', { name: 'Show notifications on this device' }).click()
  await page.goto(pages.at(`/rooms/${id}`))
  await createMessage(host, id, 'Welcome')
  await lines(page).getByText('Welcome').waitFor()
  const link = page.getByRole('region', { name: 'Rooms' }).getByRole('link', { name: /^Marketplace/ })
  await link.waitFor()
  await page.getByRole('link', { name: 'People', exact: true }).first().click()
  await link.waitFor({ state: 'detached' })
  await createMessage(host, id, 'For no one')
  await createMessage(host, id, `<@${aliceId}> come back`)
  await page.waitForFunction(() => (globalThis as unknown as { recorded: unknown[] }).recorded.length > 0)
  expect(await notifications()).toEqual([{ title: 'You were mentioned in Marketplace', tag: id }])
  expect(await page.title()).toStartWith('(1) ')
  await link.click()
  await lines(page).getByText('come back').waitFor()
  await page.waitForFunction(() => document.title.startsWith('Marketplace'))
  expect(errors).toEqual([])
}, 60_000)

/** Lets the browser subscribe to a push service that does not exist. */
async function fakePushService(page: Page): Promise<void> {
  const p256dh = createECDH('prime256v1').generateKeys('base64url')
  await page.addInitScript(
    (keys) => {
      const json = { endpoint: 'https://push.example/alice', keys }
      const subscription = { toJSON: () => json, options: {}, unsubscribe: async () => true }
      Object.assign(PushManager.prototype, {
        getSubscription: async () => null,
        subscribe: async () => subscription,
      })
    },
    { p256dh, auth: 'A'.repeat(22) },
  )
}

test('R30.3k: a browser that shows notifications subscribes, and its worker shows pushes until it is turned off', async () => {
  const id = await alicesRoom('Cellar')
  // Browsers without windows permit no notifications.
  const browser = await chromium.launch({
    executablePath: process.env['LATCHKEY_TEST_CHROMIUM'] || '/usr/bin/chromium',
    args: FLAGS,
  })
  const page = await (await browser.newContext({ permissions: ['notifications'] })).newPage()
  await fakePushService(page)
  await page.goto(pages.at('/api/auth/login?returnTo=/account'))
  const subscriptions = () =>
    pages.service().rooms.database.read.selectFrom('push_subscriptions').select('endpoint').execute()
  const choice = page.getByRole('switch', { name: 'Show notifications on this device' })
  await Promise.all([page.waitForResponse('**/api/push'), choice.click()])
  expect(await subscriptions()).toEqual([{ endpoint: 'https://push.example/alice' }])
  const notifications = () =>
    page.evaluate(async () => {
      const worker = await navigator.serviceWorker.ready
      const open = await worker.getNotifications()
      return open.map((each) => [each.title, each.body, each.tag, 'renotify' in each && each.renotify])
    })
  const deliver = await pushService(page)
  // The debugger loses a push to a worker that is being started. A notification replaces that of the
  // same room, so there is one however many pushes arrive.
  await until(async () => {
    await deliver({ roomId: id, isMention: true, room: 'Cellar' })
    return (await notifications()).length > 0
  })
  expect(await notifications()).toEqual([['Cellar', 'You were mentioned', id, true]])
  // The notification of an open page about the same message was heard.
  // A push that comes late would be a second one, which is heard: each attempt begins with the page.
  await until(async () => {
    await page.evaluate(async (tag) => {
      const worker = await navigator.serviceWorker.ready
      await worker.showNotification('Page', { tag, data: { roomId: tag, shownAt: Date.now() } })
    }, id)
    await deliver({ roomId: id, isMention: false, room: 'Cellar' })
    const newest = async () => (await notifications())[0]
    for (let reads = 0; reads < 20 && (await newest())?.[0] === 'Page'; reads++) await Bun.sleep(50)
    return Bun.deepEquals(await newest(), ['Cellar', 'New messages', id, false])
  })
  await Promise.all([page.waitForResponse('**/api/push/*'), choice.click()])
  expect(await subscriptions()).toEqual([])
  await browser.close()
}, 60_000)

/** Returns a function that passes a push to the worker of this page, as a push service does. */
async function pushService(page: Page): Promise<(payload: unknown) => Promise<void>> {
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => null))
  const client = await page.context().newCDPSession(page)
  const registered = new Promise<string>((resolve) => {
    client.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      for (const { registrationId, isDeleted } of registrations) if (!isDeleted) resolve(registrationId)
    })
  })
  await client.send('ServiceWorker.enable')
  const registrationId = await registered
  const { origin } = new URL(page.url())
  return async (payload) => {
    const data = JSON.stringify(payload)
    await client.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data })
  }
}
