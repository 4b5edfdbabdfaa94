import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible, expectWithinWidth, screenshot } from '@latchkey/web/testing/browser'
import { type TestUser, createMessage, createRoom, member } from '../actions.ts'
import { ALICE, type Person } from '../provider/hostile.ts'
import { until } from '../until.ts'
import { BOB, ROOT, roomPages } from './browser.ts'
import { networkProxy } from './network-proxy.ts'
import { field, isLost, lines, send, texts } from './room-page.ts'

const pages = roomPages()

let host: TestUser
beforeAll(async () => {
  await pages.signIn(ROOT)
  host = await member(pages.service(), 'Hanna Host')
}, 60_000)

/** A message in its place that is not sent yet. */
const unsent = (page: Page, text: string) => page.locator('.message-unsent').filter({ hasText: text })

const newRoom = async (settings: Record<string, unknown> = {}) => (await createRoom(host, settings)).id
test('R18.8: a client that the server has asked to wait for half a minute does not offer to retry now', async () => {
  const { page } = await pages.openAs(ALICE, '/', { width: 390, own: true })
  await page.routeWebSocket('**/api/ws', (socket) => void socket.close({ code: 4429 }))
  await page.reload()
  await page.getByRole('status').getByText('Connection lost. Reconnecting…').waitFor()
  expect(await page.getByRole('button', { name: 'Reconnect now' }).count()).toBe(0)
  await screenshot(page, 'connection-resting')
}, 60_000)

/** Opens a room that the page enters only once the returned function is called. */
async function openBeforeEntry() {
  const id = await newRoom()
  const { page } = await pages.openAs(ALICE, '/', { own: true })
  const { promise: mayEnter, resolve: enter } = Promise.withResolvers<void>()
  await page.routeWebSocket('**/api/ws', (socket) => {
    const server = socket.connectToServer()
    socket.onMessage(async (message) => {
      await mayEnter
      server.send(message)
    })
  })
  await page.goto(pages.at(`/rooms/${id}`))
  return { page, enter }
}

test('R23.3: what is sent while the page still enters the room is sent once it has', async () => {
  const { page, enter } = await openBeforeEntry()
  await field(page).fill('Typed at once')
  await field(page).press('Enter')
  expect(await texts(page)).toEqual([])
  enter()
  await lines(page).getByText('Typed at once').waitFor()
  expect(await field(page).inputValue()).toBe('')
  await page.getByText('Sending').waitFor({ state: 'detached' })
  expect(await texts(page)).toEqual(['Typed at once'])
}, 60_000)

test('R23.3: a text that was changed while the page entered the room waits for another press', async () => {
  const { page, enter } = await openBeforeEntry()
  await field(page).fill('Half a')
  await field(page).press('Enter')
  await field(page).fill('Half a sentence')
  enter()
  await page.getByRole('button', { name: 'People 1' }).waitFor()
  expect([await field(page).inputValue(), await texts(page)]).toEqual(['Half a sentence', []])
  await field(page).press('Enter')
  await lines(page).getByText('Half a sentence').waitFor()
  expect(await texts(page)).toEqual(['Half a sentence'])
}, 60_000)

