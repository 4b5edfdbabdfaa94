import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import {
  expectAccessible,
  expectWithinWidth,
  keepToasts,
  pressMenuItem,
  screenshot,
} from '@latchkey/web/testing/browser'
import { type TestUser, createRoom, member } from '../actions.ts'
import { ALICE } from '../provider/hostile.ts'
import { type Live, listen } from '../realtime/live.ts'
import { enter } from '../voice/call.ts'
import { BOB, ROOT, isRefusal, roomPages } from './browser.ts'

const pages = roomPages()

let helper: TestUser
let live: Live
beforeAll(async () => {
  live = listen(pages.service().rooms)
  await pages.signIn(ROOT)
  helper = await member(pages.service(), 'Hedda Helper')
}, 60_000)

afterAll(() => live.stop())

/** A person in the room of this path, without a page. */
async function present(path: string, nickname: string): Promise<void> {
  await enter(live, await member(pages.service(), nickname), path.slice('/rooms/'.length))
}

/** A room of Alice's, with Alice in it. */
async function aliceInHerRoom(name: string) {
  const path = `/rooms/${(await createRoom(await pages.signIn(ALICE), { name })).id}`
  const opened = await pages.openAs(ALICE, path)
  await opened.page.getByRole('heading', { name, level: 1 }).waitFor()
  return { ...opened, path }
}

const manage = async (page: Page, part: string) => {
  await page.getByRole('button', { name: 'Manage' }).click()
  await page.getByRole('tab', { name: part }).click()
  return page.getByRole('dialog', { name: 'Manage room' })
}

test('a member becomes a moderator, removes a participant with a reason, and readmits them, with the keyboard alone', async () => {
  const alice = await aliceInHerRoom('Moderated')
  const bob = await pages.openAs(BOB, alice.path)
  const { page } = alice
  await page.getByRole('button', { name: 'People 2' }).waitFor()
  const people = page.getByRole('complementary', { name: 'People' })
  await people.getByRole('button', { name: 'Actions for Bob Berg' }).press('Enter')
  await page.getByRole('menuitem', { name: 'Ban' }).waitFor()
  await expectAccessible(page)
  await screenshot(page, 'manage-person-menu')
  await pressMenuItem(page, 'Make Moderator')
  await people.getByRole('listitem').filter({ hasText: 'Bob Berg' }).getByText('Moderator').waitFor()
  await bob.page.getByRole('button', { name: 'Manage' }).waitFor()
  // Moderators have no settings and no actions on the owner.
  await bob.page.getByRole('button', { name: 'Manage' }).click()
  await bob.page.getByRole('tab').first().waitFor()
  expect(await bob.page.getByRole('tab').allInnerTexts()).toEqual([
    'Members',
    'Invitations',
    'Banned and removed',
  ])
  await bob.page.getByRole('tabpanel').getByText('Alice Andersson').waitFor()
  expect(await bob.page.getByRole('button', { name: /^Actions for/ }).count()).toBe(0)
  await people.getByRole('button', { name: 'Actions for Bob Berg' }).press('Enter')
  await pressMenuItem(page, 'Remove')
  const dialog = page.getByRole('dialog', { name: 'Remove Bob Berg?' })
  await dialog.getByRole('textbox', { name: 'Keep out for (minutes)' }).fill('30')
  await dialog.getByRole('textbox', { name: /^Reason/ }).fill('Too loud')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Remove' }).press('Enter')
  await bob.page.getByRole('alert').getByText('You were removed from this room').waitFor()
  await dialog.waitFor({ state: 'detached' })
  const bans = await manage(page, 'Banned and removed')
  await bans.getByText('Too loud').waitFor()
  await expectAccessible(page)
  await bans.getByRole('button', { name: 'Unban Bob Berg' }).press('Enter')
  await bans.getByText('No one is banned').waitFor()
  await bans.getByRole('group', { name: 'Banned and removed' }).and(page.locator(':focus')).waitFor()
  await bob.page.reload()
  await bob.page.getByRole('button', { name: 'People 2' }).waitFor()
  await page.keyboard.press('Escape')
  await people.getByRole('button', { name: 'Actions for Bob Berg' }).press('Enter')
  await pressMenuItem(page, 'Ban')
  const ban = page.getByRole('dialog', { name: 'Ban Bob Berg?' })
  await ban.getByRole('textbox', { name: /^Reason/ }).fill('Gone already')
  await bob.page.getByRole('link', { name: 'Browse rooms', exact: true }).click()
  await page.locator('.room-tool').getByText('1', { exact: true }).waitFor({ timeout: 20_000 })
  await screenshot(page, 'manage-ban-of-someone-gone')
  // The dialog stays open when its user has left.
  await ban.getByRole('button', { name: 'Ban' }).press('Enter')
  await ban.waitFor({ state: 'detached' })
  await (await manage(page, 'Banned and removed')).getByText('Gone already').waitFor()
  for (const each of [alice, bob]) {
    expect(each.errors.filter((text) => !isRefusal(text))).toEqual([])
    await each.page.context().close()
  }
}, 90_000)

