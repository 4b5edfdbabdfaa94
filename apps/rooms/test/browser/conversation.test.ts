import { beforeAll, expect, test } from 'bun:test'
import { expectAccessible, expectAccessibleViews, screenshot } from '@latchkey/web/testing/browser'
import {
  type TestUser,
  createMessage,
  createRoom,
  editMessage,
  makeMember,
  markRead,
  member,
  react,
  succeed,
} from '../actions.ts'
import { ALICE } from '../provider/hostile.ts'
import { until } from '../until.ts'
import { BOB, ROOT, isRefusal, roomPages } from './browser.ts'
import { field, lines, openToolbar, pressInMessageMenu, send, texts } from './room-page.ts'

const pages = roomPages()

let host: TestUser
let aliceId: string
let alice: Awaited<ReturnType<typeof pages.signIn>>['browser']
beforeAll(async () => {
  await pages.signIn(ROOT)
  host = await member(pages.service(), 'Hanna Host')
  ;({ id: aliceId, browser: alice } = await pages.signIn(ALICE))
}, 60_000)

/** A room of which Alice is a member. */
async function alicesRoom(role: 'moderator' | 'speaker' = 'speaker'): Promise<string> {
  const { id } = await createRoom(host, { name: 'Garden' })
  await makeMember(pages.service(), id, { user: { id: aliceId } }, role)
  return id
}

test('R35.2c: Arrow Up in an empty field edits the last own message, with the keyboard alone', async () => {
  const id = await alicesRoom()
  const { page, errors } = await pages.openAs(ALICE, `/rooms/${id}`)
  const bob = await pages.openAs(BOB, `/rooms/${id}`)
  await page.getByText(/^This is the start of /).waitFor()
  await send(page, 'Frist')
  await lines(page).getByText('Frist').waitFor()
  await createMessage(host, id, 'By another')
  await lines(page).getByText('By another').waitFor()
  await field(page).press('ArrowUp')
  const editor = page.getByRole('textbox', { name: 'Edit the message' })
  await editor.and(page.locator(':focus')).waitFor()
  expect(await editor.inputValue()).toBe('Frist')
  await expectAccessible(page)
  await screenshot(page, 'message-editor')
  await editor.fill('First')
  await page.keyboard.press('Enter')
  for (const each of [page, bob.page]) {
    const message = lines(each).filter({ hasText: 'First' })
    await message.getByText('(edited)').waitFor()
    expect(await each.getByText('Frist').count()).toBe(0)
  }
  // The message has the focus again. Escape leaves its text as it was.
  await lines(page).filter({ hasText: 'First' }).and(page.locator(':focus')).waitFor()
  await pressInMessageMenu(page, 'First', 'Edit')
  await editor.fill('Something else')
  await page.keyboard.press('Escape')
  await editor.waitFor({ state: 'detached' })
  expect((await texts(page))[0]).toContain('First')
  expect(errors).toEqual([])
}, 60_000)

test('R29.2: a reply quotes the message that it answers and leads to it', async () => {
  const id = await alicesRoom()
  await createMessage(host, id, 'Shall we **begin**?')
  for (let index = 1; index <= 30; index++) await createMessage(host, id, `Message number ${index}`)
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  await lines(page).getByText('Message number 30').waitFor()
  await openToolbar(page, 'Shall we begin?')
  await page.getByRole('button', { name: 'Reply', exact: true }).press('Enter')
  await page.getByText('Replying to Hanna Host').waitFor()
  await field(page).and(page.locator(':focus')).waitFor()
  await send(page, 'Yes')
  const reply = lines(page).filter({ hasText: 'Yes' })
  const quotation = reply.getByRole('button', { name: /^Reply to\s+Hanna Host/ })
  await quotation.waitFor()
  await page.getByText('Replying to').waitFor({ state: 'detached' })
  await quotation.click()
  const original = lines(page).filter({ hasText: 'Shall we begin?' }).first()
  await original.and(page.locator(':focus')).waitFor()
  await original.and(page.locator('[data-target]')).waitFor()
  await expectAccessible(page)
}, 60_000)