test('R18.5c: after a lost connection all missed messages are shown once and in order', async () => {
  const id = await newRoom()
  await createMessage(host, id, 'Before')
  const { page, errors } = await pages.openAs(ALICE, `/rooms/${id}`)
  await lines(page).getByText('Before').waitFor()
  await page.getByRole('button', { name: 'People 1' }).waitFor()
  await pages.whileDown(page, async () => {
    await expectAccessible(page)
    await screenshot(page, 'room-connection-lost')
    for (let index = 1; index <= 5; index++) await createMessage(host, id, `Missed ${index}`)
    await send(page, 'Said into the void')
    await page.getByText('Waiting for connection').waitFor()
    expect(await texts(page)).toEqual(['Before'])
    await page.getByRole('button', { name: 'Reconnect now' }).click()
  })
  await lines(page).getByText('Said into the void').waitFor()
  await page.getByText('Waiting for connection').waitFor({ state: 'detached' })
  // All of them are announced, although they arrived together.
  const readOut = page.locator('[aria-live=polite] p')
  await readOut.getByText('Missed 5').waitFor({ state: 'attached' })
  expect(await readOut.allInnerTexts()).toEqual([1, 2, 3, 4, 5].map((index) => `Hanna Host: Missed ${index}`))
  await page.getByText('Sending').waitFor({ state: 'detached' })
  await createMessage(host, id, 'After')
  await lines(page).getByText('After', { exact: true }).waitFor()
  const all = [
    'Before',
    'Missed 1',
    'Missed 2',
    'Missed 3',
    'Missed 4',
    'Missed 5',
    'Said into the void',
    'After',
  ]
  expect(await texts(page)).toEqual(all)
  expect(errors.filter((text) => !isLost(text))).toEqual([])
}, 90_000)

test('messages sent while the service restarts keep the order in which they were written, for all participants', async () => {
  const id = await newRoom()
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  const bob = await pages.openAs(BOB, `/rooms/${id}`)
  await page.getByRole('button', { name: 'People 2' }).waitFor()
  await send(page, 'Before')
  await lines(bob.page).getByText('Before').waitFor()
  // The service answers before the page has reconnected.
  await page.evaluate(() => {
    const { WebSocket } = globalThis
    const open = { at: '/nowhere' }
    addEventListener('let-in', () => (open.at = ''))
    globalThis.WebSocket = class extends WebSocket {
      constructor(url: string | URL, protocols?: string | string[]) {
        super(`${String(url)}${open.at}`, protocols)
      }
    }
  })
  const down = Promise.withResolvers<undefined>()
  const over = pages.whileDown(page, async () => {
    await send(page, 'Void 1')
    await unsent(page, 'Void 1').getByText('Waiting for connection').waitFor()
    down.resolve(undefined)
  })
  await down.promise
  await until(() =>
    page.evaluate(() =>
      fetch('/api/config').then(
        () => true,
        () => false,
      ),
    ),
  )
  await send(page, 'Void 2')
  await lines(bob.page).getByText('Void 2').waitFor()
  await page.getByText('Sending').waitFor({ state: 'detached' })
  expect(await texts(page)).toEqual(['Before', 'Void 1', 'Void 2'])
  expect(await page.getByText('Waiting for connection').count()).toBe(0)
  await page.evaluate(() => dispatchEvent(new Event('let-in')))
  await over
  await send(page, 'After')
  await lines(bob.page).getByText('After').waitFor()
  for (const each of [page, bob.page]) {
    expect(await texts(each)).toEqual(['Before', 'Void 1', 'Void 2', 'After'])
    await each.context().close()
  }
}, 60_000)

