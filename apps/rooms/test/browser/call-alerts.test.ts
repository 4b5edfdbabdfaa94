import { beforeAll, expect, test } from 'bun:test'
import { expectAccessible, expectWithinWidth, screenshot } from '@latchkey/web/testing/browser'
import type { Page } from 'playwright-core'
import { member, succeed } from '../actions.ts'
import { createDirect } from '../directs/actions.ts'
import { ALICE } from '../provider/hostile.ts'
import { listen } from '../realtime/live.ts'
import { MESH, enter, joinCall as joinByApi, leaveCall } from '../voice/call.ts'
import { BOB, ROOT, roomPages } from './browser.ts'
import { call, control, joinCall } from './call-page.ts'
import { field } from './room-page.ts'

const pages = roomPages({ settings: { voice: MESH } })

declare global {
  interface Window {
    /** Number of tones that the page has played. */
    tones: number
  }
}

let roomId: string
beforeAll(async () => {
  await pages.signIn(ROOT)
  const bob = await pages.signIn(BOB)
  const alice = await pages.signIn(ALICE)
  ;({ id: roomId } = await createDirect({ browser: alice.browser }, { user: { id: bob.id } }))
}, 60_000)

const alertIn = (page: Page) => page.getByRole('dialog', { name: 'Alice Andersson is calling' })

async function countTones(page: Page): Promise<void> {
  await page.evaluate(() => {
    window.tones = 0
    const Native = OscillatorNode
    window.OscillatorNode = class extends Native {
      override start(at?: number): void {
        window.tones++
        super.start(at)
      }
    }
  })
}

/** Alice in the conversation, and Bob with two tabs elsewhere. */
async function threePages() {
  const alice = await pages.openAs(ALICE, `/rooms/${roomId}`)
  await field(alice.page).waitFor()
  const bob = await pages.openAs(BOB, '/account', { width: 1440 })
  await bob.page.getByRole('heading', { level: 1 }).waitFor()
  const second = await bob.page.context().newPage()
  await second.goto(pages.at('/'))
  await second.getByRole('heading', { level: 1 }).waitFor()
  for (const page of [bob.page, second]) {
    await page.locator('h1').click()
    await countTones(page)
  }
  return { alice, bob, second }
}

test('R37.5f: a call is answered by keys from any page, sounds in one tab, and ends in all of them', async () => {
  const { alice, bob, second } = await threePages()
  const focused = bob.page.getByRole('link', { name: 'People', exact: true }).first()
  await focused.focus()
  await joinCall(alice.page)
  const callee = call(alice.page).locator('.call-callee', { hasText: 'Bob Berg' })
  await callee.getByText('Calling…').waitFor()
  await alertIn(bob.page).waitFor()
  await alertIn(second).waitFor()
  await bob.page.waitForFunction(() => document.title === 'Alice Andersson is calling')
  // What the user does goes on.
  expect(await focused.evaluate((element) => element === document.activeElement)).toBe(true)
  await Promise.race([bob.page, second].map((page) => page.waitForFunction(() => window.tones > 0)))
  const tones = await Promise.all([bob.page, second].map((page) => page.evaluate(() => window.tones)))
  expect(tones.filter((count) => count > 0)).toHaveLength(1)
  for (const [width, colorScheme] of [
    [1440, 'light'],
    [390, 'dark'],
    [320, 'light'],
  ] as const) {
    await bob.page.setViewportSize({ width, height: 844 })
    await bob.page.emulateMedia({ colorScheme })
    await expectWithinWidth(bob.page)
    if (width !== 320) await expectAccessible(bob.page)
    await screenshot(bob.page, `call-alert-${width}-${colorScheme}`)
  }
  await bob.page.keyboard.press('Control+Shift+S')
  await control(bob.page, 'Leave the call').waitFor()
  expect(new URL(bob.page.url()).pathname).toBe(`/rooms/${roomId}`)
  await alertIn(second).waitFor({ state: 'detached' })
  await alertIn(bob.page).waitFor({ state: 'detached' })
  await alice.page.locator('.call-tile[data-connection]', { hasText: 'Bob Berg' }).waitFor()
  expect(await callee.count()).toBe(0)
  expect(await second.title()).toContain('Rooms')
  for (const page of [bob.page, alice.page]) await control(page, 'Leave the call').click()
  await alice.page
    .getByText(/^Alice Andersson started a call · /)
    .first()
    .waitFor()
  expect(await alice.page.getByText('No one answered').count()).toBe(0)
  // Not even the refusal of a call that was joined before its room was entered.
  expect([...alice.errors, ...bob.errors]).toEqual([])
  for (const page of [alice.page, bob.page]) await page.context().close()
}, 60_000)

