import { expect, test } from 'bun:test'
import type { Preloads } from '@latchkey/web/build'
import { expectLightLoad } from '@latchkey/web/testing/first-load'
import { join } from 'node:path'
import { builtPages } from '../../src/http/pages.ts'
import { createRoom, member } from '../actions.ts'
import { ROOT, roomPages } from './browser.ts'

const pages = roomPages()
const MAX_SCRIPT_BYTES = 130 * 1024
const MAX_ROOM_SCRIPT_BYTES = 140 * 1024

test('R23.9, R35.4: every page is loaded with few requests and scripts, all of them named in its HTML, and nothing moves', async () => {
  const { page: login } = await pages.open('/account')
  await expectLightLoad(login, pages.at('/login'), {
    maxScriptBytes: MAX_SCRIPT_BYTES,
    untilComplete: () => login.getByRole('link', { name: /^Sign in with/ }).waitFor(),
  })
  const { page } = await pages.openAs(ROOT, '/account')
  const { id } = await createRoom(await member(pages.service(), 'Hanna Host'), { name: 'Garden' })
  for (const [path, content] of [
    ['/', page.getByRole('link', { name: 'Garden' })],
    [`/rooms/${id}`, page.getByText(/^This is the start of /)],
    ['/account', page.getByText('This browser')],
    ['/people', page.getByRole('button', { name: 'Hanna Host' })],
    ['/admin', page.getByText('Hanna Host')],
  ] as const)
    await expectLightLoad(page, pages.at(path), {
      maxScriptBytes: path.startsWith('/rooms/') ? MAX_ROOM_SCRIPT_BYTES : MAX_SCRIPT_BYTES,
      untilComplete: () => content.first().waitFor(),
    })
}, 60_000)

/** Modules with what the buttons of a room open. */
const LATER = ['manage/manage-drawer', 'conversation/message-dialogs', 'level-popover', 'people/person-acts']

test('R35.4a: once the browser has had nothing to do, a room opens its menus and dialogs without the network', async () => {
  const { page } = await pages.openAs(ROOT, '/')
  const host = await member(pages.service(), 'Hanna Host')
  const { id } = await createRoom(host, { name: 'Cellar' })
  await page.goto(pages.at(`/rooms/${id}`))
  await page.getByText(/^This is the start of /).waitFor()
  const preloads = (await Bun.file(join(await builtPages(), 'preloads.json')).json()) as Preloads
  const scripts = LATER.flatMap((module) => preloads[`pages/room/${module}.tsx`] ?? [])
  expect(scripts.length).toBeGreaterThanOrEqual(LATER.length)
  // Between frames: a look at each of them would keep the browser busy.
  await page.waitForFunction(
    (names) => {
      const loaded = performance.getEntriesByType('resource').map(({ name }) => name.replace(/^.*\//, ''))
      return names.every((name) => loaded.includes(name))
    },
    scripts,
    { polling: 100 },
  )
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Notifications' }).click()
  await page.getByRole('radio').first().waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Manage' }).click()
  await page.getByRole('dialog', { name: 'Manage room' }).waitFor()
}, 60_000)