test('a single lost message is sent again automatically, before later ones', async () => {
  const id = await newRoom()
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`, { width: 390, height: 700 })
  await page.getByText(/^This is the start of /).waitFor()
  await page.route('**/messages', (route) => route.abort(), { times: 2 })
  await send(page, 'First')
  await unsent(page, 'First').getByText('Waiting for connection').waitFor()
  await screenshot(page, 'room-one-unsent-390')
  await send(page, 'Second')
  await lines(page).getByText('Second', { exact: true }).waitFor()
  await page.getByText('Sending').waitFor({ state: 'detached' })
  await page.getByText('Waiting for connection').first().waitFor({ state: 'detached' })
  expect(await texts(page)).toEqual(['First', 'Second'])
}, 60_000)

test('a message without a response delays later ones only until its timeout, and is stored once', async () => {
  const id = await newRoom()
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  await page.getByText(/^This is the start of /).waitFor()
  await page.evaluate(() => {
    AbortSignal.timeout = () => {
      const limit = new AbortController()
      addEventListener('too-late', () => limit.abort(new DOMException('Too late', 'TimeoutError')))
      return limit.signal
    }
  })
  const stored = Promise.withResolvers<undefined>()
  await page.route('**/messages', (route) => void route.fetch().then(() => stored.resolve(undefined)), {
    times: 1,
  })
  await send(page, 'First')
  await stored.promise
  await send(page, 'Second')
  expect(await page.getByText('Waiting for connection').count()).toBe(0)
  await page.evaluate(() => dispatchEvent(new Event('too-late')))
  await lines(page).getByText('Second', { exact: true }).waitFor()
  await page.getByText('Sending').waitFor({ state: 'detached' })
  await page.getByText('Waiting for connection').waitFor({ state: 'detached' })
  expect(await texts(page)).toEqual(['First', 'Second'])
}, 60_000)

test('messages written offline are sent once the network is back, also if the connection survived', async () => {
  const id = await newRoom()
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  await page.getByRole('button', { name: 'People 1' }).waitFor()
  await page.context().setOffline(true)
  await send(page, 'Said in a tunnel')
  await page.getByText('Waiting for connection').waitFor()
  expect(await page.getByText('Couldn’t send').count()).toBe(0)
  await page.context().setOffline(false)
  await lines(page).getByText('Said in a tunnel').waitFor()
  await page.getByText('Waiting for connection').waitFor({ state: 'detached' })
  expect(await texts(page)).toEqual(['Said in a tunnel'])
}, 60_000)

test('the message field stays in view however many messages are unsent', async () => {
  const id = await newRoom()
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`, { width: 390, height: 700 })
  await page.getByText(/^This is the start of /).waitFor()
  await page.route('**/messages', (route) => route.abort())
  for (const text of ['One', 'Two', 'Three', 'Four']) {
    await send(page, text)
    await unsent(page, text).getByText('Waiting for connection').waitFor()
  }
  const { y = 0, height = 0 } = (await field(page).boundingBox()) ?? {}
  expect(y + height).toBeLessThan(700)
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(700)
  await expectAccessible(page)
  await expectWithinWidth(page)
  await screenshot(page, 'room-much-unsent-390')
}, 60_000)