test('R29.2: reactions are added from the emoji, counted, named and taken back', async () => {
  const id = await alicesRoom()
  const message = await createMessage(host, id, 'Release is out')
  await succeed(react(host, id, message.id, '🎉'))
  const { page, errors } = await pages.openAs(ALICE, `/rooms/${id}`)
  const line = lines(page).filter({ hasText: 'Release is out' })
  const party = line.getByRole('button', { name: /^🎉:/ })
  await party.and(page.locator('[aria-pressed=false]')).waitFor()
  await party.click()
  await line.getByRole('button', { name: '🎉: 2 reactions', pressed: true }).waitFor()
  await party.and(page.locator('[data-tooltip*="Hanna Host"]')).waitFor()
  await party.click()
  await line.getByRole('button', { name: '🎉: 1 reaction', pressed: false }).waitFor()
  await line.hover()
  await line.getByRole('button', { name: 'Add a reaction' }).click()
  const search = page.getByRole('textbox', { name: 'Search emoji' })
  await search.and(page.locator(':focus')).waitFor()
  await expectAccessible(page)
  await search.fill('rocket')
  await screenshot(page, 'emoji-picker')
  await page.getByRole('group', { name: 'Results' }).getByRole('button', { name: 'rocket' }).click()
  await line.getByRole('button', { name: '🚀: 1 reaction', pressed: true }).waitFor()
  await line.hover()
  await line.getByRole('button', { name: 'Add a reaction' }).click()
  await search.fill('tada')
  await search.press('Enter')
  await party.and(page.locator('[aria-pressed=true]')).waitFor()
  expect(errors).toEqual([])
}, 60_000)

test('R29.2: moderators pin messages and read earlier texts, and everyone finds the pins beside the conversation', async () => {
  const id = await alicesRoom('moderator')
  const rules = await createMessage(host, id, 'House rules, first version')
  await succeed(editMessage(host, id, rules.id, 'House rules'))
  for (let index = 1; index <= 80; index++) await createMessage(host, id, `Message number ${index}`)
  const { page, errors } = await pages.openAs(ALICE, `/rooms/${id}?message=${rules.id}`)
  const bob = await pages.openAs(BOB, `/rooms/${id}`)
  await lines(page).filter({ hasText: 'House rules' }).and(page.locator(':focus')).waitFor()
  await pressInMessageMenu(page, 'House rules', 'Earlier versions')
  const versions = page.getByRole('dialog', { name: 'Earlier versions' })
  await versions.getByText('House rules, first version').waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await versions.waitFor({ state: 'detached' })
  await pressInMessageMenu(page, 'House rules', 'Pin')
  await lines(page).filter({ hasText: 'House rules' }).getByText('Pinned').waitFor()
  await bob.page.getByRole('button', { name: 'Pinned messages' }).click()
  const pins = bob.page.getByRole('complementary', { name: 'Pinned messages' })
  await pins.getByText('House rules').waitFor()
  await expectAccessibleViews(bob.page, 'pins', [1440, 390])
  await bob.page.setViewportSize({ width: 1440, height: 900 })
  await pins.getByRole('button', { name: 'Show in conversation' }).click()
  await lines(bob.page).filter({ hasText: 'House rules' }).and(bob.page.locator('[data-target]')).waitFor()
  await bob.page.getByRole('button', { name: 'Jump to the newest messages' }).click()
  await lines(bob.page).getByText('Message number 80', { exact: true }).waitFor()
  expect([...errors, ...bob.errors].filter((text) => !isRefusal(text))).toEqual([])
}, 90_000)

