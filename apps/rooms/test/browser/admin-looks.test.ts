import { beforeAll, expect, test } from 'bun:test'
import { ALICE } from '../provider/hostile.ts'
import { expectLooks, isRefusal, roomPages } from './browser.ts'

const pages = roomPages()
const PARTS = ['people', 'rooms', 'settings', 'provider', 'audit'] as const

/**
 * An administrator, a user whose names have the greatest length and who owns a room, and a guest.
 */
beforeAll(async () => {
  const someone = () => pages.service().browser({ origin: pages.at('') })
  await someone().signIn(ALICE)
  const long = someone()
  await long.signIn({ sub: 'long', name: 'W'.repeat(60), email: `${'w'.repeat(60)}@example.com` })
  await long.json('/api/rooms', { body: { name: 'M'.repeat(64) } }, 201)
  await someone().json('/api/session', { body: { nickname: 'Gunnar' } }, 201)
})

test('R38.1e: every section of the administration is accessible and fits, in every language, and says that everyone can sign in', async () => {
  await expectLooks(async (locale, look) => {
    const { page, errors } = await pages.openAs(ALICE, '/admin', { locale })
    await page.route('**/api/admin/provider', async (route) => {
      const response = await route.fetch()
      const status = (await response.json()) as Record<string, unknown>
      await route.fulfill({ response, json: { ...status, openProvider: 'Google' } })
    })
    for (const part of PARTS) {
      await page.goto(pages.at(`/admin?part=${part}`))
      await page.getByRole('tabpanel').getByRole('heading', { level: 2 }).first().waitFor()
      await page.locator('[role=tabpanel] li, [role=tabpanel] dd').first().waitFor()
      await page.getByRole('alert').getByText('AUTH_REQUIRE').waitFor()
      await look(page, `admin-${part}`)
    }
    expect(errors.filter((text) => !isRefusal(text))).toEqual([])
  })
}, 90_000)
