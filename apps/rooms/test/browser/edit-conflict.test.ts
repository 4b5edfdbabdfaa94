import { expect, test } from 'bun:test'
import { expectAccessible, screenshot } from '@latchkey/web/testing/browser'
import { createMessage, createRoom, editMessage } from '../actions.ts'
import { ALICE } from '../provider/hostile.ts'
import { roomPages } from './browser.ts'
import { field, lines, openMessageMenu, texts } from './room-page.ts'

const pages = roomPages()

test('R29.2: a browser whose clock is days ahead or behind offers to edit what the server lets one edit', async () => {
  const alice = await pages.signIn(ALICE)
  const { id } = await createRoom(alice)
  await createMessage(alice, id, 'Old')
  pages.service().clock.ms += 25 * 60 * 60_000
  await createMessage(alice, id, 'Recent')
  for (const days of [-3, 3]) {
    const { page } = await pages.openAs(ALICE, '/account', { own: true })
    await page.addInitScript((ms) => {
      const { now } = Date
      Date.now = () => now() + ms
    }, days * 86_400_000)
    await page.goto(pages.at(`/rooms/${id}`))
    for (const [text, count] of [
      ['Recent', 1],
      ['Old', 0],
    ] as const) {
      await openMessageMenu(page, text)
      const edit = page.getByRole('menuitem', { name: 'Edit', exact: true })
      expect([days, text, await edit.count()]).toEqual([days, text, count])
      await page.keyboard.press('Escape')
      await page.getByRole('menu').waitFor({ state: 'detached' })
    }
    await page.context().close()
  }
  pages.service().clock.ms -= 25 * 60 * 60_000
}, 60_000)

test('R29.2a: of two tabs that edit one message, the second is shown the newer text and chooses', async () => {
  const alice = await pages.signIn(ALICE)
  const { id } = await createRoom(alice)
  const message = await createMessage(alice, id, 'First')
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  await lines(page).getByText('First').waitFor()
  const editor = page.getByRole('textbox', { name: 'Edit the message' })
  const newer = page.getByRole('alert').filter({ hasText: 'This message was edited elsewhere.' })

  await field(page).press('ArrowUp')
  await editor.fill('Mine')
  expect((await editMessage(alice, id, message.id, 'Of the other tab')).status).toBe(200)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await newer.getByText('Of the other tab').waitFor()
  expect(await editor.inputValue()).toBe('Mine')
  await expectAccessible(page)
  await screenshot(page, 'message-edit-conflict')
  await page.getByRole('button', { name: 'Save mine instead' }).click()
  await editor.waitFor({ state: 'detached' })
  expect(await texts(page)).toEqual([expect.stringContaining('Mine')])

  await field(page).press('ArrowUp')
  await editor.fill('Mine again')
  expect((await editMessage(alice, id, message.id, 'Newest')).status).toBe(200)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await newer.getByText('Newest').waitFor()
  await page.getByRole('button', { name: 'Keep the newer version' }).click()
  await editor.waitFor({ state: 'detached' })
  expect(await texts(page)).toEqual([expect.stringContaining('Newest')])
  await page.context().close()
}, 60_000)