test('toasts do not cover the message field, on a phone or on a wide screen', async () => {
  const { page, path } = await aliceInHerRoom('Pocket')
  await present(path, 'Pia Present')
  await page.setViewportSize({ width: 390, height: 700 })
  await keepToasts(page)
  await page.getByRole('button', { name: 'More' }).press('Enter')
  await page.getByRole('button', { name: 'People 2' }).press('Enter')
  await page.getByRole('button', { name: 'Actions for Pia Present' }).press('Enter')
  await pressMenuItem(page, 'Make Moderator')
  const notification = page.getByRole('status').getByText('Pia Present is now Moderator')
  await notification.waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('complementary').waitFor({ state: 'detached' })
  await screenshot(page, 'manage-told-390')
  for (const width of [390, 1024, 1440]) {
    await page.setViewportSize({ width, height: 700 })
    const field = await page.getByRole('textbox', { name: /^Message / }).boundingBox()
    const toast = await page.locator('.mantine-Notification-root').boundingBox()
    expect([width, (toast?.y ?? 700) + (toast?.height ?? 0) < (field?.y ?? 0)]).toEqual([width, true])
  }
}, 60_000)

test('after a dialog about a user, focus returns to where it was, or to the list if the user has left it', async () => {
  const { page, path } = await aliceInHerRoom('Questions')
  await present(path, 'Pia Present')
  await page.getByRole('button', { name: 'People 2' }).waitFor()
  const people = page.getByRole('complementary', { name: 'People' })
  const actions = people.getByRole('button', { name: 'Actions for Pia Present' })
  const remove = page.getByRole('dialog', { name: 'Remove Pia Present?' })
  const ask = async () => {
    await actions.press('Enter')
    await pressMenuItem(page, 'Remove')
    await remove.locator('[data-autofocus]:focus').waitFor()
  }
  await ask()
  await page.keyboard.press('Escape')
  await remove.waitFor({ state: 'detached' })
  // Escape closes only the dialog.
  await actions.and(page.locator(':focus')).waitFor()
  await ask()
  await remove.getByRole('button', { name: 'Remove' }).press('Enter')
  await remove.waitFor({ state: 'detached' })
  await page.getByRole('list', { name: 'People' }).and(page.locator(':focus')).waitFor()
  await expectAccessible(page)
  await screenshot(page, 'manage-removed-focus')
}, 60_000)