test('R37.5f, R37.5h: a declined call is over in all tabs, the caller reads who has declined, and a missed one is pointed out', async () => {
  const { alice, bob, second } = await threePages()
  await joinCall(alice.page)
  await alertIn(second).getByRole('button', { name: 'Decline' }).press('Enter')
  await alertIn(second).waitFor({ state: 'detached' })
  await alertIn(bob.page).waitFor({ state: 'detached' })
  await call(alice.page).getByText('Bob Berg declined the call.').waitFor()
  await call(alice.page).getByText('You’re the only one here.').waitFor()
  await call(alice.page).locator('.call-callee', { hasText: 'Bob Berg' }).getByText('Declined').waitFor()
  await screenshot(alice.page, 'call-declined')
  const ends = alice.page.getByText(/^Alice Andersson started a call · /)
  const count = await ends.count()
  await control(alice.page, 'Leave the call').click()
  await ends.nth(count).waitFor()
  // The next one is not answered.
  await joinCall(alice.page)
  await alertIn(bob.page).waitFor()
  await control(alice.page, 'Leave the call').click()
  await alertIn(bob.page).waitFor({ state: 'detached' })
  const missed = bob.page.getByRole('dialog', { name: 'Missed call from Alice Andersson' })
  await missed.waitFor()
  await expectAccessible(bob.page)
  await screenshot(bob.page, 'call-missed')
  await missed.getByRole('link', { name: 'Open' }).click()
  await bob.page
    .locator('.event-line', { hasText: 'No one answered the call from Alice Andersson' })
    .waitFor()
  expect(await missed.count()).toBe(0)
  await alice.page.getByText('No one answered the call from Alice Andersson').waitFor()
  // The whole call is that line.
  expect(await alice.page.locator('.event-line').last().innerText()).toStartWith('No one answered')
  expect(await ends.count()).toBe(count + 1)
  expect([...alice.errors, ...bob.errors]).toEqual([])
  for (const page of [alice.page, bob.page]) await page.context().close()
}, 60_000)

test('R37.5f: of two calls that wait, the oldest is in the title until it ends, however the other ends', async () => {
  const live = listen(pages.service().rooms)
  const bob = { user: { id: await pages.idOf('Bob Berg') } }
  const startCall = async (nickname: string) => {
    const person = await member(pages.service(), nickname)
    const { id } = await createDirect(person, bob)
    await joinByApi(await enter(live, person, id), id)
    return () => succeed(leaveCall(person, id))
  }
  const { page } = await pages.openAs(BOB, '/account')
  await page.getByRole('heading', { level: 1 }).waitFor()
  const ends = []
  for (const name of ['Olga Old', 'Yrsa Young', 'Last Lind']) {
    ends.push(await startCall(name))
    await page.getByRole('dialog', { name: `${name} is calling` }).waitFor()
    expect(await page.title()).toBe('Olga Old is calling')
  }
  const [endOldest, endSecond, endLast] = ends
  await endLast?.()
  await page.getByRole('dialog', { name: 'Missed call from Last Lind' }).waitFor()
  expect(await page.title()).toBe('Olga Old is calling')
  await endOldest?.()
  await page.waitForFunction(() => document.title === 'Yrsa Young is calling')
  await endSecond?.()
  await page.waitForFunction(() => !document.title.includes('calling'))
  await page.context().close()
  await live.stop()
}, 60_000)