test('R29.4, R35.3b: people, rooms and emoji are completed while they are typed, and mentions stand out for those who are meant', async () => {
  const id = await alicesRoom('moderator')
  await createRoom(host, { name: 'Kitchen' })
  const bob = await pages.openAs(BOB, `/rooms/${id}`)
  const { page, errors } = await pages.openAs(ALICE, `/rooms/${id}`)
  await page.getByRole('button', { name: 'People 2' }).waitFor()
  await field(page).pressSequentially('Hi @bo')
  const option = (name: string) => page.getByRole('option', { name })
  await option('Bob Berg').waitFor()
  const active = await field(page).getAttribute('aria-activedescendant')
  expect(await option('Bob Berg').getAttribute('id')).toBe(active)
  await expectAccessible(page)
  await screenshot(page, 'completion')
  await page.keyboard.press('Enter')
  expect(await field(page).inputValue()).toBe('Hi @Bob Berg ')
  await page.keyboard.type('see #kit')
  await option('Kitchen').waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.type(':tada')
  await option(':tada:').waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.type(':thumbsup')
  await option(':+1:').waitFor()
  await page.keyboard.type(': ')
  await page.keyboard.type('@he')
  await option('here').waitFor()
  await page.keyboard.press('Escape')
  await option('here').waitFor({ state: 'detached' })
  await page.keyboard.press('Backspace')
  await page.keyboard.press('Backspace')
  await page.keyboard.press('Backspace')
  await page.keyboard.press('Enter')
  const seen = lines(bob.page).filter({ hasText: 'Hi @Bob Berg see #Kitchen 🎉 👍' })
  await seen.and(bob.page.locator('[data-mentioned]')).waitFor()
  await seen.locator('.mention[data-self]').waitFor()
  await seen.getByRole('link', { name: '#Kitchen' }).waitFor()
  expect(await lines(page).and(page.locator('[data-mentioned]')).count()).toBe(0)
  await page.keyboard.press('ArrowUp')
  const editor = page.getByRole('textbox', { name: 'Edit the message' })
  expect(await editor.inputValue()).toStartWith('Hi @Bob Berg see [#Kitchen](')
  expect(errors).toEqual([])
}, 60_000)

test('R35.3a: formats have keys, Undo takes them back, code stays code, and an address makes the selection a link', async () => {
  const id = await alicesRoom()
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  await page.getByText(/^This is the start of /).waitFor()
  const write = field(page)
  await write.fill('very important')
  await write.press('Control+A')
  await page.keyboard.press('Control+B')
  expect(await write.inputValue()).toBe('**very important**')
  await page.keyboard.press('Control+B')
  expect(await write.inputValue()).toBe('very important')
  await page.keyboard.press('Control+Z')
  expect(await write.inputValue()).toBe('**very important**')
  await write.fill('docs')
  await write.press('Control+A')
  const paste = (data: Record<string, string>) =>
    write.evaluate((element, items) => {
      const clipboardData = new DataTransfer()
      for (const [type, text] of Object.entries(items)) clipboardData.setData(type, text)
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    }, data)
  await paste({ 'text/plain': 'https://example.com/' })
  expect(await write.inputValue()).toBe('[docs](https://example.com/)')
  await write.fill('See')
  await paste({ 'text/plain': 'let a\nlet b\n', 'vscode-editor-data': '{"mode":"typescript"}' })
  expect(await write.inputValue()).toBe('See\n```typescript\nlet a\nlet b\n```\n')
  // Within a block of code, Enter starts a line.
  await write.fill('```')
  await write.press('Enter')
  await page.keyboard.type('x')
  expect(await write.inputValue()).toBe('```\nx')
  expect(await texts(page)).toEqual([])
}, 60_000)