test('users are invited by name and by a link that is shown once, copied, and revoked', async () => {
  const { page } = await aliceInHerRoom('Inviting')
  const part = await manage(page, 'Invitations')
  await part.getByText('No open invitations').waitFor()
  await part.getByRole('textbox', { name: 'Max uses' }).fill('3')
  await part.getByRole('button', { name: 'Create link' }).click()
  const link = part.getByRole('textbox', { name: 'Link', exact: true })
  await link.waitFor()
  const url = await link.inputValue()
  expect(url).toStartWith(pages.at('/invite/'))
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await part.getByRole('button', { name: `Copy ${url}` }).click()
  await page.waitForFunction((text) => navigator.clipboard.readText().then((copied) => copied === text), url)
  await part.getByText('0 of 3 uses').waitFor()
  // A person comes first. Their role has a default.
  expect(await part.getByRole('combobox', { name: 'Role' }).count()).toBe(1)
  await part.getByRole('searchbox', { name: 'Search people' }).fill('hedda')
  await part.getByRole('combobox', { name: 'Role' }).nth(1).waitFor()
  await part.getByRole('button', { name: 'Invite Hedda Helper' }).click()
  await part.getByRole('button', { name: 'Revoke: Hedda Helper, Listener' }).waitFor()
  await expectAccessible(page)
  await screenshot(page, 'manage-invitations')
  await part.getByRole('button', { name: 'Revoke: Invitation link, Listener' }).press('Enter')
  await page.getByText('Invitation revoked').waitFor()
  await part.getByRole('group', { name: 'Open invitations' }).and(page.locator(':focus')).waitFor()
  const preview = await fetch(url.replace('/invite/', '/api/room-invitations/'))
  expect(preview.status).toBe(404)
  const { invitations } = await helper.browser.json<{ invitations: { roomName: string }[] }>(
    '/api/room-invitations/pending',
  )
  expect(invitations.map(({ roomName }) => roomName)).toEqual(['Inviting'])
}, 90_000)

