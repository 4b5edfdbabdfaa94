import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import {
  expectAccessible,
  expectAccessibleViews,
  expectWithinWidth,
  screenshot,
} from '@latchkey/web/testing/browser'
import { ALICE, type Person } from '../provider/hostile.ts'
import { until } from '../realtime/redis.ts'
import { type TestUser, createRoom, member } from '../rooms/rooms.ts'
import { BOB, LOOKS, ROOT, isRefusal, roomPages } from './browser.ts'

const pages = roomPages()
const CAROL: Person = { sub: 'carol', name: 'Carol Claesson' }

let host: TestUser
beforeAll(async () => {
  await pages.signIn(ROOT)
  host = await member(pages.service(), 'Hanna Host')
}, 60_000)

const newRoom = async (settings: Record<string, unknown> = {}) => (await createRoom(host, settings)).id
const createMessage = (id: string, content: string) =>
  host.browser.json(`/api/rooms/${id}/messages`, { body: { content } }, 201)
const field = (page: Page) => page.getByRole('textbox', { name: /^Message to/ })
const send = async (page: Page, content: string) => {
  await field(page).fill(content)
  await field(page).press('Enter')
}
const lines = (page: Page) => page.locator('.messages li.message')
const texts = async (page: Page) => page.locator('li.message .said').allInnerTexts()
const isLost = (text: string) => isRefusal(text) || /ERR_CONNECTION|WebSocket/.test(text)

test('R23.3 two people talk: each sees the other come, type, say and go, and what is said is read out', async () => {
  const id = await newRoom({ name: 'Corner' })
  const alice = await pages.openAs(ALICE, `/rooms/${id}`)
  await alice.page.getByRole('heading', { name: 'Corner', level: 1 }).waitFor()
  await alice.page.getByText('Nothing has been said yet').waitFor()
  const lobby = alice.page.getByRole('link', { name: 'Rooms', exact: true })
  expect(await lobby.getAttribute('aria-current')).toBe('page')
  await alice.page.getByRole('button', { name: 'People (1)' }).waitFor()
  const bob = await pages.openAs(BOB, `/rooms/${id}`)
  await alice.page.getByRole('button', { name: 'People (2)' }).waitFor()
  await alice.page.locator('[aria-live=polite]').getByText('Bob Berg came in').waitFor()
  await field(bob.page).pressSequentially('Hello')
  await alice.page.getByText('Bob Berg is typing').waitFor()
  await field(bob.page).press('Shift+Enter')
  await field(bob.page).pressSequentially('there https://example.com/a?b=1.')
  await field(bob.page).press('Enter')
  expect(await field(bob.page).inputValue()).toBe('')
  await lines(alice.page).getByText('Hello').waitFor()
  await alice.page.getByText('Bob Berg is typing').waitFor({ state: 'detached' })
  await alice.page.locator('[aria-live=polite]').getByText('Bob Berg: Hello').waitFor()
  const link = lines(alice.page).getByRole('link', { name: 'https://example.com/a?b=1', exact: true })
  expect(await link.getAttribute('rel')).toContain('noopener')
  expect(await texts(alice.page)).toEqual(await texts(bob.page))
  await field(alice.page).fill('<b>Hi</b>')
  await alice.page.getByRole('button', { name: 'Send', exact: true }).click()
  await lines(bob.page).getByText('<b>Hi</b>').waitFor()
  expect(await lines(bob.page).count()).toBe(2)
  expect(await lines(alice.page).count()).toBe(2)
  await bob.page.getByRole('button', { name: 'Leave' }).click()
  await bob.page.getByRole('heading', { name: 'Rooms', level: 1 }).waitFor()
  await alice.page.locator('[aria-live=polite]').getByText('Bob Berg left').waitFor({ timeout: 20_000 })
  await alice.page.getByRole('button', { name: 'People (1)' }).waitFor()
  expect([...alice.errors, ...bob.errors].filter((text) => !isRefusal(text))).toEqual([])
}, 90_000)

