import { expect, test } from 'bun:test'
import { expectAccessible, expectWithinWidth, screenshot } from '@latchkey/web/testing/browser'
import { createRoom } from '../actions.ts'
import { ALICE, claimPath } from '../provider/hostile.ts'
import { BOB, isRefusal, roomPages } from './browser.ts'

const pages = roomPages({ provider: (idp) => idp.config({ groupsPath: claimPath('groups') }) })

test('R38.3: an owner adds a group with the keyboard, whose people are then members “from group”', async () => {
  const { id } = await createRoom(await pages.signIn(ALICE), { visibility: 'private', name: 'Crew' })
  const { page, errors } = await pages.openAs(ALICE, `/rooms/${id}`)
  await page.getByText('This is the start of').waitFor()
  await page.getByRole('button', { name: 'Manage' }).click()
  const drawer = page.getByRole('dialog', { name: 'Manage room' })
  await drawer.getByRole('tab', { name: 'Settings' }).click()
  const groups = drawer.getByRole('form', { name: 'Groups' })
  await groups.getByRole('button', { name: 'Add group' }).press('Enter')
  await groups.getByRole('textbox', { name: 'Group 1', exact: true }).and(page.locator(':focus')).waitFor()
  await page.keyboard.type('staff')
  await groups.getByRole('button', { name: 'Add group' }).press('Enter')
  await groups.getByRole('textbox', { name: 'Group 2', exact: true }).and(page.locator(':focus')).waitFor()
  await page.keyboard.type('  Harbour masters of the northern and southern quays ')
  await groups.getByRole('combobox', { name: 'Role of group 2' }).click()
  await page.getByRole('option', { name: 'Moderator' }).click()
  await expectAccessible(page)
  for (const width of [1280, 320]) {
    await page.setViewportSize({ width, height: 800 })
    await groups.scrollIntoViewIfNeeded()
    await expectWithinWidth(page)
    await screenshot(page, `room-groups-${width}`)
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  await groups.getByRole('button', { name: 'Save groups' }).press('Enter')
  await page.getByRole('status').getByText('Groups saved').waitFor()
  await groups.getByRole('button', { name: 'Save groups' }).waitFor({ state: 'detached' })
  // By name, without the blanks around it.
  expect(
    await groups
      .getByRole('textbox', { name: /^Group/ })
      .evaluateAll((fields) => fields.map((field) => (field as HTMLInputElement).value)),
  ).toEqual(['Harbour masters of the northern and southern quays', 'staff'])
  const bob = await pages.openAs({ ...BOB, groups: ['staff'] }, `/rooms/${id}`)
  await bob.page.getByText('This is the start of').waitFor()
  await drawer.getByRole('tab', { name: 'Members' }).click()
  const line = drawer.getByRole('listitem').filter({ hasText: 'Bob Berg' })
  await line.getByText('From group staff').waitFor()
  await screenshot(page, 'room-groups-members')
  await expectAccessible(page)
  await bob.page.getByRole('button', { name: 'Manage' }).click()
  await bob.page.getByRole('tabpanel').getByText('Bob Berg').waitFor()
  expect(await bob.page.getByText('From group').count()).toBe(0)
  for (const each of [errors, bob.errors]) expect(each.filter((text) => !isRefusal(text))).toEqual([])
}, 90_000)
