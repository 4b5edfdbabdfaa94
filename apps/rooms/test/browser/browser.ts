import { afterAll, beforeAll } from 'bun:test'
import type { Page } from 'playwright-core'
import {
  type View,
  expectAccessibleViews,
  expectWithinWidth,
  screenshot,
  testBrowser,
} from '@latchkey/web/testing/browser'
import type { SocketData } from '../../src/realtime/gateway.ts'
import { builtPages } from '../../src/http/pages.ts'
import { ALICE, type Person } from '../provider/hostile.ts'
import { freePort } from '@latchkey/http/free-port'
import { ORIGIN, type TestOptions, type TestRooms, openRooms } from '../rooms.ts'
import { until } from '../until.ts'

const GENEROUS_LIMITS = {
  http_per_minute: 100_000,
  http_anonymous_per_minute: 100_000,
  login_start_per_minute: 1000,
  callback_per_minute: 1000,
  guest_create_per_minute: 1000,
  guest_create_per_hour: 1000,
  guest_create_total_per_minute: 1000,
  messages_per_10s: 1000,
  guest_messages_per_10s: 1000,
  socket_connects_per_minute: 1000,
  socket_messages_per_10s: 1000,
  invitations_per_hour: 1000,
  search_per_minute: 1000,
  admin_writes_per_minute: 1000,
  room_writes_per_minute: 10_000,
  rooms_per_hour: 1000,
  guest_rooms_per_hour: 1000,
}

interface OpenedPage {
  page: Page
  /** The console errors of the page. */
  errors: string[]
}

/**
 * For the calling file: a real service on a free port, signed in at the hostile provider, and a
 * real browser. `headers`, such as the accepted languages, are sent with every request of the
 * browser.
 */
export function roomPages(options: TestOptions = {}, headers: Record<string, string> = {}) {
  const browser = testBrowser(headers, { blank: '/robots.txt' })
  const up: { service?: TestRooms; server?: ReturnType<typeof serve>; port: number } = { port: 0 }
  const serve = ({ rooms }: TestRooms) =>
    Bun.serve<SocketData>({
      hostname: '127.0.0.1',
      port: up.port,
      fetch: rooms.serve,
      websocket: rooms.websocket,
    })
  beforeAll(async () => {
    // The service must know its own origin before it is created.
    up.port = await freePort()
    up.service = await openRooms({
      ...options,
      // Under a clock that stands still, rate limits never recover.
      limits: { ...GENEROUS_LIMITS, ...options.limits },
      settings: {
        allowedHosts: [`http://localhost:${up.port}`, ORIGIN, `http://rooms.test:${up.port}`],
        ...options.settings,
      },
    })
    // Browsers expire cookies by their own clock.
    up.service.clock.ms = Date.now()
    up.server = serve(up.service)
    await builtPages()
  }, 120_000)
  afterAll(async () => {
    await up.server?.stop(true)
    await up.service?.close()
  }, 20_000)
  function service(): TestRooms {
    if (!up.service) throw new Error('The service is used before it was started')
    return up.service
  }
  const at = (path: string) => `http://localhost:${up.port}${path}`
  /** Does this while the provider answers as this person. */
  async function as<Value>(person: Person, act: () => Promise<Value>): Promise<Value> {
    service().idp.person = person
    try {
      return await act()
    } finally {
      service().idp.person = ALICE
    }
  }
  return {
    service,
    at,
    port: () => up.port,
    /**
     * Stops the server, as in an outage, until `act` has finished. `act` begins once this page has
     * noticed.
     */
    async whileDown(page: Page, act: () => Promise<unknown>): Promise<void> {
      const notice = page.getByRole('status').getByText('Connection lost. Reconnecting…')
      await up.server?.stop(true)
      try {
        await notice.waitFor()
        await act()
      } finally {
        up.server = serve(service())
      }
      // The network is back too, so the page does not wait for its next attempt. A page that finds
      // another user signed in reloads meanwhile.
      await until(async () => {
        await page.evaluate(() => dispatchEvent(new Event('online'))).catch(() => undefined)
        // The page reads what it missed before the notice goes.
        const isHidden = notice.waitFor({ state: 'hidden', timeout: 2_000 })
        return isHidden.then(
          () => true,
          () => false,
        )
      })
    },
    async idOf(nickname: string): Promise<string> {
      const { read } = service().rooms.database
      const row = read.selectFrom('users').select('id').where('nickname', '=', nickname)
      return (await row.executeTakeFirstOrThrow()).id
    },
    liveSessions: (nickname: string) =>
      service()
        .rooms.database.read.selectFrom('sessions')
        .innerJoin('users', 'users.id', 'sessions.user_id')
        .where('users.nickname', '=', nickname)
        .where('sessions.revoked_at', 'is', null)
        .selectAll('sessions')
        .execute(),
    /** A user who has signed in without opening a page. */
    async signIn(person: Person) {
      const own = service().browser({ origin: at('') })
      await own.signIn(person)
      const { user } = await own.json<{ user: { id: string } }>('/api/session')
      return { browser: own, id: user.id }
    },
    open: (path: string, view?: View): Promise<OpenedPage> => withShortTimeout(browser.open(at(path), view)),
    /** A page at `path`, in a browser in which this person has signed in at the provider. */
    openAs: (person: Person, path: string, view?: View): Promise<OpenedPage> =>
      as(person, () => withShortTimeout(browser.open(at(loginPath(path)), view))),
    /** Signs this person in at the provider in an open page, and goes on to `path`. */
    signInAgain: (page: Page, person: Person, path: string) =>
      as(person, () => page.goto(at(loginPath(path)))),
  }
}

/** Signs in first in tests in which no other user may be the administrator. */
export const ROOT: Person = { sub: 'root', name: 'Root' }
export const BOB: Person = { sub: 'bob', name: 'Bob Berg', email: 'bob@example.com' }

const loginPath = (path: string) => `/api/auth/login?returnTo=${encodeURIComponent(path)}`

/** The timeout of every wait. */
const WITHIN_MS = 12_000

async function withShortTimeout(opening: Promise<OpenedPage>): Promise<OpenedPage> {
  const openedPage = await opening
  openedPage.page.setDefaultTimeout(WITHIN_MS)
  return openedPage
}

/** Further languages, whose texts are longer. */
const LONGER = ['sv', 'id'] as const

/**
 * Checks a page once for accessibility, wide and narrow, in light and dark, and in every language at
 * the narrowest widths for what does not fit. `visit` opens it and calls `look` in each of its
 * states.
 */
export async function expectLooks(
  visit: (locale: string, look: (page: Page, name: string) => Promise<void>) => Promise<void>,
): Promise<void> {
  await visit('en', (page, name) => expectAccessibleViews(page, name, [1280, 390]))
  for (const locale of LONGER) await visit(locale, (page, name) => expectFits(page, `${name}-${locale}`))
}

/** Expects no part of the page beyond its sides at the narrowest widths. */
export async function expectFits(page: Page, name: string): Promise<void> {
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 900 })
    await expectWithinWidth(page)
    await screenshot(page, `${name}-${width}`)
  }
}

/** Whether a console error only reports a response that was refused on purpose. */
export const isRefusal = (text: string) => /Failed to load resource.*status of (?:4\d\d|503)/.test(text)

/** Removes the answers to its first calls from this page, which then asks for itself. */
export async function withoutAnswers(page: Page, address: string): Promise<void> {
  await page.route(address, async (route) => {
    const response = await route.fetch()
    const html = await response.text()
    await route.fulfill({ response, body: html.replace(/<script [^>]*id="answers">[^<]*<\/script>/, '') })
  })
}