test('history is read page by page without losing one’s place, and new messages wait with a mark while nobody looks', async () => {
  const id = await newRoom()
  for (let index = 1; index <= 120; index++) await createMessage(id, `Message number ${index}`)
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  await lines(page).getByText('Message number 120', { exact: true }).waitFor()
  expect(await lines(page).count()).toBe(50)
  await page.route('**/messages?cursor=*', (route) => route.abort(), { times: 1 })
  await page.getByRole('button', { name: 'Show older messages' }).click()
  await page.getByRole('button', { name: 'Try again' }).click()
  await lines(page).getByText('Message number 21', { exact: true }).waitFor()
  const place = lines(page).getByText('Message number 71', { exact: true })
  expect(await place.isVisible()).toBe(true)
  const top = (await place.boundingBox())?.y ?? -1
  expect(top).toBeGreaterThan(0)
  await createMessage(id, 'While you were reading')
  await lines(page).getByText('While you were reading').waitFor()
  await page.getByText('New', { exact: true }).waitFor()
  expect(await page.title()).toStartWith('(1) ')
  expect(Math.abs(((await place.boundingBox())?.y ?? -1) - top)).toBeLessThan(3)
  await page.getByRole('region', { name: 'Messages' }).evaluate((list) => list.scrollTo(0, list.scrollHeight))
  await page.waitForFunction(() => !document.title.startsWith('('))
  await page.getByRole('region', { name: 'Messages' }).evaluate((list) => list.scrollTo(0, 0))
  await page.getByRole('button', { name: 'Show older messages' }).click()
  await page.getByText('This is the beginning of what you can read here.').waitFor()
  expect(await texts(page)).toEqual([
    ...Array.from({ length: 120 }, (_, index) => `Message number ${index + 1}`),
    'While you were reading',
  ])
}, 90_000)

test('what one person says in a row stands below their name once, and a listener still hears whose it is', async () => {
  const id = await newRoom()
  await createMessage(id, 'One')
  await createMessage(id, 'Two')
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  await lines(page).getByText('Two', { exact: true }).waitFor()
  await send(page, 'Three')
  // It is stored when it has a time.
  await lines(page)
    .filter({ has: page.locator('time'), hasText: 'Three' })
    .waitFor()
  pages.service().clock.ms += 6 * 60_000
  await createMessage(id, 'Four')
  await createMessage(id, 'Five')
  pages.service().clock.ms += 6 * 60_000
  await createMessage(id, 'Six')
  await lines(page).getByText('Six', { exact: true }).waitFor()
  // Five goes on from Four; Six comes too late for that.
  const named = lines(page).filter({ has: page.locator('time') })
  expect(await named.locator('.said').allInnerTexts()).toEqual(['One', 'Three', 'Four', 'Six'])
  for (const text of ['Two', 'Five'])
    expect(await lines(page).filter({ hasText: text }).innerText()).toContain('Hanna Host')
  const left = async (text: string) => (await page.locator('.said', { hasText: text }).boundingBox())?.x
  expect(await left('Two')).toBe(await left('One'))
}, 60_000)