test('R43.2b: the start of a room and its list of people lead only those who may invite to the invitations', async () => {
  const { page, path } = await aliceInHerRoom('New team')
  const start = page.locator('.conversation-start')
  for (const place of [start, page.getByRole('complementary', { name: 'People' })]) {
    await place.getByRole('button', { name: 'Invite someone' }).press('Enter')
    await page.getByRole('tab', { name: 'Invitations', selected: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await place.getByRole('button', { name: 'Invite someone' }).and(page.locator(':focus')).waitFor()
  }
  const bob = await pages.openAs(BOB, path)
  await bob.page.locator('.conversation-start').waitFor()
  expect(await bob.page.getByRole('button', { name: 'Invite someone' }).count()).toBe(0)
}, 60_000)

test('a role is explained where it is chosen and to the user who was invited', async () => {
  const { page } = await aliceInHerRoom('Roles')
  const part = await manage(page, 'Settings')
  const helpOf = (name: string) =>
    part.getByRole('combobox', { name }).evaluate((field) =>
      (field.getAttribute('aria-describedby') ?? '')
        .split(' ')
        .map((id) => document.querySelector(`#${CSS.escape(id)}`)?.textContent)
        .join(' '),
    )
  const listens = 'Can post; can’t talk in calls.'
  expect(await helpOf('Default role')).toBe(listens)
  await part.getByRole('tab', { name: 'Invitations' }).click()
  await part.getByRole('combobox', { name: 'Role' }).click()
  await page.getByRole('option', { name: 'Moderator' }).click()
  const moderates = 'Can also delete messages, invite and remove people, and change their roles.'
  await part.getByText(moderates).waitFor()
  await part.getByRole('searchbox', { name: 'Search people' }).fill('hedda')
  await part.getByText(listens).waitFor()
  await expectAccessible(page)
  await screenshot(page, 'manage-roles')
  await part.getByRole('button', { name: 'Create link' }).click()
  const url = await part.getByRole('textbox', { name: 'Link', exact: true }).inputValue()
  const bob = await pages.openAs(BOB, new URL(url).pathname)
  await bob.page.getByText(moderates).waitFor()
  await expectAccessible(bob.page)
  await screenshot(bob.page, 'invitation-role')
}, 60_000)

test('changed settings reach all participants at once, and a room is deleted only after its name is typed', async () => {
  const alice = await aliceInHerRoom('Old name')
  const bob = await pages.openAs(BOB, alice.path)
  await bob.page.getByRole('heading', { name: 'Old name', level: 1 }).waitFor()
  const part = await manage(alice.page, 'Settings')
  const sent: unknown[] = []
  alice.page.on('request', (request) => request.method() === 'PATCH' && sent.push(request.postDataJSON()))
  expect(await part.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
  await part.getByRole('textbox', { name: 'Name' }).fill('New name')
  await part.getByRole('button', { name: 'Save' }).click()
  await alice.page.getByText('Settings saved').waitFor()
  await bob.page.getByRole('heading', { name: 'New name', level: 1 }).waitFor()
  await part.getByRole('radio', { name: 'Private' }).press('Space')
  await part.getByRole('button', { name: 'Save' }).click()
  await bob.page.getByRole('alert').getByText('You no longer have access to this room').waitFor()
  // A change by another user is not undone by fields that were not edited here.
  expect(sent).toEqual([{ name: 'New name' }, { visibility: 'private' }])
  await part.getByRole('button', { name: 'Delete room' }).click()
  const dialog = alice.page.getByRole('dialog', { name: 'Delete this room?' })
  const sure = dialog.getByRole('button', { name: 'Delete room' })
  expect(await sure.isDisabled()).toBe(true)
  await dialog.getByRole('textbox').fill('New name')
  await expectAccessible(alice.page)
  await sure.click()
  await alice.page.getByRole('alert').getByText('This room was deleted').waitFor()
}, 90_000)

test('Escape keeps edited settings until they are saved or discarded', async () => {
  const { page } = await aliceInHerRoom('Kept')
  const part = await manage(page, 'Settings')
  const name = part.getByRole('textbox', { name: 'Name' })
  await name.fill('Renamed')
  await part.getByRole('switch', { name: 'Allow guests' }).press('Space')
  await part.getByRole('tab', { name: 'Members' }).click()
  await part.getByText('Alice Andersson').waitFor()
  await page.keyboard.press('Escape')
  await part.waitFor({ state: 'detached' })
  await manage(page, 'Settings')
  expect(await name.inputValue()).toBe('Renamed')
  expect(await part.getByRole('switch', { name: 'Allow guests' }).isChecked()).toBe(false)
  expect(await part.getByRole('button', { name: 'Save' }).isEnabled()).toBe(true)
  await expectAccessible(page)
  await screenshot(page, 'manage-unsaved')
  await part.getByRole('button', { name: 'Discard changes' }).press('Enter')
  expect(await name.inputValue()).toBe('Kept')
  expect(await name.evaluate((field) => field === document.activeElement)).toBe(true)
  expect(await part.getByRole('switch', { name: 'Allow guests' }).isChecked()).toBe(true)
  expect(await part.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
  await name.fill('Renamed')
  await part.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Settings saved').waitFor()
  await part.getByRole('button', { name: 'Discard changes' }).waitFor({ state: 'detached' })
  await page.getByRole('heading', { name: 'Renamed', level: 1 }).waitFor()
}, 60_000)

test('a room is transferred to a member, and a member who leaves loses the role', async () => {
  const alice = await aliceInHerRoom('Handed over')
  const bob = await pages.openAs(BOB, alice.path)
  await alice.page.getByRole('button', { name: 'People 2' }).waitFor()
  const roomId = alice.path.slice('/rooms/'.length)
  await alice.page.evaluate(
    async ({ id, userId }) => {
      const token = /latchkey_csrf=([^;]+)/.exec(document.cookie)?.[1] ?? ''
      await fetch(`/api/rooms/${id}/members/${userId}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', 'x-csrf-token': token },
        body: '{"role":"speaker"}',
      })
    },
    { id: roomId, userId: await pages.idOf('Bob Berg') },
  )
  const part = await manage(alice.page, 'Members')
  await part.getByRole('button', { name: 'Actions for Bob Berg' }).click()
  await alice.page.getByRole('menuitem', { name: 'Transfer ownership' }).click()
  await alice.page
    .getByRole('dialog', { name: /^Transfer ownership to/ })
    .getByRole('button', { name: 'Transfer ownership' })
    .click()
  await alice.page.getByText('Ownership offered to Bob Berg').waitFor()
  await bob.page.getByRole('link', { name: 'Browse rooms', exact: true }).click()
  await bob.page.getByRole('button', { name: /^Accept: Alice Andersson wants/ }).click()
  await bob.page.getByRole('status').getByText('You now own Handed over').waitFor()
  await alice.page.keyboard.press('Escape')
  await alice.page.getByRole('button', { name: 'Leave room' }).click()
  await alice.page.getByRole('heading', { name: 'Browse rooms', level: 1 }).waitFor()
  await alice.page.getByText('You left Handed over').waitFor()
  // The time to undo it ends with the page.
  await alice.page.goto(pages.at(`/rooms/${roomId}`))
  await alice.page.getByRole('button', { name: 'Join room' }).waitFor()
}, 90_000)

for (const [language, scheme, width] of [
  ['en', 'dark', 1280],
  ['sv', 'light', 390],
  ['id', 'dark', 320],
] as const)
  test(`every section of the room’s management is accessible and fits, ${language}, ${scheme} at ${width} px`, async () => {
    const room = await createRoom(helper, { name: 'N'.repeat(64) })
    const { page, errors } = await pages.openAs(ROOT, `/rooms/${room.id}`, {
      scheme,
      width,
      locale: language,
    })
    if (width < 768) await page.locator('.room-more-button').click()
    await page.locator('.room button:has(.tabler-icon-settings)').click()
    const tabs = page.getByRole('tab')
    await tabs.first().waitFor()
    expect(await tabs.count()).toBe(4)
    for (const tab of await tabs.all()) {
      await tab.click()
      await page.getByRole('tabpanel').waitFor()
      await page.waitForFunction(() => !document.querySelector('[role=dialog] .mantine-Loader-root'))
      if (language !== 'id') await expectAccessible(page)
      await expectWithinWidth(page)
      await screenshot(page, `manage-${language}-${width}-${await tab.innerText()}`)
    }
    expect(errors.filter((text) => !isRefusal(text))).toEqual([])
  }, 60_000)

test('a private room is not shown as open to guests, and the setting returns when the room is public again', async () => {
  const { page } = await aliceInHerRoom('Closed')
  const part = await manage(page, 'Settings')
  const guests = part.getByRole('switch', { name: 'Allow guests' })
  await part.getByRole('radio', { name: 'Private' }).press('Space')
  await part.getByText('Guests can’t join private rooms').waitFor()
  expect([await guests.isChecked(), await guests.isDisabled()]).toEqual([false, true])
  await expectAccessible(page)
  await screenshot(page, 'manage-private')
  await part.getByRole('radio', { name: 'Unlisted' }).press('Space')
  expect([await guests.isChecked(), await guests.isDisabled()]).toEqual([true, false])
  expect(await part.getByText('Guests can’t join private rooms').count()).toBe(0)
}, 60_000)

test('an administrator with an old sign-in is sent to a new one and back, wherever the room refuses the action', async () => {
  const { clock } = pages.service()
  const { id } = await createRoom(helper, { name: 'Somebody else', visibility: 'private' })
  const path = `/rooms/${id}`
  const { page } = await pages.openAs(ROOT, path)
  await page.getByRole('button', { name: 'Manage' }).waitFor()
  clock.ms += 43_200_001
  const again = page.getByRole('link', { name: 'Sign in again and return here' })
  const dialog = await manage(page, 'Invitations')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  await again.waitFor()
  await expectAccessible(page)
  // Entering is refused too, and the page says so in place of the conversation.
  await page.reload()
  await page.getByRole('alert').getByText('This needs a recent sign-in. Sign in again.').waitFor()
  await expectAccessible(page)
  pages.service().idp.person = ROOT
  await again.click()
  await page.getByRole('button', { name: 'Manage' }).waitFor()
  pages.service().idp.person = ALICE
  expect(new URL(page.url()).pathname).toBe(path)
  expect(await again.count()).toBe(0)
}, 60_000)
