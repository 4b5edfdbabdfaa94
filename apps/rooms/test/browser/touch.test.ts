import { expect, test } from 'bun:test'
import {
  expectAccessible,
  expectFingerSized,
  expectWithinWidth,
  screenshot,
} from '@latchkey/web/testing/browser'
import { createRoom, member } from '../actions.ts'
import { ROOT, roomPages } from './browser.ts'

const pages = roomPages()

test('on every page a tap reaches the control that it touches and no other', async () => {
  const view = { width: 390, height: 1400, touch: true }
  const { page } = await pages.openAs(ROOT, '/', view)
  const host = await member(pages.service(), 'Hanna Host')
  const { id } = await createRoom(host, { name: 'Garden' })
  await page.goto(pages.at(`/rooms/${id}`))
  const field = page.getByRole('textbox', { name: /^Message / })
  // Messages can be sent once the room is entered.
  await page.getByText(/^This is the start of /).waitFor()
  for (const text of ['First', 'Second', 'Third']) {
    await field.fill(text)
    await page.getByRole('button', { name: 'Send' }).tap()
    await page.locator('.messages').getByText(text).waitFor()
  }
  for (const path of [
    `/rooms/${id}`,
    '/',
    '/account',
    '/admin',
    '/admin?part=settings',
    '/admin?part=audit',
  ]) {
    await page.goto(pages.at(path))
    await page.locator('h1').waitFor()
    await page.waitForFunction(
      () => !document.querySelector('main .mantine-Loader-root, main .mantine-Skeleton-root'),
    )
    if (path.includes(id)) await page.getByText('Third').waitFor()
    await screenshot(page, `rooms-touch${path.replaceAll(/\W/g, '-').slice(0, 20)}`)
    await expectWithinWidth(page)
    await expectFingerSized(page)
    if (!path.includes(id)) continue
    const { x = 0, y = 0 } = (await page.getByText('Second').boundingBox()) ?? {}
    const touch = await page.context().newCDPSession(page)
    const at = [{ x: x + 10, y: y + 5 }]
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at })
    const sheet = page.getByRole('dialog', { name: 'Message from Root' })
    await sheet.waitFor()
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
    await screenshot(page, 'rooms-touch-sheet')
    // At the lower edge, not over the whole screen.
    expect((await sheet.boundingBox())?.y).toBeGreaterThan(400)
    await expectAccessible(page)
    const heights = await sheet
      .locator('.sheet-item')
      .evaluateAll((items) => items.map((item) => item.getBoundingClientRect().height))
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(44)
    await sheet.getByRole('button', { name: 'Reply' }).tap()
    await page.getByText('Replying to Root').waitFor()
    await expectFingerSized(page)
    await field.fill('Reply')
    await page.getByRole('button', { name: 'Send' }).tap()
    await page.locator('.quotation').waitFor()
    await screenshot(page, 'rooms-touch-reply')
    await expectFingerSized(page)
  }
  expect(
    await page.locator('.account-button').evaluate((button) => button.getBoundingClientRect().height),
  ).toBe(44)
}, 60_000)
