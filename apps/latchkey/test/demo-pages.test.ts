import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import axe from 'axe-core'
import { type Browser, type Page, chromium } from 'playwright-core'
import type { DemoProvider } from '../src/demo/provider.ts'
import { type Service, connect, startDemo, startService } from './demo-party.ts'

const executablePath =
  process.env['LATCHKEY_TEST_CHROMIUM_SHELL'] || process.env['LATCHKEY_TEST_CHROMIUM'] || ''

let service: Service
let demo: DemoProvider
let relyingParty: Awaited<ReturnType<typeof connect>>
let browser: Browser

beforeAll(async () => {
  if (executablePath === '') return
  service = startService()
  demo = (await startDemo(service)).demo
  relyingParty = await connect(demo.issuer, service)
  browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
  })
}, 60_000)
afterAll(async () => {
  if (executablePath === '') return
  await browser.close()
  await demo.stop()
  await service.stop()
}, 20_000)

for (const scheme of ['light', 'dark'] as const)
  describe.skipIf(executablePath === '')(
    `in a browser 320 pixels wide, in the ${scheme} colour scheme`,
    () => {
      test('Alice signs in with the keyboard only, signs in again without a prompt, and signs out', async () => {
        const { page, errors } = await newPage(scheme)
        const attempt = await relyingParty.begin()
        await page.goto(attempt.url.href)
        await look(page, `sign-in-${scheme}`)
        await page.keyboard.press('Tab')
        expect(await page.locator('button:focus').textContent()).toContain('Continue as Alice')
        await page.keyboard.press('Enter')
        await backAtService(page)
        const { userInfo, idToken } = await attempt.finish(new URL(page.url()))
        expect(userInfo.sub).toBe('demo-alice')

        const second = await relyingParty.begin()
        await page.goto(second.url.href)
        await backAtService(page)
        expect((await second.finish(new URL(page.url()))).claims.sub).toBe('demo-alice')

        service.logoutTokens.length = 0
        await page.goto(
          relyingParty.endSession({ id_token_hint: idToken, post_logout_redirect_uri: service.origin }).href,
        )
        await backAtService(page)
        expect(service.logoutTokens).toHaveLength(1)
        const third = await relyingParty.begin()
        await page.goto(third.url.href)
        expect(await page.locator('h1').textContent()).toBe('Sign in')
        expect(errors).toEqual([])
      })

      test('Bob signs in instead of Alice, and signs out with a click', async () => {
        const { page, errors } = await newPage(scheme)
        await page.goto((await relyingParty.begin()).url.href)
        await page.getByRole('button', { name: 'Continue as Alice' }).click()
        await backAtService(page)

        const attempt = await relyingParty.begin({ prompt: 'select_account' })
        await page.goto(attempt.url.href)
        await page.getByText('This browser is signed in as Alice.').waitFor()
        await look(page, `change-${scheme}`)
        await page.getByRole('button', { name: 'Continue as Bob' }).click()
        await backAtService(page)
        expect((await attempt.finish(new URL(page.url()))).claims.sub).toBe('demo-bob')

        await page.goto(relyingParty.endSession({}).href)
        await page.getByText('This browser is signed in as Bob.').waitFor()
        await look(page, `sign-out-${scheme}`)
        await page.getByRole('button', { name: 'Sign out' }).click()
        await page.getByText('This browser is signed out').waitFor()
        await look(page, `signed-out-${scheme}`)
        expect(errors).toEqual([])
      })

      test('cancelling returns to the service, and the error pages and the front page are accessible', async () => {
        const { page } = await newPage(scheme)
        await page.goto((await relyingParty.begin()).url.href)
        await page.getByRole('button', { name: 'Cancel' }).click()
        await backAtService(page)
        expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied')

        await page.goto((await relyingParty.begin({ redirect_uri: 'https://evil.example' })).url.href)
        await look(page, `refused-${scheme}`)
        await page.goto(`${demo.issuer}/interaction/unknown`)
        await look(page, `ended-${scheme}`)
        await page.goto(`${demo.issuer}/`)
        await look(page, `front-${scheme}`)
      })
    },
  )

async function newPage(colorScheme: 'light' | 'dark') {
  const context = await browser.newContext({ viewport: { width: 320, height: 640 }, colorScheme })
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  return { page, errors }
}

async function backAtService(page: Page): Promise<void> {
  await page.waitForURL((url) => url.origin === service.origin)
}

/**
 * Checks a page with axe, for overflow and for the size of its buttons, and stores a screenshot on
 * request.
 */
async function look(page: Page, name: string): Promise<void> {
  const folder = process.env['LATCHKEY_TEST_SHOTS']
  if (folder) await page.screenshot({ path: join(folder, `demo-${name}.png`), fullPage: true })
  // Evaluated by the debugger, to which the page's content security policy does not apply.
  await page.evaluate(axe.source)
  const result = await page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run()
    const { scrollWidth, clientWidth } = document.documentElement
    return {
      violations: violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
      beyond: scrollWidth - clientWidth,
      target: [...document.querySelectorAll('button')].filter((button) => button.offsetHeight < 44).length,
    }
  })
  expect(result).toEqual({ violations: [], beyond: 0, target: 0 })
}
