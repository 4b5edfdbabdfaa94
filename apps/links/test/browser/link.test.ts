import { expect, test } from 'bun:test'
import {
  expectAccessible,
  expectAccessibleViews,
  keepToasts,
  screenshot,
} from '@latchkey/web/testing/browser'
import type { NewBehaviour } from '../../src/links/behaviour/schema.ts'
import { clickLink, readBehaviour, readLink, recordClicks, waitFor } from '../actions.ts'
import { answerToast } from './browser.ts'
import { HOSTILE, chooseLinkAction, chooseSlugAction, openLinkPages, waitForLinkPage } from './link-page.ts'

const { admin, linkIds, create, open } = openLinkPages()

test('the page of a link is accessible and within its width in each of its states, in light and in dark', async () => {
  const { page, errors } = await open('sale')
  for (const name of ['sale', 'foreign', 'fresh', 'off', 'over']) {
    await page.goto(admin.at(`/links/${linkIds[name]}`))
    await waitForLinkPage(page)
    await expectAccessibleViews(page, `link-${name}`, [390])
    expect([name, errors]).toEqual([name, []])
    expect(await page.locator('main img:not(.favicon, .notice-mark, .qr-thumbnail img)').count()).toBe(0)
  }
}, 120_000)

test('L18.14: what a link is stays in a wide window beside its statistics, and precedes them in a narrow one', async () => {
  const { page } = await open('sale')
  await waitForLinkPage(page)
  const rail = page.locator('.link-rail')
  const statistics = page.locator('.link-main')
  const boxOf = async (part: typeof rail) => (await part.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  await page.setViewportSize({ width: 1200, height: 800 })
  const [beside, left] = [await boxOf(rail), await boxOf(statistics)]
  expect([beside.x > left.x + left.width, beside.y === left.y]).toEqual([true, true])
  await page.getByRole('button', { name: 'Show history' }).scrollIntoViewIfNeeded()
  expect(await page.evaluate(() => scrollY)).toBeGreaterThan(0)
  const { y } = await boxOf(rail.getByRole('link', { name: '/spring-sale' }))
  expect([y > 0, y < 800]).toEqual([true, true])
  await page.setViewportSize({ width: 1199, height: 800 })
  const [above, below] = [await boxOf(rail), await boxOf(statistics)]
  expect([above.x === below.x, above.y + above.height < below.y]).toEqual([true, true])
})

test('L18: its owner edits label, URL and expiry in place; a refused value stays in its field', async () => {
  const id = await create('edited', { label: 'Before' })
  const { page, errors } = await open('edited')
  await page.getByRole('button', { name: 'Edit label' }).click()
  const label = page.getByRole('textbox', { name: 'Label' })
  await label.fill(HOSTILE)
  await label.press('Enter')
  await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor()
  await page.locator('[aria-label="Edit label"]:focus').waitFor()
  await page.getByRole('button', { name: 'Edit destination' }).click()
  const url = page.getByRole('textbox', { name: 'Destination' })
  await url.fill('javascript:alert(1)')
  await url.press('Enter')
  await page.getByText('Enter a valid http or https URL.').waitFor()
  expect([await url.inputValue(), (await readLink(admin, id)).url]).toEqual([
    'javascript:alert(1)',
    'https://example.com/edited',
  ])
  const long = `https://example.com/?${'long'.repeat(600)}`
  await url.fill(long)
  await url.press('Enter')
  await page.getByText('URLs can have at most 2,048 characters.').waitFor()
  expect([await url.inputValue(), (await readLink(admin, id)).url]).toEqual([
    long,
    'https://example.com/edited',
  ])
  await url.fill('javascript:alert(1)')
  // An event about clicks arrives during typing.
  await clickLink(admin, (await readLink(admin, id)).slugs[0]?.slug ?? '')
  await page.getByText('No clicks yet').waitFor({ state: 'detached' })
  expect(await url.inputValue()).toBe('javascript:alert(1)')
  await url.press('Escape')
  await page.getByRole('button', { name: 'Edit expiry' }).click()
  await page.getByLabel('Expires', { exact: true }).fill('2020-01-02T03:04')
  await page.getByText('This time is in the past.').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('This link has expired').waitFor()
  expect((await readLink(admin, id)).expires_at).toBe(Math.floor(new Date(2020, 0, 2, 3, 4).getTime() / 1000))
  await page.getByRole('alert').getByRole('button', { name: 'Remove expiry' }).click()
  await waitFor(
    () => readLink(admin, id),
    ({ expires_at }) => expires_at === null,
  )
  await page.getByText('This link has expired').waitFor({ state: 'detached' })
  expect(errors.filter((error) => !error.includes('400'))).toEqual([])
}, 60_000)

test('a key press of an input method neither closes the editor nor loses the text', async () => {
  await create('composed', { label: 'Before' })
  const { page } = await open('composed')
  await page.getByRole('button', { name: 'Edit label' }).click()
  const label = page.getByRole('textbox', { name: 'Label' })
  await label.fill('にほんご')
  await label.dispatchEvent('keydown', { key: 'Escape', isComposing: true })
  await label.dispatchEvent('keydown', { key: 'Escape', keyCode: 229 })
  expect(await label.inputValue()).toBe('にほんご')
  await label.dispatchEvent('keydown', { key: 'Escape' })
  await label.waitFor({ state: 'detached' })
}, 60_000)

test('a page that was open for long shows when an expiry set in the meantime passes', async () => {
  const id = await create('open', { label: 'Open' })
  const { page } = await admin.open('/links', { own: true })
  await page.clock.install()
  await page.goto(admin.at(`/links/${id}`))
  await waitForLinkPage(page)
  await page.clock.fastForward('01:00:00')
  const soon = Math.floor(Date.now() / 1000) + 3_700
  await admin.call('PATCH', `/links/${id}`, { expires_at: soon })
  await page.getByText('Never', { exact: true }).waitFor({ state: 'detached' })
  expect(await page.getByText('This link has expired').count()).toBe(0)
  await page.clock.fastForward('02:00')
  await page.getByText('This link has expired').waitFor()
}, 60_000)

test('the link of another owner offers no action that only its owner may take', async () => {
  const { page } = await open('foreign')
  await page.getByText('iPhone or iPad in Sweden').waitFor()
  await page.getByText('With a password').waitFor()
  expect(await page.getByRole('button', { name: /^Edit|rule|Split|parameters|limit/ }).count()).toBe(0)
  await page.getByRole('button', { name: 'Actions for this link' }).click()
  await page.getByRole('menuitem', { name: 'Duplicate' }).waitFor()
  expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(['Add slug', 'Duplicate'])
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: `Actions for ${'x'.repeat(128)}` }).click()
  await page.getByRole('menuitem', { name: 'QR code' }).waitFor()
  expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(['Copy short URL', 'QR code'])
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('Refused'))
  })
  await page.getByRole('menuitem', { name: 'Copy short URL' }).click()
  await page.getByRole('alert').getByText('Couldn’t copy. Your browser didn’t allow it.').waitFor()
  await screenshot(page, 'link-not-copied')
}, 60_000)

