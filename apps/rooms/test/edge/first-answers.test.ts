// Pages come with the answers to their first calls.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { builtPages } from '../../src/http/pages.ts'
import { csrfTokenOf } from '../../src/sessions/csrf.ts'
import { type TestUser, admin, createRoom, guest, member } from '../actions.ts'
import { type Browser, type TestRooms, openRooms } from '../rooms.ts'

let service: TestRooms
beforeAll(async () => {
  service = await openRooms()
  await builtPages()
}, 60_000)
afterAll(() => service.close())

async function htmlOf(browser: Browser, path: string, headers: Record<string, string> = {}) {
  return (await browser.send(path, { headers })).text()
}

/** The answers in a page by their addresses, each compared with that of the API. */
async function addressesIn(browser: Browser, path: string): Promise<string[]> {
  const html = await htmlOf(browser, path)
  const [, json = '[]'] = /<script type="application\/json" id="answers">([^<]*)<\/script>/.exec(html) ?? []
  const answers = JSON.parse(json) as { address: string; body: unknown }[]
  for (const { address, body } of answers)
    expect([address, body]).toEqual([address, await browser.json(address)])
  return answers.map(({ address }) => address)
}

test('R23.9: a page comes with the answers of the API to its first calls, for its person alone', async () => {
  const [root, ada, visitor] = [await admin(service), await member(service), await guest(service)]
  const { id } = await createRoom(ada, { name: '</script><b>' })
  const common = ['/api/session', '/api/config']
  const rooms = '/api/rooms?followed=true&limit=100'
  const drafts = '/api/drafts?limit=100'
  const own = [rooms, drafts, '/api/directs?limit=100']
  const pending = ['/api/room-invitations/pending', '/api/room-ownership-transfers/pending']
  const expected: [TestUser, string, string[]][] = [
    [ada, '/', [...common, ...own, '/api/rooms?preview=true', ...pending]],
    [ada, `/rooms/${id}`, [...common, ...own, `/api/rooms/${id}`, ...pending, `/api/rooms/${id}/messages`]],
    [
      ada,
      '/account',
      [
        ...common,
        ...own,
        '/api/sessions',
        '/api/notifications',
        ...pending,
        `/api/people/${ada.user.id}`,
        '/api/blocks',
      ],
    ],
    [ada, '/people', [...common, ...own, ...pending, '/api/people']],
    // Only administrators may ask for more.
    [ada, '/admin', [...common, ...own, ...pending]],
    [root, '/admin', [...common, ...own, ...pending, '/api/admin/users']],
    [visitor, '/', [...common, rooms, drafts, '/api/rooms?preview=true']],
    [ada, '/nowhere', []],
  ]
  for (const [{ browser }, path, addresses] of expected)
    expect([path, await addressesIn(browser, path)]).toEqual([path, addresses])
  expect(await addressesIn(service.browser(), '/login')).toEqual(['/api/config'])
})

test('R23.9, R17.8: the page of a room comes with messages only if they can be read without entering', async () => {
  const [ada, outsider] = [await member(service), await member(service)]
  const withMessages = async ({ browser }: TestUser, historyVisibility: string) => {
    const { id } = await createRoom(ada, { historyVisibility })
    const addresses = await addressesIn(browser, `/rooms/${id}`)
    expect(addresses).toContain(`/api/rooms/${id}`)
    return addresses.includes(`/api/rooms/${id}/messages`)
  }
  expect(await withMessages(ada, 'all')).toBe(true)
  expect(await withMessages(outsider, 'all')).toBe(true)
  expect(await withMessages(ada, 'since_membership')).toBe(true)
  expect(await withMessages(outsider, 'since_membership')).toBe(false)
  expect(await withMessages(ada, 'none')).toBe(false)
  const hidden = await createRoom(ada, { visibility: 'private' })
  expect(await addressesIn(outsider.browser, `/rooms/${hidden.id}`)).not.toContain(
    `/api/rooms/${hidden.id}/messages`,
  )
})

test('R23.9: a page has the CSRF token of its own session, and restores the cookie of a live session', async () => {
  const { browser } = await member(service)
  const token = csrfTokenOf(browser.token ?? '')
  browser.cookies.delete('__Host-latchkey_csrf')
  expect(await htmlOf(browser, '/')).toContain(` data-csrf="${token}"`)
  expect(browser.cookies.get('__Host-latchkey_csrf')).toBe(token)
  expect(await htmlOf(service.browser(), '/login')).not.toContain('data-csrf')
})

test('R11.1: a page that another origin loads unseen comes with no answers and no CSRF token', async () => {
  const { browser } = await member(service)
  const unseen = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' }
  expect(await htmlOf(browser, '/', unseen)).not.toMatch(/id="answers"|data-csrf/)
})