test('R35.2, R30.1: a room opens at the first unread message, reading marks it as read, and the line stays until the next visit', async () => {
  const id = await alicesRoom()
  for (let index = 1; index <= 60; index++) await createMessage(host, id, `Message number ${index}`)
  const first = await pages.openAs(ALICE, `/rooms/${id}`)
  await lines(first.page).getByText('Message number 1', { exact: true }).waitFor()
  const readSeq = async () =>
    (await alice.json<{ room: { readSeq: number; lastSeq: number } }>(`/api/rooms/${id}`)).room
  const list = (page: typeof first.page) => page.getByRole('region', { name: 'Messages', exact: true })
  // Not read to its end yet.
  expect((await readSeq()).readSeq).toBe(0)
  await list(first.page).evaluate((region) => region.scrollTo(0, region.scrollHeight))
  await until(async () => {
    const { readSeq: read, lastSeq } = await readSeq()
    return read === lastSeq
  })
  await first.page.getByText('New', { exact: true }).waitFor()
  await first.page.context().close()
  for (let index = 61; index <= 160; index++) await createMessage(host, id, `Message number ${index}`)
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  const line = page.locator('.new-line')
  await line.waitFor()
  const [mark, region] = await Promise.all([line.boundingBox(), list(page).boundingBox()])
  expect(mark?.y ?? 0).toBeLessThan((region?.y ?? 0) + (region?.height ?? 0) / 2)
  expect(await line.evaluate((element) => element.nextElementSibling?.textContent)).toContain(
    'Message number 61',
  )
  await lines(page).getByText('Message number 60', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Jump to the newest messages' }).click()
  await lines(page).getByText('Message number 160', { exact: true }).waitFor()
}, 60_000)

test('R35.2a, R35.4: 5,000 messages scrolled through keep at most 300 rows in the page, in order and without a jump', async () => {
  const id = await alicesRoom()
  await pages.service().rooms.database.write(async (tx) => {
    const { last_seq } = await tx
      .selectFrom('rooms')
      .select('last_seq')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const rows = Array.from({ length: 5_000 }, (_, index) => ({
      id: crypto.randomUUID(),
      room_id: id,
      seq: last_seq + index + 1,
      user_id: host.user.id,
      author_name: '#0000',
      author_guest: 0 as const,
      content: `Message number ${index + 1}${index % 7 === 0 ? '\nwith a second line' : ''}`,
      created_at: pages.service().clock.ms,
    }))
    for (let at = 0; at < rows.length; at += 500)
      await tx
        .insertInto('room_messages')
        .values(rows.slice(at, at + 500))
        .execute()
    await tx
      .updateTable('rooms')
      .set({ last_seq: last_seq + 5_000 })
      .where('id', '=', id)
      .execute()
  })
  await markRead({ browser: alice }, id)
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  await lines(page).getByText('Message number 5000').waitFor()
  const { maxRows, jumps, oldest } = await page.evaluate(async () => {
    const list = document.querySelector<HTMLElement>('.messages')
    if (!list) throw new Error('There is no list')
    const numberOf = (row: Element) => Number(/number (\d+)/.exec(row.textContent ?? '')?.[1])
    const seen = { maxRows: 0, jumps: [] as string[], oldest: 5_000 }
    const frame = () => new Promise(requestAnimationFrame)
    const endMs = performance.now() + 60_000
    while (seen.oldest > 1 && performance.now() < endMs) {
      const rows = [...list.querySelectorAll('[data-message]')]
      seen.maxRows = Math.max(seen.maxRows, list.querySelectorAll('li').length)
      const top = list.getBoundingClientRect().top
      const anchor = rows.find((row) => row.getBoundingClientRect().bottom > top + 300)
      const before = anchor?.getBoundingClientRect().top ?? 0
      const scrolled = Math.min(1_500, list.scrollTop)
      list.scrollTop -= scrolled
      await frame()
      await frame()
      const moved = (anchor?.isConnected ? anchor.getBoundingClientRect().top : before + scrolled) - before
      if (Math.abs(moved - scrolled) > 2)
        seen.jumps.push(`${numberOf(anchor ?? list)}: ${moved} instead of ${scrolled}`)
      seen.oldest = Math.min(seen.oldest, ...rows.map(numberOf))
      const numbers = rows.map(numberOf)
      if (numbers.some((number, index) => index > 0 && number !== (numbers[index - 1] ?? 0) + 1))
        seen.jumps.push('order')
    }
    return seen
  })
  expect(jumps).toEqual([])
  expect(oldest).toBe(1)
  expect(maxRows).toBeLessThanOrEqual(300)
}, 120_000)
