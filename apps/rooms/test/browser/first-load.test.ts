import { test } from 'bun:test'
import { expectLightLoad } from '@latchkey/web/testing/first-load'
import { createRoom, member } from '../actions.ts'
import { ROOT, roomPages } from './browser.ts'

const pages = roomPages()
const MAX_SCRIPT_BYTES = 140 * 1024
const MAX_ROOM_SCRIPT_BYTES = 170 * 1024

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
    ['/admin', page.getByText('Hanna Host')],
  ] as const)
    await expectLightLoad(page, pages.at(path), {
      maxScriptBytes: path.startsWith('/rooms/') ? MAX_ROOM_SCRIPT_BYTES : MAX_SCRIPT_BYTES,
      untilComplete: () => content.first().waitFor(),
    })
}, 60_000)
