import { expect, test } from 'bun:test'
import { expectFingerSized, expectWithinWidth, screenshot } from '@latchkey/web/testing/browser'
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
  // Nothing is sent before the room is entered.
  await page.getByText(/^This is the start of /).waitFor()
  for (const text of ['First', 'Second', 'Third']) {
    await field.fill(text)
    await page.keyboard.press('Enter')
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
    await page.getByText('Second').tap()
    await page.waitForFunction(() => {
      const widths = [...document.querySelectorAll('.message-action')].map(
        ({ clientWidth }) => clientWidth > 1,
      )
      return widths.join() === 'false,true,false'
    })
    await expectFingerSized(page)
  }
  expect(await page.locator('header a').evaluate((link) => link.getBoundingClientRect().height)).toBe(44)
}, 60_000)