test('disabling applies at once and can be undone, for a link and for its primary slug', async () => {
  const id = await create('switched', { slug: 'switched' })
  const { page } = await open('switched')
  await keepToasts(page)
  await chooseLinkAction(page, 'Disable')
  await page.getByText('This link is disabled').waitFor()
  expect((await readLink(admin, id)).disabled_at).not.toBeNull()
  await answerToast(page, 'Undo')
  await page.getByText('This link is disabled').waitFor({ state: 'detached' })
  expect((await readLink(admin, id)).disabled_at).toBeNull()
  // An undo also works if the action completes only after the page was left.
  const left = Promise.withResolvers<undefined>()
  await page.route('**/disable', async (route) => {
    await left.promise
    await route.continue()
  })
  await chooseLinkAction(page, 'Disable')
  await page.getByRole('link', { name: 'All links' }).click()
  await page.getByRole('heading', { level: 1, name: 'Links' }).waitFor()
  left.resolve(undefined)
  await answerToast(page, 'Undo')
  await page.unroute('**/disable')
  await waitFor(
    () => readLink(admin, id),
    ({ disabled_at }) => disabled_at === null,
  )
  await page.goBack()
  await waitForLinkPage(page)
  await chooseSlugAction(page, 'switched', 'Disable')
  const off = await waitFor(
    () => readLink(admin, id),
    ({ slugs }) => slugs[1]?.disabled_at !== null,
  )
  expect(off.slugs.map(({ is_primary }) => is_primary)).toEqual([1, 0])
  await answerToast(page, 'Undo')
  await waitFor(
    () => readLink(admin, id),
    ({ slugs }) => slugs[1]?.is_primary === 1 && slugs[1].disabled_at === null,
  )
}, 60_000)

