import { expect, test } from 'bun:test'
import { expectAccessible, keepToasts, screenshot } from '@latchkey/web/testing/browser'
import { post, readLink, recordClicks, waitFor } from '../actions.ts'
import { answerToast } from './browser.ts'
import { chooseSlugAction, openLinkPages, waitForLinkPage } from './link-page.ts'

const { admin, linkIds, create, open } = openLinkPages()

test('a slug is added, made primary and removed with the keyboard alone', async () => {
  const id = await create('keyed', {})
  const { page } = await open('keyed')
  const press = (...keys: string[]) =>
    keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve())
  await page.getByRole('button', { name: 'Actions for this link' }).focus()
  await press('Enter')
  await page.getByRole('menuitem', { name: 'Add slug' }).waitFor()
  await press('ArrowDown')
  await page.getByRole('menuitem', { name: 'Add slug' }).focus()
  await press('Enter')
  const field = page.getByRole('textbox', { name: 'New slug' })
  await field.waitFor()
  await page.locator('[role=dialog] input:focus').waitFor()
  await page.keyboard.type('Spring-Sale')
  await press('Enter')
  await page.getByText('This slug is already taken.').waitFor()
  await expectAccessible(page)
  expect(await field.inputValue()).toBe('Spring-Sale')
  await field.fill('keyed-one')
  await press('Enter')
  await field.waitFor({ state: 'detached' })
  await page.locator('[aria-label="Actions for this link"]:focus').waitFor()
  await chooseSlugAction(page, 'keyed-one', 'Remove')
  await page.getByText('Removing keyed-one').waitFor()
  expect(await page.getByRole('button', { name: 'Actions for keyed-one' }).count()).toBe(0)
  await page.getByRole('link', { name: 'Links', exact: true }).click()
  await page.goBack()
  await waitForLinkPage(page)
  expect(await page.getByRole('button', { name: 'Actions for keyed-one' }).count()).toBe(0)
  // Leaving the page early executes the removal.
  await page.goto(admin.at('/keys'))
  await waitFor(
    () => readLink(admin, id),
    ({ slugs }) => slugs.length === 1,
  )
}, 60_000)

test('a slug with clicks is kept with the reason, and a dialog offers to disable it or to type its name', async () => {
  const id = linkIds['sale']
  const { page } = await open('sale')
  await keepToasts(page)
  await chooseSlugAction(page, 'flyer', 'Remove')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('flyer has clicks').waitFor()
  await dialog.getByText(/also deletes its 150 clicks/).waitFor()
  await screenshot(page, 'link-blocked')
  await expectAccessible(page)
  const force = dialog.getByRole('button', { name: 'Remove with clicks' })
  expect(await force.isDisabled()).toBeTrue()
  await dialog.getByRole('textbox').fill('flyers')
  expect(await force.isDisabled()).toBeTrue()
  await dialog.getByRole('textbox').fill('flyer')
  await force.click()
  await page.getByText('Removing flyer').waitFor()
  await answerToast(page, 'Undo')
  await page.getByRole('button', { name: 'Actions for flyer' }).waitFor()
  await chooseSlugAction(page, 'flyer', 'Remove')
  await page.getByRole('button', { name: 'Disable instead' }).click()
  const link = await waitFor(
    () => readLink(admin, id),
    ({ slugs }) => slugs.some((s) => s.slug === 'flyer' && s.disabled_at !== null),
  )
  expect(link.slugs).toHaveLength(6)
}, 60_000)

test('L18.4: if filters hide the clicks that prevent a removal, the dialog states so', async () => {
  const { page } = await open('sale')
  await keepToasts(page)
  await chooseSlugAction(page, 'bots-only', 'Remove')
  await page.getByText('Removing bots-only').waitFor()
  await page.locator('.mantine-Notification-root').getByRole('button', { name: 'Close' }).click()
  await page.getByText('bots-only wasn’t removed because it has clicks.').waitFor()
  await page.getByRole('button', { name: 'Actions for bots-only' }).waitFor()
  await page.getByRole('button', { name: 'View options' }).click()
  await page
    .getByRole('dialog')
    .getByText(/Your settings hide these clicks/)
    .waitFor()
  await screenshot(page, 'link-blocked-hidden')
}, 60_000)

test('a click during the time to undo a removal is reported as a click, not as a hidden one', async () => {
  const id = await create('tardy', {})
  await post(admin, `/links/${id}/slugs`, { slug: 'tardy' })
  const { page } = await open('tardy')
  await keepToasts(page)
  await chooseSlugAction(page, 'tardy', 'Remove')
  await page.getByText('Removing tardy').waitFor()
  const clickedAt = Math.floor(Date.now() / 1000) - 1
  await recordClicks(admin.databaseUrl, [{ slug: 'tardy', linkId: id, clickedAt }])
  await page.locator('.mantine-Notification-root').getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'View options' }).click()
  await page.getByRole('dialog').getByText('1 click').waitFor()
}, 60_000)
