import { type Page, chromium } from 'playwright-core'

const executablePath =
  process.env['LATCHKEY_TEST_CHROMIUM_SHELL'] || process.env['LATCHKEY_TEST_CHROMIUM'] || ''
const WITHIN_MS = 60_000

/**
 * A URL is opened, a **name** clicked or, followed by `text`, filled in, a `Key` pressed, and a
 * "text" awaited.
 */
const WORD =
  /(?<url>http:\/\/localhost:[\w/:]+)|\*\*(?<name>.+?)\*\*(?: `(?<text>.+?)`)?|press `(?<key>\w+)`|"(?<seen>.+?)"/g

/** Follows a list of steps in a browser. Skipped without a browser, which `npm test` reports. */
export async function clickThrough(line: number, list: string): Promise<void> {
  if (executablePath === '') return
  const args = ['--no-sandbox', '--disable-gpu', '--no-first-run']
  const browser = await chromium.launch({ executablePath, args })
  try {
    const page = await browser.newPage({ locale: 'en-GB' })
    page.setDefaultTimeout(WITHIN_MS)
    for (const { 0: word, groups = {} } of list.matchAll(WORD))
      await act(page, groups).catch((error: unknown) => {
        const message = error instanceof Error ? error.message : String(error)
        throw new Error(`line ${line}: ${word} cannot be done: ${message}`, { cause: error })
      })
  } finally {
    await browser.close()
  }
}

async function act(page: Page, { url, name = '', text, key, seen }: Record<string, string | undefined>) {
  if (url !== undefined) await page.goto(url)
  else if (seen !== undefined) await page.getByText(seen).first().waitFor()
  else if (key !== undefined) await page.keyboard.press(key)
  else if (text !== undefined) await page.getByRole('textbox', { name, exact: true }).fill(text)
  else await page.getByRole('button', { name }).or(page.getByRole('link', { name })).first().click()
}