test('unsent messages survive a reload and a new sign-in, are stored once, and can be edited', async () => {
  const id = await newRoom()
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  await page.getByText(/^This is the start of /).waitFor()
  await page.route('**/messages', (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  )
  await send(page, 'Important')
  await page.getByText('Waiting for connection').waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  expect(await field(page).inputValue()).toBe('Important')
  await field(page).press('End')
  await page.keyboard.type(' indeed')
  await page.keyboard.press('Enter')
  await page.getByText('Waiting for connection').waitFor()
  await field(page).fill('Half a thou')
  await page.context().clearCookies()
  await page.unroute('**/messages')
  await page.reload()
  await page.waitForURL(/\/login\?/)
  await page.getByRole('link', { name: 'Sign in with Test provider' }).click()
  await lines(page).getByText('Important indeed').waitFor()
  expect(await field(page).inputValue()).toBe('Half a thou')
  await page.reload()
  await lines(page).getByText('Important indeed').waitFor()
  expect(await texts(page)).toEqual(['Important indeed'])
}, 90_000)

/** The cookies of a session of this person. */
const sessionOf = async (person: Person) => {
  const { page } = await pages.openAs(person, '/')
  const cookies = await page.context().cookies()
  await page.context().close()
  return cookies
}

/** Replaces the session, as a sign-in in another tab does. */
const takeSession = async (page: Page, cookies: Awaited<ReturnType<typeof sessionOf>>) => {
  await page.context().clearCookies()
  await page.context().addCookies(cookies)
}

test('a tab that was offline while another user signed in sends nothing as that user and shows nothing of the previous one', async () => {
  const id = await newRoom()
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  await page.getByText(/^This is the start of /).waitFor()
  const bobs = await sessionOf(BOB)
  const sent: string[] = []
  page.on('request', (request) => request.method() === 'POST' && sent.push(request.postData() ?? ''))
  await pages.whileDown(page, async () => {
    await send(page, 'Of Alice alone')
    await page.getByText('Waiting for connection').waitFor()
    await field(page).fill('Half a thought')
    await takeSession(page, bobs)
    sent.length = 0
  })
  await page.getByRole('button', { name: 'Account of Bob Berg' }).waitFor()
  await page.getByText(/^This is the start of /).waitFor()
  expect(await field(page).inputValue()).toBe('')
  expect(await page.getByText('Of Alice alone').count()).toBe(0)
  expect(await page.getByRole('button', { name: /^Account of Alice/ }).count()).toBe(0)
  expect([sent, await texts(page)]).toEqual([[], []])
  // Unsent messages wait for their author.
  await page.goto(pages.at(`/api/auth/login?prompt=login&returnTo=/rooms/${id}`))
  await lines(page).getByText('Of Alice alone').waitFor()
  expect(await field(page).inputValue()).toBe('Half a thought')
}, 60_000)

test('a tab that has not noticed another user’s sign-in sends nothing as that user, and then belongs to them', async () => {
  const id = await newRoom()
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  await page.getByText(/^This is the start of /).waitFor()
  await takeSession(page, await sessionOf(BOB))
  await send(page, 'Of Alice alone')
  await page.getByRole('button', { name: 'Account of Bob Berg' }).waitFor()
  await page.getByText(/^This is the start of /).waitFor()
  expect([await texts(page), await field(page).inputValue()]).toEqual([[], ''])
  await send(page, 'Of Bob')
  await lines(page).getByText('Of Bob').waitFor()
  expect(await texts(page)).toEqual(['Of Bob'])
}, 60_000)

test('a tab continues when the same user has signed in again in another tab', async () => {
  const id = await newRoom()
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  await page.getByText(/^This is the start of /).waitFor()
  await takeSession(page, await sessionOf(ALICE))
  await send(page, 'Still Alice')
  await lines(page).getByText('Still Alice').waitFor()
  expect([await texts(page), await field(page).inputValue()]).toEqual([['Still Alice'], ''])
  expect(await page.getByText('Waiting for connection').count()).toBe(0)
}, 60_000)

test('R18.7c: a proxy that falls silent on open connections is noticed within 15 s of a sign of life', async () => {
  const id = await newRoom()
  const network = await networkProxy(pages.port())
  const { page } = await pages.openAs(ALICE, '/')
  try {
    await page.goto(`http://localhost:${network.port}/rooms/${id}`)
    await page.getByRole('button', { name: 'People 1' }).waitFor()
    network.cut()
    await createMessage(host, id, 'Into the silence')
    await page.waitForFunction(() => performance.now() > 3_000)
    const notice = page.getByText('Connection lost. Reconnecting…')
    expect(await notice.count()).toBe(0)
    const sign = performance.now()
    await page.evaluate(() => dispatchEvent(new Event('focus')))
    await notice.waitFor({ timeout: 20_000 })
    expect(performance.now() - sign).toBeLessThan(15_000)
    expect(await texts(page)).toEqual([])
    network.restore()
    await lines(page).getByText('Into the silence').waitFor()
    await notice.waitFor({ state: 'detached' })
    expect(await texts(page)).toEqual(['Into the silence'])
  } finally {
    await page.context().close()
    network.close()
  }
}, 90_000)

test('R18.7e: missed events that cannot be read leave the page marked as not connected', async () => {
  const id = await newRoom()
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  await page.getByRole('button', { name: 'People 1' }).waitFor()
  const notice = page.getByText('Connection lost. Reconnecting…')
  await page.route('**/events?*', (route) => route.abort())
  await page.context().setOffline(true)
  await notice.waitFor()
  await createMessage(host, id, 'Missed')
  const refused = page.waitForEvent('requestfailed', (request) => request.url().includes('/events?'))
  await page.context().setOffline(false)
  await refused
  expect(await notice.isVisible()).toBe(true)
  await page.unroute('**/events?*')
  await lines(page).getByText('Missed').waitFor()
  await notice.waitFor({ state: 'detached' })
  await page.context().close()
}, 60_000)
