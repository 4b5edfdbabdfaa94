import { describe, expect, test } from 'bun:test'
import { chromium } from 'playwright-core'
import { CHROMIUM, FLAGS, nextVisit, signOutOnPage } from './browser.ts'
import { documentedJson, documentedSettings } from './documented.ts'
import { ALICE, GLEWLWYD, type Registration, startGlewlwyd } from './glewlwyd.ts'
import { Person } from './person.ts'
import { ask, pair, proveLogins, proveLogouts, proveSilence, signIn, readUser } from './proofs.ts'

describe.skipIf(GLEWLWYD === undefined)('Glewlwyd, set up as documented', () => {
  const up = pair({
    provider: (rooms) =>
      startGlewlwyd((login) => {
        const addresses = { 'https://rooms.example.com': rooms, 'https://login.example.com': login }
        const registration: Record<keyof Registration, unknown> = {
          plugin: documentedJson('oidc.md', 'module', addresses),
          clientProperties: documentedJson('oidc.md', 'post_logout_redirect_uris', addresses),
          client: documentedJson('oidc.md', 'client_id', addresses),
        }
        return registration as unknown as Registration
      }),
    settings: (addresses) => documentedSettings('oidc.md', addresses, '# Glewlwyd'),
  })
  // First, before Alice has agreed to anything.
  test.skipIf(!CHROMIUM)('its own pages in Chromium sign in and out again', async () => {
    const browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: FLAGS })
    try {
      const page = await browser.newPage()
      await page.goto(`${up.origin}/api/auth/login?returnTo=%2Faccount`)
      await page.locator('#username').fill(ALICE.username)
      await page.locator('#password').fill(ALICE.password)
      await page.keyboard.press('Enter')
      for (const scope of ['profile', 'email']) await page.getByLabel(scope).check()
      await page.getByRole('button', { name: 'Grant access' }).click()
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.waitForURL(`${up.origin}/account`)
      const { status, logoutUrl = '' } = await signOutOnPage(page, '')
      expect(status).toBe(200)
      await page.goto(logoutUrl)
      const back = nextVisit(page, up.origin)
      await page.getByRole('button', { name: 'Logout' }).click()
      expect(new URL(await back).pathname).toBe('/')
    } finally {
      await browser.close()
    }
  })
  proveLogins(up)

  test('a user who does not share the name is not signed in, and is shown that something is missing', async () => {
    const person = new Person()
    const page = await up.provider.refuse(person, await ask(up, person))
    expect(page.url.href).toBe(`${up.origin}/login?error=identity_incomplete&returnTo=%2Frooms%2Fharbour`)
    expect(person.cookies('localhost').has('latchkey_session')).toBe(false)
    expect(await readUser(up, person)).toBeUndefined()
  })
  proveLogouts(up)

  test('its own logout button sends no logout token, so the session here stays', async () => {
    const person = await signIn(up)
    expect((await person.call(up.provider.origin, '/api/auth/', { method: 'DELETE' })).status).toBe(200)
    expect((await ask(up, person)).url.origin).toBe(up.provider.origin)
    expect(await readUser(up, person)).toBeDefined()
  })
  proveSilence(up)
})