test('a link is deleted when the time to undo is over, and the page goes to the list', async () => {
  const id = await create('doomed', {})
  const { page, errors } = await open('doomed')
  await keepToasts(page)
  await chooseLinkAction(page, 'Delete')
  await page.getByRole('heading', { name: 'Deleting this link' }).waitFor()
  expect((await fetch(admin.at(`/api/links/${id}`))).status).toBe(200)
  await screenshot(page, 'link-leaving')
  // It is hidden in the list as well, until it is restored there.
  await page.getByRole('link', { name: 'Links', exact: true }).click()
  await page.getByRole('checkbox', { name: 'Select Fresh' }).waitFor()
  expect(await page.getByRole('link', { name: 'example.com/doomed' }).count()).toBe(0)
  await answerToast(page, 'Undo')
  await page.getByRole('link', { name: 'example.com/doomed' }).click()
  await chooseLinkAction(page, 'Delete')
  await page.getByRole('heading', { name: 'Deleting this link' }).waitFor()
  await answerToast(page, 'Close')
  await page.waitForURL(/\/links$/)
  expect((await fetch(admin.at(`/api/links/${id}`))).status).toBe(404)
  await admin.visit(page, `/links/${id}`)
  await page.getByText('This link doesn’t exist').waitFor()
  expect(errors.filter((error) => !error.includes('404'))).toEqual([])
}, 60_000)

const RULES: NonNullable<NewBehaviour['rules']> = [
  { when: { os: ['ios'], country: ['SE'] }, to: 'https://example.com/ios' },
  {
    when: { not_language: ['sv'] },
    to: {
      split: [
        { url: 'https://example.com/a', weight: 9 },
        { url: 'https://example.com/b', weight: 1 },
      ],
    },
  },
]

