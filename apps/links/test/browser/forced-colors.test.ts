import { expect, test } from 'bun:test'
import { screenshot } from '@latchkey/web/testing/browser'
import type { Locator, Page } from 'playwright-core'
import { openAdminPages } from './browser.ts'

const admin = openAdminPages()

async function openForced(path: string, scheme: 'light' | 'dark') {
  const { page } = await admin.open(path, { scheme })
  await page.emulateMedia({ forcedColors: 'active' })
  return page
}

const background = (part: Locator) => part.evaluate((element) => getComputedStyle(element).backgroundColor)

/** The system colour of selected elements. */
const highlight = (page: Page) =>
  page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement('i'))
    probe.style.cssText = 'background: Highlight; forced-color-adjust: none'
    const { backgroundColor } = getComputedStyle(probe)
    probe.remove()
    return backgroundColor
  })

for (const scheme of ['light', 'dark'] as const)
  test(`with forced colours, switches, choices, checkboxes and the current page are visible, ${scheme}`, async () => {
    await admin.call('POST', '/links', { url: `https://example.com/${scheme}`, label: scheme })
    const page = await openForced('/settings', scheme)
    const chosen = await highlight(page)
    const others: string[] = []
    const check = async (on: Locator, off: Locator) => {
      expect(await background(on)).toBe(chosen)
      others.push(await background(off))
    }
    const bots = page.getByRole('switch').first()
    const track = bots.locator('+ .mantine-Switch-track')
    await bots.waitFor()
    expect(await track.evaluate((element) => getComputedStyle(element).borderTopStyle)).toBe('solid')
    // The page shows the choice a moment after the click.
    const turn = async (checked: boolean) => {
      await bots.click()
      await bots.and(page.getByRole('switch', { checked })).waitFor()
      return background(track)
    }
    if (await bots.isChecked()) await turn(false)
    expect(await turn(true)).toBe(chosen)
    others.push(await turn(false))
    const theme = page.getByRole('radiogroup', { name: 'Theme' })
    await check(
      theme.locator('.mantine-SegmentedControl-label[data-active]'),
      theme.locator('.mantine-SegmentedControl-label:not([data-active])').first(),
    )
    const navigation = page.getByRole('navigation')
    await check(
      navigation.locator('[aria-current=page]'),
      navigation.getByRole('link', { name: 'Dashboard' }),
    )
    await screenshot(page, `forced-settings-${scheme}`)

    await page.goto(admin.at('/links'))
    const box = page.getByRole('checkbox', { name: `Select ${scheme}` })
    await box.check()
    await screenshot(page, `forced-links-${scheme}`)
    expect(await background(box)).toBe(chosen)
    await box.uncheck()
    others.push(await background(box))

    await page.goto(admin.at('/keys'))
    await page.getByRole('button', { name: 'Create key' }).first().click()
    const radios = page.getByRole('dialog').getByRole('radio')
    await check(radios.first(), radios.last())
    await screenshot(page, `forced-keys-${scheme}`)

    expect(others).toHaveLength(5)
    expect(others).not.toContain(chosen)
  }, 60_000)