test('whoever has erased their account is called a deleted one, and what is written from the right stands there', async () => {
  const id = await newRoom()
  await createMessage(id, 'مرحبا بالعالم.')
  const gone = await member(pages.service(), 'Gone Gustavsson')
  await gone.browser.json(`/api/rooms/${id}/messages`, { body: { content: 'Farewell' } }, 201)
  await gone.browser.json('/api/account', { method: 'DELETE', body: { confirm: true } })
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  const farewell = lines(page).filter({ hasText: 'Farewell' })
  await farewell.getByText(/^Deleted account #/).waitFor()
  expect(await page.getByText('Gone Gustavsson').count()).toBe(0)
  const direction = (text: string) =>
    page.locator('.said', { hasText: text }).evaluate((said) => getComputedStyle(said).direction)
  expect([await direction('مرحبا'), await direction('Farewell')]).toEqual(['rtl', 'ltr'])
}, 60_000)

/** Of how many elements at most the browser worked the style out at one time, until a message was shown. */
async function mostStyledAtOnce(page: Page, sayOne: () => Promise<unknown>): Promise<number> {
  const browser = page.context().browser()
  const before = (await texts(page)).at(-1)
  await browser?.startTracing(page, { categories: ['-*', 'devtools.timeline'] })
  await sayOne()
  await page.waitForFunction(
    (old) => [...document.querySelectorAll('li.message .said')].at(-1)?.textContent !== old,
    before,
  )
  const trace = JSON.parse(String(await browser?.stopTracing())) as {
    traceEvents: { name: string; args: { elementCount?: number } }[]
  }
  const counts = trace.traceEvents.flatMap(({ name, args }) =>
    name === 'UpdateLayoutTree' ? (args.elementCount ?? 0) : [],
  )
  return Math.max(...counts)
}

test('a room that is open for long keeps a bounded number of messages, and older ones can be read again', async () => {
  const id = await newRoom()
  await createMessage(id, 'Message number 0')
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  await lines(page).getByText('Message number 0', { exact: true }).waitFor()
  for (let index = 1; index <= 520; index++) await createMessage(id, `Message number ${index}`)
  await lines(page).getByText('Message number 520', { exact: true }).waitFor()
  const first = Number(((await texts(page))[0] ?? '').slice('Message number '.length))
  expect(first).toBeGreaterThan(200)
  expect(await mostStyledAtOnce(page, () => createMessage(id, 'Message number 521'))).toBeLessThan(100)
  await page.getByRole('region', { name: 'Messages' }).evaluate((list) => list.scrollTo(0, 0))
  await page.getByRole('button', { name: 'Show older messages' }).click()
  await lines(page)
    .getByText(`Message number ${first - 1}`, { exact: true })
    .waitFor()
  const shown = await texts(page)
  expect(shown).toEqual(shown.map((_, index) => `Message number ${521 - shown.length + 1 + index}`))
}, 90_000)

test('the newest message stays in sight when the window becomes smaller, as by a keyboard on the screen', async () => {
  const id = await newRoom()
  for (let index = 1; index <= 40; index++) await createMessage(id, `Message number ${index}`)
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`, { width: 390, height: 800 })
  await lines(page).getByText('Message number 40').waitFor()
  await page.setViewportSize({ width: 390, height: 520 })
  await page.waitForFunction(() => {
    const list = document.querySelector('.messages')?.getBoundingClientRect()
    const last = document.querySelector('.messages li:last-child')?.getBoundingClientRect()
    return list !== undefined && last !== undefined && list.height < 400 && last.bottom <= list.bottom + 1
  })
}, 60_000)

test('R18.8 whoever the server has asked for half a minute of peace is not offered to try at once', async () => {
  const { page } = await pages.openAs(ALICE, '/', { width: 390 })
  await page.routeWebSocket('**/api/ws', (socket) => void socket.close({ code: 4429 }))
  await page.reload()
  await page.getByRole('status').getByText('Connection lost. Trying again.').waitFor()
  expect(await page.getByRole('button', { name: 'Try now' }).count()).toBe(0)
  await screenshot(page, 'connection-resting')
}, 60_000)

test('R18.5 after a lost connection everything that was missed is there once and in order, and it was shown', async () => {
  const id = await newRoom()
  await createMessage(id, 'Before')
  const { page, errors } = await pages.openAs(ALICE, `/rooms/${id}`)
  await lines(page).getByText('Before').waitFor()
  await page.getByRole('button', { name: 'People (1)' }).waitFor()
  await pages.whileDown(page, async () => {
    await expectAccessible(page)
    await screenshot(page, 'room-connection-lost')
    for (let index = 1; index <= 5; index++) await createMessage(id, `Missed ${index}`)
    await send(page, 'Said into the void')
    await page.getByText('Not sent').waitFor()
    expect(await texts(page)).toEqual(['Before'])
    await page.getByRole('button', { name: 'Try now' }).click()
  })
  await lines(page).getByText('Said into the void').waitFor()
  await page.getByText('Not sent').waitFor({ state: 'detached' })
  // All of it is read out, though it came at once.
  const readOut = page.locator('[aria-live=polite] p')
  await readOut.getByText('Missed 5').waitFor({ state: 'attached' })
  expect(await readOut.allInnerTexts()).toEqual([1, 2, 3, 4, 5].map((index) => `Hanna Host: Missed ${index}`))
  await page.getByText('Sending').waitFor({ state: 'detached' })
  await createMessage(id, 'After')
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

test('what is said while a service is started again keeps the order in which it was written, for everybody', async () => {
  const id = await newRoom()
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  const bob = await pages.openAs(BOB, `/rooms/${id}`)
  await page.getByRole('button', { name: 'People (2)' }).waitFor()
  await send(page, 'Before')
  await lines(bob.page).getByText('Before').waitFor()
  // The service answers again before the page has a connection again.
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
    await page.getByRole('alert').getByText('Void 1').waitFor()
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
  expect(await page.getByText('Not sent').count()).toBe(0)
  await page.evaluate(() => dispatchEvent(new Event('let-in')))
  await over
  await send(page, 'After')
  await lines(bob.page).getByText('After').waitFor()
  for (const each of [page, bob.page]) {
    expect(await texts(each)).toEqual(['Before', 'Void 1', 'Void 2', 'After'])
    await each.context().close()
  }
}, 60_000)

test('a message that alone was lost is sent again by itself, before what was said after it', async () => {
  const id = await newRoom()
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`, { width: 390, height: 700 })
  await page.getByText('Nothing has been said yet').waitFor()
  await page.route('**/messages', (route) => route.abort(), { times: 2 })
  await send(page, 'First')
  await page.getByRole('alert').getByText('First').waitFor()
  await screenshot(page, 'room-one-unsent-390')
  await send(page, 'Second')
  await lines(page).getByText('Second', { exact: true }).waitFor()
  await page.getByText('Sending').waitFor({ state: 'detached' })
  await page.getByText('Not sent').waitFor({ state: 'detached' })
  expect(await texts(page)).toEqual(['First', 'Second'])
}, 60_000)

