import type { Page } from 'playwright-core'
import { waitForMenu } from '@latchkey/web/testing/browser'
import { isRefusal } from './browser.ts'

export const field = (page: Page) => page.getByRole('textbox', { name: /^Message / })
export const send = async (page: Page, content: string) => {
  await field(page).fill(content)
  await field(page).press('Enter')
}
export const lines = (page: Page) => page.locator('.messages li[data-message]')
export const texts = async (page: Page) => page.locator('li[data-message] .message-text').allInnerTexts()
export const isLost = (text: string) => isRefusal(text) || /ERR_CONNECTION|WebSocket/.test(text)

/** Focuses the message with this text, and then the first button of its toolbar. */
export async function openToolbar(page: Page, text: string): Promise<void> {
  const message = lines(page).filter({ hasText: text })
  await message.focus()
  await message.press('Enter')
  await message.getByRole('toolbar').locator(':focus').waitFor()
}

/** Opens the menu in the toolbar of the message with this text, and presses an item of it. */
export async function pressInMessageMenu(page: Page, text: string, item: string | RegExp): Promise<void> {
  await openMessageMenu(page, text)
  await page.getByRole('menuitem', { name: item, exact: true }).press('Enter')
}

export async function openMessageMenu(page: Page, text: string): Promise<void> {
  await openToolbar(page, text)
  await page.keyboard.press('End')
  await page.getByRole('button', { name: 'More' }).and(page.locator(':focus')).press('Enter')
  await waitForMenu(page)
}

/** Scrolls up until this text is on display. */
export async function scrollUpTo(page: Page, text: string): Promise<void> {
  const line = page.locator('.messages').getByText(text, { exact: true })
  const list = page.getByRole('region', { name: 'Messages', exact: true })
  while ((await line.count()) === 0) {
    await list.evaluate((region) => region.scrollTo(0, 0))
    await page.waitForTimeout(20)
  }
}
