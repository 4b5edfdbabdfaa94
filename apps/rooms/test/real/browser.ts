import type { Page } from 'playwright-core'

/** Chromium's headless shell, which takes a third of the processor time, else Chromium, if installed. */
export const CHROMIUM =
  process.env['LATCHKEY_TEST_CHROMIUM_SHELL'] || process.env['LATCHKEY_TEST_CHROMIUM'] || undefined
export const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--ignore-certificate-errors',
]

/**
 * Signs out like the client of Rooms, with the token from the one cookie that its scripts can read.
 */
export async function signOutOnPage(
  page: Page,
  prefix: string,
): Promise<{ status: number; logoutUrl?: string }> {
  return page.evaluate(async (name) => {
    const csrf = document.cookie.split('; ').find((pair) => pair.startsWith(`${name}=`))
    const answer = await fetch('/api/auth/logout', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-csrf-token': csrf?.slice(name.length + 1) ?? '' },
      body: '{}',
    })
    return { status: answer.status, ...((await answer.json()) as object) }
  }, `${prefix}latchkey_csrf`)
}

/** The address of this origin at which the page arrives next. */
export async function nextVisit(page: Page, origin: string): Promise<string> {
  const request = await page.waitForRequest(
    (each) => each.isNavigationRequest() && each.url().startsWith(origin),
  )
  return request.url()
}
