import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible, screenshot } from '@latchkey/web/testing/browser'
import { type TestUser, createMessage, createRoom, makeMember, member, postMessage } from '../actions.ts'
import { ALICE } from '../provider/hostile.ts'
import { until } from '../until.ts'
import { BOB, ROOT, expectLooks, roomPages } from './browser.ts'

const pages = roomPages({ limits: { message_searches_per_minute: 1000 } })

let host: TestUser
let aliceId: string
let gardenId: string
let shedId: string
beforeAll(async () => {
  await pages.signIn(ROOT)
  host = await member(pages.service(), 'Hanna Host')
  ;({ id: aliceId } = await pages.signIn(ALICE))
  gardenId = await alicesRoom('Garden')
  shedId = await alicesRoom('Shed')
  await createMessage(
    host,
    gardenId,
    'The tomatoes were planted on **Friday**, says [the plan](https://plan.example)',
  )
  await createMessage(host, shedId, 'Ladder and rope for friday')
  for (let count = 1; count <= 25; count++) await createMessage(host, shedId, `Nail number ${count}`)
  await createMessage({ browser: (await pages.signIn(ALICE)).browser }, gardenId, 'I water the tomatoes')
}, 60_000)

/** A room of which Alice is a member. */
async function alicesRoom(name: string): Promise<string> {
  const { id } = await createRoom(host, { name })
  await makeMember(pages.service(), id, { user: { id: aliceId } })
  return id
}

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Search messages' })
const field = (page: Page) => dialog(page).getByRole('searchbox', { name: 'Search messages' })
const results = (page: Page) => dialog(page).getByRole('listitem')
const choose = async (page: Page, filter: string, choice: string) => {
  await dialog(page).getByRole('combobox', { name: filter }).click()
  await page.getByRole('option', { name: choice, exact: true }).click()
}

test('R32.4: the search is above the emoji that were open before', async () => {
  const { page, errors } = await pages.openAs(ALICE, `/rooms/${gardenId}`)
  await page.getByRole('button', { name: 'Emoji', exact: true }).click()
  const emoji = page.getByRole('dialog', { name: 'Emoji' })
  await emoji.getByRole('textbox').and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Control+Shift+F')
  await field(page).and(page.locator(':focus')).waitFor()
  await emoji.waitFor({ state: 'hidden' })
  await page.keyboard.type('tomatoes')
  await results(page).first().waitFor()
  expect(errors).toEqual([])
}, 60_000)

test('R32.4: a search by keyboard marks the hits, and Enter opens the message', async () => {
  const { page, errors } = await pages.openAs(ALICE, '/account')
  await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor()
  await page.keyboard.press('Control+Shift+F')
  await field(page).and(page.locator(':focus')).waitFor()
  await dialog(page).getByText('Enter words in any order.').waitFor()
  await page.keyboard.type('fri TOMA')
  await dialog(page).getByRole('status').getByText('1 message found').waitFor({ state: 'attached' })
  expect(await results(page).locator('mark').allInnerTexts()).toEqual(['tomatoes', 'Friday'])
  await expectAccessible(page)
  await page.keyboard.press('ArrowDown')
  await results(page).getByRole('link').and(page.locator(':focus')).waitFor()
  await page.keyboard.press('ArrowUp')
  await field(page).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Garden', level: 1 }).waitFor()
  expect(page.url()).toMatch(new RegExp(`/rooms/${gardenId}\\?message=[0-9a-f-]{36}$`))
  expect(await dialog(page).count()).toBe(0)
  // What was entered is still there for the next result.
  await page.keyboard.press('Control+Shift+F')
  expect(await field(page).inputValue()).toBe('fri TOMA')
  await results(page).first().waitFor()
  await page.keyboard.press('Escape')
  await dialog(page).waitFor({ state: 'detached' })
  expect(errors).toEqual([])
}, 60_000)

test('R32.4: filters by room, author, date and content narrow a search, which the palette begins', async () => {
  const { page, errors } = await pages.openAs(ALICE, '/')
  await page.getByRole('heading', { name: 'Browse rooms', level: 1 }).waitFor()
  await page.keyboard.press('Control+K')
  await page.getByRole('combobox', { name: 'Jump to a room' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.type('tomatoes')
  await page.getByRole('option', { name: 'Search messages for “tomatoes”' }).click()
  expect(await field(page).inputValue()).toBe('tomatoes')
  await results(page).nth(1).waitFor()
  await choose(page, 'From', 'Me')
  await dialog(page).getByRole('status').getByText('1 message found').waitFor({ state: 'attached' })
  await results(page).getByText('I water the').waitFor()
  await choose(page, 'From', 'Anyone')
  await choose(page, 'Contains', 'Links')
  await results(page).getByText('were planted on').waitFor()
  await choose(page, 'Contains', 'Anything')
  await field(page).fill('friday')
  await results(page).nth(1).waitFor()
  await choose(page, 'Room', 'Shed')
  await results(page).getByText('Ladder and rope').waitFor()
  await dialog(page).getByRole('status').getByText('1 message found').waitFor({ state: 'attached' })
  await choose(page, 'Date', 'Custom range')
  await dialog(page).getByLabel('Last day').fill('2020-01-31')
  await dialog(page).getByText('No results').waitFor()
  await dialog(page).getByLabel('Last day').fill('')
  await dialog(page).getByLabel('First day').fill('2020-01-31')
  await results(page).getByText('Ladder and rope').waitFor()
  await screenshot(page, 'search-filters')
  await choose(page, 'Date', 'Today')
  await field(page).fill('nail')
  await dialog(page).getByRole('button', { name: 'Show more' }).click()
  await results(page).nth(24).waitFor()
  expect(errors).toEqual([])
}, 60_000)

test('R32.4: a new search in a room begins with that room, and the button opens it on any page', async () => {
  const { page } = await pages.openAs(ALICE, `/rooms/${shedId}`)
  await page.getByRole('heading', { name: 'Shed', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Search messages' }).click()
  await until(
    async () => (await dialog(page).getByRole('combobox', { name: 'Room' }).inputValue()) === 'Shed',
  )
  await field(page).fill('friday')
  await results(page).getByText('Ladder and rope').waitFor()
  expect(await results(page).count()).toBe(1)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Search messages' }).and(page.locator(':focus')).waitFor()
}, 60_000)

test('R32.4: a search finds nothing of rooms that its user may not read', async () => {
  const { id } = await createRoom(host, { name: 'Cellar', visibility: 'private' })
  await postMessage(host, id, { content: 'A secret barrel' })
  const { page } = await pages.openAs(BOB, '/')
  await page.getByRole('heading', { name: 'Browse rooms', level: 1 }).waitFor()
  await page.keyboard.press('Control+Shift+F')
  await field(page).fill('barrel')
  await dialog(page).getByText('No results').waitFor()
}, 60_000)

test('R23.7: the search is accessible and fits every width, in every language', async () => {
  await expectLooks(async (locale, look) => {
    const { page, errors } = await pages.openAs(ALICE, '/', { locale })
    await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.press('Control+Shift+F')
    await page.getByRole('dialog').getByRole('searchbox').waitFor()
    await look(page, 'search-empty')
    await page.getByRole('dialog').getByRole('searchbox').fill('friday')
    await page.locator('.search-result mark').first().waitFor()
    await look(page, 'search')
    expect(errors).toEqual([])
  })
}, 90_000)
