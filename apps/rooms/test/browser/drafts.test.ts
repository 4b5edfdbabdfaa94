import { expect, test } from 'bun:test'
import { expectAccessible, screenshot } from '@latchkey/web/testing/browser'
import { createRoom } from '../actions.ts'
import { ALICE } from '../provider/hostile.ts'
import { isRefusal, roomPages } from './browser.ts'

const pages = roomPages()

test('R43.5f: what one begins to write is in one’s other browser, marked in the navigation, and ends once it is sent', async () => {
  const { id } = await createRoom(await pages.signIn(ALICE), { name: 'Quay' })
  const desk = await pages.openAs(ALICE, `/rooms/${id}`)
  const phone = await pages.openAs(ALICE, `/rooms/${id}`)
  const field = ({ page }: typeof desk) => page.getByRole('textbox', { name: 'Message Quay' })
  for (const each of [desk, phone]) await each.page.getByText('This is the start of').waitFor()
  await field(desk).fill('Half a thought')
  await phone.page.waitForFunction(() => document.querySelector('textarea')?.value === 'Half a thought')
  await phone.page.goto(new URL('/', phone.page.url()).href)
  await phone.page.getByRole('img', { name: 'Draft' }).waitFor()
  await expectAccessible(phone.page)
  await screenshot(phone.page, 'draft-in-navigation')
  // A new browser finds it, before any notice.
  const laptop = await pages.openAs(ALICE, `/rooms/${id}`)
  await laptop.page.waitForFunction(() => document.querySelector('textarea')?.value === 'Half a thought')
  await field(laptop).press('Enter')
  await laptop.page.locator('.message-text', { hasText: 'Half a thought' }).waitFor()
  await desk.page.waitForFunction(() => document.querySelector('textarea')?.value === '')
  await phone.page.getByRole('img', { name: 'Draft' }).waitFor({ state: 'detached' })
  for (const each of [desk, phone, laptop]) expect(each.errors.filter((text) => !isRefusal(text))).toEqual([])
}, 90_000)