test('a message whose answer never comes holds up what is said after it for no longer than its limit, and is there once', async () => {
  const id = await newRoom()
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  await page.getByText('Nothing has been said yet').waitFor()
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
  expect(await page.getByText('Not sent').count()).toBe(0)
  await page.evaluate(() => dispatchEvent(new Event('too-late')))
  await lines(page).getByText('Second', { exact: true }).waitFor()
  await page.getByText('Sending').waitFor({ state: 'detached' })
  await page.getByText('Not sent').waitFor({ state: 'detached' })
  expect(await texts(page)).toEqual(['First', 'Second'])
}, 60_000)

test('what was said while the network was away is sent once it is back, also where the connection outlived that', async () => {
  const id = await newRoom()
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  await page.getByRole('button', { name: 'People (1)' }).waitFor()
  await page.context().setOffline(true)
  await send(page, 'Said in a tunnel')
  await page.getByRole('alert').getByText('Not sent').waitFor()
  await page.context().setOffline(false)
  await lines(page).getByText('Said in a tunnel').waitFor()
  await page.getByText('Not sent').waitFor({ state: 'detached' })
  expect(await texts(page)).toEqual(['Said in a tunnel'])
}, 60_000)

test('however much could not be sent, the field to write in stays in sight', async () => {
  const id = await newRoom()
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`, { width: 390, height: 700 })
  await page.getByText('Nothing has been said yet').waitFor()
  await page.route('**/messages', (route) => route.abort())
  for (const text of ['One', 'Two', 'Three', 'Four']) {
    await send(page, text)
    await page.getByRole('alert').getByText(text, { exact: true }).waitFor()
  }
  const { y = 0, height = 0 } = (await field(page).boundingBox()) ?? {}
  expect(y + height).toBeLessThan(700)
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(700)
  await expectAccessible(page)
  await expectWithinWidth(page)
  await screenshot(page, 'room-much-unsent-390')
}, 60_000)

test('what could not be sent survives a reload and a new sign-in, is stored once, and can be taken back', async () => {
  const id = await newRoom()
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  await page.getByText('Nothing has been said yet').waitFor()
  await page.route('**/messages', (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  )
  await send(page, 'Important')
  await page.getByRole('alert').getByText('Not sent').waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  expect(await field(page).inputValue()).toBe('Important')
  await field(page).press('End')
  await page.keyboard.type(' indeed')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('Not sent').waitFor()
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

/** As when somebody has signed in in another tab. */
const takeSession = async (page: Page, cookies: Awaited<ReturnType<typeof sessionOf>>) => {
  await page.context().clearCookies()
  await page.context().addCookies(cookies)
}

test('a tab that was cut off while somebody else signed in sends nothing as them, and shows nothing of the one before', async () => {
  const id = await newRoom()
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  await page.getByText('Nothing has been said yet').waitFor()
  const bobs = await sessionOf(BOB)
  const sent: string[] = []
  page.on('request', (request) => request.method() === 'POST' && sent.push(request.postData() ?? ''))
  await pages.whileDown(page, async () => {
    await send(page, 'Of Alice alone')
    await page.getByRole('alert').getByText('Not sent').waitFor()
    await field(page).fill('Half a thought')
    await takeSession(page, bobs)
    sent.length = 0
  })
  await page.getByRole('link', { name: 'Account of Bob Berg' }).waitFor()
  await page.getByText('Nothing has been said yet').waitFor()
  expect(await field(page).inputValue()).toBe('')
  expect(await page.getByText('Of Alice alone').count()).toBe(0)
  expect(await page.getByRole('link', { name: /^Account of Alice/ }).count()).toBe(0)
  expect([sent, await texts(page)]).toEqual([[], []])
  // What was not sent waits for whose it is.
  await page.goto(pages.at(`/api/auth/login?prompt=login&returnTo=/rooms/${id}`))
  await lines(page).getByText('Of Alice alone').waitFor()
  expect(await field(page).inputValue()).toBe('Half a thought')
}, 60_000)

test('a tab that has not noticed that somebody else signed in sends nothing as them, and is theirs from then on', async () => {
  const id = await newRoom()
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  await page.getByText('Nothing has been said yet').waitFor()
  await takeSession(page, await sessionOf(BOB))
  await send(page, 'Of Alice alone')
  await page.getByRole('link', { name: 'Account of Bob Berg' }).waitFor()
  await page.getByText('Nothing has been said yet').waitFor()
  expect([await texts(page), await field(page).inputValue()]).toEqual([[], ''])
  await send(page, 'Of Bob')
  await lines(page).getByText('Of Bob').waitFor()
  expect(await texts(page)).toEqual(['Of Bob'])
}, 60_000)

test('a tab goes on when the same person has signed in anew in another one', async () => {
  const id = await newRoom()
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  await page.getByText('Nothing has been said yet').waitFor()
  await takeSession(page, await sessionOf(ALICE))
  await send(page, 'Still Alice')
  await lines(page).getByText('Still Alice').waitFor()
  expect([await texts(page), await field(page).inputValue()]).toEqual([['Still Alice'], ''])
  expect(await page.getByText('Not sent').count()).toBe(0)
}, 60_000)

test('the Enter by which an input method takes a suggestion sends nothing, in Safari neither', async () => {
  const id = await newRoom()
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  await page.getByText('Nothing has been said yet').waitFor()
  await field(page).fill('にほんご')
  await field(page).dispatchEvent('keydown', { key: 'Enter', keyCode: 229, isComposing: false })
  await field(page).dispatchEvent('keydown', { key: 'Enter', isComposing: true })
  expect(await field(page).inputValue()).toBe('にほんご')
  await field(page).press('Enter')
  await lines(page).getByText('にほんご').waitFor()
  expect(await texts(page)).toEqual(['にほんご'])
}, 60_000)

test('a message of which nothing can be seen is not sent, and nobody is told that it is typed', async () => {
  const id = await newRoom()
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  await page.getByText('Nothing has been said yet').waitFor()
  const bob = await pages.openAs(BOB, `/rooms/${id}`)
  await page.getByRole('button', { name: 'People (2)' }).waitFor()
  const sent: string[] = []
  page.on('request', (request) => request.method() === 'POST' && sent.push(request.postData() ?? ''))
  for (const blank of [' \n ', '\u200b\u200b', '\u3164', '\u2800']) {
    await send(page, blank)
    expect(await field(page).inputValue()).toBe(blank)
  }
  expect(await bob.page.getByText('is typing').count()).toBe(0)
  await send(page, 'Something')
  await lines(bob.page).getByText('Something').waitFor()
  expect(sent.map((body) => (JSON.parse(body) as { content: string }).content)).toEqual(['Something'])
  expect(await texts(bob.page)).toEqual(['Something'])
}, 60_000)

test('a message is deleted with the keyboard, after a question, for everybody, and only by who may', async () => {
  const id = await newRoom()
  const alice = await pages.openAs(ALICE, `/rooms/${id}`)
  const bob = await pages.openAs(BOB, `/rooms/${id}`)
  await bob.page.getByRole('button', { name: 'People (2)' }).waitFor()
  await send(alice.page, 'Regretted')
  await lines(bob.page).getByText('Regretted').waitFor()
  expect(await bob.page.getByRole('button', { name: /^Delete the message/ }).count()).toBe(0)
  await alice.page.getByRole('button', { name: /^Delete the message of Alice Andersson/ }).press('Enter')
  const dialog = alice.page.getByRole('dialog', { name: 'Delete this message?' })
  await dialog.getByText('Regretted').waitFor()
  await expectAccessible(alice.page)
  await alice.page.keyboard.press('Tab')
  await alice.page.keyboard.press('Enter')
  // It repeats what is to be deleted until it is gone.
  await dialog.waitFor({ state: 'hidden' })
  for (const { page } of [alice, bob]) {
    await page.getByText('This message was deleted').waitFor()
    expect(await page.getByText('Regretted').count()).toBe(0)
    await page.context().close()
  }
}, 60_000)

for (const [words, act, title] of [
  [
    'kicked',
    (id: string, userId: string) =>
      host.browser.json(`/api/rooms/${id}/members/${userId}/remove`, { body: { action: 'kick' } }),
    'You were removed from this room',
  ],
  [
    'banned',
    (id: string, userId: string) =>
      host.browser.json(`/api/rooms/${id}/members/${userId}/remove`, { body: { action: 'ban' } }),
    'You are banned from this room',
  ],
  [
    'left without the room',
    (id: string) => host.browser.json(`/api/rooms/${id}`, { method: 'DELETE' }),
    'This room has been deleted',
  ],
] as const)
  test(`R28.5 whoever is ${words} is told so, and is not brought back`, async () => {
    const id = await newRoom()
    const { page } = await pages.openAs(CAROL, `/rooms/${id}`)
    await page.getByRole('button', { name: 'People (1)' }).waitFor()
    const { user } = await page.evaluate(
      async () => (await fetch('/api/session')).json() as Promise<{ user: { id: string } }>,
    )
    await act(id, user.id)
    await page.getByRole('alert').getByText(title).waitFor()
    await expectAccessible(page)
    await screenshot(page, `room-${words.replaceAll(' ', '-')}`)
    await page.reload()
    const after =
      words === 'kicked' ? 'You were removed from this room. Try again later.' : /banned|no such room/
    await page.getByRole('main').getByText(after).first().waitFor()
    expect(await field(page).count()).toBe(0)
  }, 60_000)

test('a guest is marked for everybody, leads nobody to other sites in the first five minutes, and is sent to the login where guests may not be', async () => {
  const id = await newRoom({ name: 'Guests welcome' })
  const guest = await pages.open(`/rooms/${id}`)
  await guest.page.getByRole('textbox', { name: 'Nickname' }).fill('Gustav')
  await guest.page.keyboard.press('Enter')
  await guest.page.getByText('Nothing has been said yet').waitFor()
  await send(guest.page, 'See https://example.com/')
  const { page } = await pages.openAs(BOB, `/rooms/${id}`)
  const line = lines(page).filter({ hasText: 'https://example.com/' })
  await line.getByText('Guest', { exact: true }).waitFor()
  expect(await line.getByRole('link').count()).toBe(0)
  // After a while as a guest they may; what was written before is as it was.
  pages.service().clock.ms += 5 * 60_000
  await send(guest.page, 'See https://example.com/later')
  await lines(page).getByRole('link', { name: 'https://example.com/later' }).waitFor()
  await page.reload()
  await lines(page).getByRole('link', { name: 'https://example.com/later' }).waitFor()
  expect(await lines(page).getByRole('link').count()).toBe(1)
  await host.browser.json(`/api/rooms/${id}/settings`, { method: 'PATCH', body: { allowGuests: false } })
  await guest.page.getByRole('alert').getByText('You may not be in this room any more').waitFor()
  await guest.page.reload()
  await guest.page.getByText('This room does not admit guests. Sign in to enter.').waitFor()
  await guest.page.getByRole('main').getByRole('link', { name: 'Sign in' }).click()
  await guest.page.getByRole('link', { name: 'Sign in with Test provider' }).click()
  await guest.page.getByRole('heading', { name: 'Guests welcome', level: 1 }).waitFor()
}, 60_000)

test('whoever leaves in one tab is out in the other too, and comes in again there by a button, and to what was said since', async () => {
  const id = await newRoom()
  const { page } = await pages.openAs(BOB, `/rooms/${id}`)
  await page.getByRole('button', { name: 'People (1)' }).waitFor()
  await page.evaluate(async (room) => {
    const token = /latchkey_csrf=([^;]+)/.exec(document.cookie)?.[1] ?? ''
    await fetch(`/api/rooms/${room}/leave`, { method: 'DELETE', headers: { 'x-csrf-token': token } })
  }, id)
  await page.getByRole('alert').getByText('You have left this room').waitFor()
  await createMessage(id, 'Meanwhile')
  await page.getByRole('button', { name: 'Enter again' }).click()
  await page.getByRole('button', { name: 'People (1)' }).waitFor()
  await lines(page).getByText('Meanwhile').waitFor()
  await page.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('heading', { name: 'Rooms', level: 1 }).waitFor()
  const leases = () =>
    pages
      .service()
      .rooms.database.read.selectFrom('presence_leases')
      .selectAll()
      .where('room_id', '=', id)
      .execute()
  await until(async () => (await leases()).length === 0)
}, 60_000)

test('R23.6 a private room that one does not belong to is not found, by its link too', async () => {
  const id = await newRoom({ name: 'Secret', visibility: 'private' })
  const { page } = await pages.openAs(BOB, `/rooms/${id}`)
  await page.getByRole('heading', { name: 'There is no such room', level: 1 }).waitFor()
  expect(await page.getByText('Secret').count()).toBe(0)
}, 60_000)

for (const [locale, widths] of LOOKS)
  test(`a room is accessible and fits, ${locale}`, async () => {
    const id = await newRoom({ name: 'N'.repeat(64) })
    await createMessage(id, 'Short')
    await createMessage(id, `${'Long words '.repeat(20)}${'x'.repeat(300)}`)
    const long = { sub: 'long', name: 'W'.repeat(60) }
    const { page, errors } = await pages.openAs(long, `/rooms/${id}`, { locale, width: widths[0] })
    await lines(page).getByText('Short').waitFor()
    await page.locator('textarea:not([aria-hidden])').fill('y'.repeat(2010))
    await expectAccessibleViews(page, `room-${locale}`, widths)
    await page.getByRole('button', { name: /\(1\)$/ }).click()
    await page.getByRole('dialog').getByRole('listitem').waitFor()
    await expectAccessibleViews(page, `people-${locale}`, widths)
    expect(errors.filter((text) => !isRefusal(text))).toEqual([])
  }, 90_000)
