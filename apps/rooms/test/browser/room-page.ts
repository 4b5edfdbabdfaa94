import type { Page } from 'playwright-core'
import { isRefusal } from './browser.ts'

export const field = (page: Page) => page.getByRole('textbox', { name: /^Message / })
export const send = async (page: Page, content: string) => {
  await field(page).fill(content)
  await field(page).press('Enter')
}
export const lines = (page: Page) => page.locator('.messages li.message')
export const texts = async (page: Page) => page.locator('li.message .message-text').allInnerTexts()
export const isLost = (text: string) => isRefusal(text) || /ERR_CONNECTION|WebSocket/.test(text)