test('L26.8a, L26.8b, L26.8e, L26.8f: its owner adds, moves, removes and restores rules, and ends a split', async () => {
  const id = await create('led', {})
  const { page, errors } = await open('led')
  await keepToasts(page)
  const card = page.getByRole('region', { name: 'Where it leads' })
  const dialog = page.getByRole('dialog')
  const rules = async () => (await readBehaviour(admin, id)).rules?.map(({ to }) => to)
  await card.getByText('Everyone goes to the destination.').waitFor()
  await card.getByRole('button', { name: 'Add rule' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Choose or enter a value.').waitFor()
  await dialog.getByText('iOS', { exact: true }).click()
  await dialog.getByLabel('Add condition').selectOption('country')
  await dialog.getByLabel('Add country').selectOption('SE')
  const url = dialog.getByLabel('Destination')
  await url.fill('javascript:alert(1)')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Enter a valid http or https URL.').waitFor()
  await expectAccessible(page)
  expect(await readBehaviour(admin, id)).toEqual({})
  await url.fill('https://example.com/ios')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await card.getByText('iPhone or iPad in Sweden').waitFor()
  await card.getByText('Everyone else').waitFor()
  await page.locator('button:focus', { hasText: 'Add rule' }).waitFor()
  expect(await readBehaviour(admin, id)).toEqual({ rules: RULES.slice(0, 1) })
  await answerToast(page, 'Undo')
  await card.getByText('Everyone goes to the destination.').waitFor()
  // The page follows the changes of others.
  await admin.call('PUT', `/links/${id}/behaviour`, { rules: RULES })
  await card.getByText('90%').waitFor()
  await card.getByRole('button', { name: 'Move rule 1' }).press('Alt+ArrowDown')
  await card.getByText('Moved to position 2 of 2').waitFor({ state: 'attached' })
  await page.locator('[aria-label="Move rule 2"]:focus').waitFor()
  await waitFor(rules, (to) => to?.[1] === 'https://example.com/ios')
  await card.getByRole('button', { name: 'Move rule 2' }).dragTo(card.getByRole('listitem').first())
  await waitFor(rules, (to) => to?.[0] === 'https://example.com/ios')
  await card.getByRole('button', { name: 'Actions for rule 1' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await waitFor(rules, (to) => to?.length === 1)
  await answerToast(page, 'Undo')
  await waitFor(rules, (to) => to?.length === 2)
  await card.getByRole('button', { name: 'Actions for rule 2' }).click()
  await page.getByRole('menuitem', { name: 'Send everyone to example.com/b' }).click()
  await waitFor(rules, (to) => to?.[1] === 'https://example.com/b')
  await card.getByText('90%').waitFor({ state: 'detached' })
  await card.getByRole('button', { name: 'Test it' }).click()
  await dialog.locator('select:focus').waitFor()
  await dialog.getByText('→ https://example.com/ios. Counts as a click').waitFor()
  await dialog.getByText('Rule 1 matches: Country is Sweden').waitFor()
  await dialog.getByRole('button', { name: 'Googlebot' }).click()
  await dialog.getByText('→ https://example.com/b. Counts as a click of a bot').waitFor()
  await dialog.getByText('Rule 1 doesn’t match: System is').waitFor()
  await expectAccessible(page)
  await screenshot(page, 'link-behaviour-test')
  expect(errors.filter((error) => !error.includes('400'))).toEqual([])
}, 60_000)

test('L26.8: rules show the clicks of the range of the page', async () => {
  const id = await create('counted', { slug: 'counted' })
  await admin.call('PUT', `/links/${id}/behaviour`, { rules: RULES })
  const now = Math.floor(Date.now() / 1000)
  const click = (daysAgo: number, variant: string | null) => ({
    linkId: id,
    slug: 'counted',
    clickedAt: now - daysAgo * 86_400 - 60,
    variant,
  })
  await recordClicks(admin.databaseUrl, [click(0, '1'), click(0, null), click(60, '1'), click(60, '2.1')])
  const { page, errors } = await open('counted')
  const clicks = () => page.locator('.rule-clicks').allTextContents()
  const untilShown = (texts: string[]) => waitFor(clicks, (counts) => Bun.deepEquals(counts, texts))
  await untilShown(['1 click', '0 clicks', '0 clicks', '1 click'])
  await page.goto(admin.at(`/links/${id}?range=all`))
  await untilShown(['2 clicks', '1 click', '0 clicks', '1 click'])
  await page.goto(admin.at(`/links/${id}?range=all&variant=2.1`))
  await untilShown(['0 clicks', '1 click', '0 clicks', '0 clicks'])
  expect(errors).toEqual([])
}, 60_000)

test('L26.8d, L26.8c: a change for an older version of the link is not saved, and what was typed stays', async () => {
  const id = await create('timed', {})
  const { page } = await open('timed', '', { width: 390, scheme: 'dark' })
  await keepToasts(page)
  const card = page.getByRole('region', { name: 'When it works' })
  const dialog = page.getByRole('dialog')
  await card.getByText('Always, for everyone').waitFor()
  await card.getByRole('button', { name: 'Set start, limit or password' }).click()
  const confirm = dialog.getByRole('checkbox', { name: 'Ask visitors to press a button' })
  expect(await confirm.count()).toBe(0)
  await dialog.getByLabel('Maximum visits').fill('50')
  await confirm.check()
  await dialog.getByLabel('After it ends').fill('https://example.com/sold-out')
  await dialog.getByRole('textbox', { name: 'Password' }).fill('correct horse')
  await dialog.getByLabel('Starts').fill('2020-01-02T03:04')
  const sentence =
    /From Jan 2, 2020.* with a password, 50 visits, each confirmed with a button, then https:\/\/example.com\/sold-out/
  await dialog.getByText(sentence).waitFor()
  await admin.call('PUT', `/links/${id}/behaviour`, { rules: RULES.slice(0, 1) })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Someone else changed this link').waitFor()
  await expectAccessible(page)
  await screenshot(page, 'link-behaviour-conflict')
  expect(await readBehaviour(admin, id)).toEqual({ rules: RULES.slice(0, 1) })
  await dialog.getByRole('button', { name: 'Load the latest version' }).click()
  await dialog.getByText('Someone else changed this link').waitFor({ state: 'detached' })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await card.getByText('50 visits (50 left)').waitFor()
  expect(await readBehaviour(admin, id)).toEqual({
    rules: RULES.slice(0, 1),
    starts_at: Math.floor(new Date(2020, 0, 2, 3, 4).getTime() / 1000),
    max_clicks: 50,
    confirm_visit: true,
    clicks_left: 50,
    after_url: 'https://example.com/sold-out',
    password: true,
  })
  // A password cannot be restored.
  expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
  await card.getByRole('button', { name: 'Set start, limit or password' }).click()
  await dialog.getByText('A password is set.').waitFor()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect((await readBehaviour(admin, id)).password).toBeUndefined()
  const where = page.getByRole('region', { name: 'Where it leads' })
  await where.getByRole('button', { name: 'Split traffic' }).click()
  await dialog.getByLabel('URL 2', { exact: true }).fill('https://example.com/b')
  await dialog.getByLabel('Share of URL 1 in percent').fill('80')
  expect(await dialog.getByLabel('Share of URL 2 in percent').inputValue()).toBe('20')
  await dialog.getByRole('button', { name: 'Add URL' }).click()
  await dialog.getByLabel('URL 3', { exact: true }).fill('https://example.com/c')
  await dialog.getByLabel('Share of URL 1 in percent').fill('50')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Total: 116%. It must be 100%.').waitFor()
  await dialog.getByLabel('Share of URL 2 in percent').fill('17')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await where.getByText('17%').waitFor()
  expect((await readBehaviour(admin, id)).split?.map(({ weight }) => weight)).toEqual([50, 17, 33])
  await expectAccessible(page)
}, 60_000)

test('L26.4b, L26.3: a browser that is taken for a bot, or is asked to confirm, is redirected by pressing a button', async () => {
  using destination = Bun.serve({ port: 0, fetch: () => new Response('Arrived') })
  const url = `http://127.0.0.1:${destination.port}/arrived`
  for (const [name, behaviour] of Object.entries({
    guessed: { max_clicks: 1 },
    confirmed: { max_clicks: 1, confirm_visit: true as const },
  })) {
    const id = await create(name, { url })
    await admin.call('PUT', `/links/${id}/behaviour`, behaviour)
    const slug = (await readLink(admin, id)).slugs[0]?.slug
    const { page } = await open(name)
    const shortUrl = new URL(`/${slug}`, admin.at('/')).href
    await page.goto(shortUrl)
    if (name === 'guessed') await expectAccessible(page)
    await screenshot(page, `visitor-${name}`)
    expect(page.url()).toBe(shortUrl)
    expect((await readBehaviour(admin, id)).clicks_left).toBe(1)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Arrived').waitFor()
    expect([page.url(), (await readBehaviour(admin, id)).clicks_left]).toEqual([url, 0])
  }
}, 60_000)

test('L26.8a: destinations of the link and of a split have a builder of UTM parameters with earlier values', async () => {
  const id = await create('tagged', {})
  const { page } = await open('tagged')
  await page.getByRole('button', { name: 'Edit destination' }).click()
  const utm = page.getByRole('button', { name: 'UTM parameters', exact: true })
  expect(await utm.getAttribute('aria-expanded')).toBe('false')
  await utm.click()
  await page.getByLabel('Source', { exact: true }).fill('letter')
  const field = page.getByRole('textbox', { name: 'Destination' })
  expect(await field.inputValue()).toBe('https://example.com/tagged?utm_source=letter')
  await expectAccessible(page)
  await screenshot(page, 'link-destination-utm')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('link', { name: 'https://example.com/tagged?utm_source=letter' }).first().waitFor()
  expect((await readLink(admin, id)).url).toBe('https://example.com/tagged?utm_source=letter')

  const where = page.getByRole('region', { name: 'Where it leads' })
  await where.getByRole('button', { name: 'Split traffic' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('URL 2', { exact: true }).fill('https://example.com/b#part')
  await dialog.getByRole('button', { name: 'UTM parameters of URL 2' }).click()
  const group = dialog.getByRole('group', { name: 'UTM parameters of URL 2' })
  expect(await group.locator('datalist option').first().getAttribute('value')).toBe('letter')
  await group.getByLabel('Medium').fill('print')
  // Values of the other URLs stay closed, and as they are.
  expect(await dialog.getByRole('group', { name: 'UTM parameters of URL 1' }).count()).toBe(0)
  await expectAccessible(page)
  await screenshot(page, 'link-split-utm')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect((await readBehaviour(admin, id)).split?.map(({ url }) => url)).toEqual([
    'https://example.com/tagged?utm_source=letter',
    'https://example.com/b?utm_medium=print#part',
  ])
}, 60_000)

test('a duplicate is a link of the viewer with the same URL', async () => {
  const { page } = await open('over')
  await chooseLinkAction(page, 'Duplicate')
  await page.waitForURL((url) => !url.pathname.endsWith(`/${linkIds['over']}`))
  const copy = await readLink(admin, Number(page.url().split('/').at(-1)))
  expect(copy).toMatchObject({ url: 'https://example.com/over', label: 'Over', expires_at: null })
}, 60_000)

test('every dialog is accessible at phone width in the dark, and returns the focus', async () => {
  const { page } = await open('sale', '', { width: 390, scheme: 'dark' })
  const dialog = page.getByRole('dialog')
  const look = async (name: string, opener: string) => {
    await dialog.waitFor()
    await page.evaluate('document.fonts.ready')
    const folder = process.env['LATCHKEY_TEST_SHOTS']
    if (folder) await page.screenshot({ path: `${folder}/link-dialog-${name}.png` })
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.locator(`[aria-label="${opener}"]:focus`).waitFor()
  }
  await chooseLinkAction(page, 'Add slug')
  await look('slug', 'Actions for this link')
  await page.getByRole('button', { name: 'QR code' }).first().click()
  await dialog.getByRole('img', { name: /spring-sale/ }).waitFor()
  await look('thumbnail', 'QR code')
  await chooseLinkAction(page, 'Delete')
  await look('delete', 'Actions for this link')
  await chooseSlugAction(page, 'flyer', 'QR code')
  await dialog.getByRole('img', { name: /flyer/ }).waitFor()
  await look('qr', 'Actions for flyer')
  await page.getByRole('button', { name: 'Edit expiry' }).click()
  await expectAccessible(page)
  await screenshot(page, 'link-expiry-390')
}, 60_000)

test('a dialog focuses its first field, and returns the focus to the button that opened it', async () => {
  const { page } = await open('sale')
  const dialog = page.getByRole('dialog')
  for (const name of ['Add rule', 'QR code']) {
    const opener = page.getByRole('button', { name }).first()
    await opener.press('Enter')
    await dialog.locator('input:focus, select:focus').waitFor()
    // The focus stays in the field after the dialog has loaded.
    await page.waitForLoadState('networkidle')
    expect([name, await dialog.locator('input:focus, select:focus').count()]).toEqual([name, 1])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await opener.and(page.locator(':focus')).waitFor()
  }
}, 60_000)

test('the bundles of a link are edited where they are shown, by keyboard and with undo', async () => {
  const { page, errors } = await open('sale')
  await keepToasts(page)
  const chip = page.locator('dd').getByRole('link', { name: 'Other things' })
  const add = page.getByRole('button', { name: 'Add to bundle' })
  await add.focus()
  await page.keyboard.press('Enter')
  const search = page.getByRole('searchbox', { name: 'Choose a bundle' })
  await page.locator('[aria-label="Choose a bundle"] :focus').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Other things' }).waitFor()
  // The list leaves out the bundles that the link is in.
  expect(await page.getByRole('dialog').getByRole('button').count()).toBe(1)
  await expectAccessible(page)
  await search.fill('no such bundle')
  await page.getByText('No matching bundles').waitFor()
  await search.fill('thing oth')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await chip.waitFor()
  await page.locator('.add-to-bundle:focus').waitFor()
  await answerToast(page, 'Undo')
  await chip.waitFor({ state: 'detached' })
  await add.click()
  await page.keyboard.press('Enter')
  await chip.waitFor()
  await answerToast(page, 'Close')
  const removal = page.getByRole('button', { name: 'Remove from Other things' })
  await removal.focus()
  await page.keyboard.press('Enter')
  await chip.waitFor({ state: 'detached' })
  // The removal waits for the toast to close.
  const bundlesOf = async () =>
    (
      (await (await fetch(admin.at(`/api/links/${linkIds['sale']}/bundles`))).json()) as { name: string }[]
    ).map(({ name }) => name)
  expect(await bundlesOf()).toContain('Other things')
  await answerToast(page, 'Undo')
  await chip.waitFor()
  await removal.click()
  await answerToast(page, 'Close')
  await waitFor(bundlesOf, (names) => !names.includes('Other things'))
  expect(errors).toEqual([])
}, 60_000)

test('L41.1: the owner shares statistics by an address that is shown once, replaces it and revokes it', async () => {
  const { page } = await open('sale')
  await page.getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog', { name: 'Share analytics' })
  await dialog.getByRole('button', { name: 'Create public URL' }).click()
  const address = dialog.getByRole('textbox', { name: 'Public URL' })
  const first = await address.inputValue()
  expect(first).toMatch(/\/_\/stats\/[\w-]{32}$/)
  await expectAccessible(page)
  await screenshot(page, 'link-shared')
  const statusOf = async (url: string) => (await fetch(url)).status
  expect(await statusOf(first)).toBe(200)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Share' }).click()
  await dialog.getByText('The URL can’t be shown again').waitFor()
  expect(await address.count()).toBe(0)
  await dialog.getByRole('button', { name: 'Replace public URL' }).click()
  const second = await address.inputValue()
  expect([await statusOf(first), await statusOf(second)]).toEqual([404, 200])
  await dialog.getByRole('button', { name: 'Stop sharing' }).click()
  await dialog.getByRole('button', { name: 'Create public URL' }).waitFor()
  expect(await statusOf(second)).toBe(404)
  await page.goto(admin.at(`/links/${linkIds['foreign']}`))
  await waitForLinkPage(page)
  expect(await page.getByRole('button', { name: 'Share' }).count()).toBe(0)
}, 60_000)
