import { afterAll, beforeAll } from 'bun:test'
import type { Page } from 'playwright-core'
import { type View, testBrowser } from '@latchkey/web/testing/browser'
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
  /** What the page has said to its console as an error. */
  errors: string[]
}

/**
 * A real service on a free port, signed in at a provider that tests can bend, and a real browser, for the tests of the file
 * that calls this. `headers` go with every request of the browser, such as the languages that it wants.
 */
export function roomPages(options: TestOptions = {}, headers: Record<string, string> = {}) {
  const browser = testBrowser(headers)
  const up: { service?: TestRooms; server?: ReturnType<typeof serve>; port: number } = { port: 0 }
  const serve = ({ rooms }: TestRooms) =>
    Bun.serve<SocketData>({
      hostname: '127.0.0.1',
      port: up.port,
      fetch: rooms.serve,
      websocket: rooms.websocket,
    })
  beforeAll(async () => {
    // The service has to know its own origin before it is made.
    up.port = await freePort()
    up.service = await openRooms({
      ...options,
      // On a clock that stands still nothing that is counted is ever forgotten.
      limits: { ...GENEROUS_LIMITS, ...options.limits },
      settings: { allowedHosts: [`http://localhost:${up.port}`, ORIGIN], ...options.settings },
    })
    // Sessions of browsers end by the clock of the browser.
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
  return {
    service,
    at,
    /** Nobody answers meanwhile, as when the network or the service is gone; `act` begins once this page has noticed. */
    async whileDown(page: Page, act: () => Promise<unknown>): Promise<void> {
      const notice = page.getByRole('status').getByText('Connection lost. Trying again.')
      await up.server?.stop(true)
      try {
        await notice.waitFor()
        await act()
      } finally {
        up.server = serve(service())
      }
      // The network is back too, so that it does not wait for its time to try again. A page that finds somebody else signed in
      // is loaded anew meanwhile.
      await until(async () => {
        await page.evaluate(() => dispatchEvent(new Event('online'))).catch(() => undefined)
        return !(await notice.isVisible())
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
    /** Somebody who has signed in without looking at a page. */
    async signIn(person: Person) {
      const own = service().browser({ origin: at('') })
      await own.signIn(person)
      const { user } = await own.json<{ user: { id: string } }>('/api/session')
      return { browser: own, id: user.id }
    },
    open: (path: string, view?: View): Promise<OpenedPage> => withShortTimeout(browser.open(at(path), view)),
    /** A page of a browser in which this person has signed in with the provider, at `path`. */
    async openAs(person: Person, path: string, view?: View): Promise<OpenedPage> {
      service().idp.person = person
      try {
        return await withShortTimeout(
          browser.open(at(`/api/auth/login?returnTo=${encodeURIComponent(path)}`), view),
        )
      } finally {
        service().idp.person = ALICE
      }
    },
  }
}

/** Who signs in first where it matters that nobody else administers. */
export const ROOT: Person = { sub: 'root', name: 'Root' }
export const BOB: Person = { sub: 'bob', name: 'Bob Berg', email: 'bob@example.com' }

/** What does not come within this time does not come. */
const WITHIN_MS = 12_000

async function withShortTimeout(opening: Promise<OpenedPage>): Promise<OpenedPage> {
  const openedPage = await opening
  openedPage.page.setDefaultTimeout(WITHIN_MS)
  return openedPage
}

/** In which languages pages are looked at, and at which widths in pixels, each in light and in dark. */
export const LOOKS = [
  ['en', [1280]],
  ['sv', [390, 320]],
  ['id', [390, 320]],
] as const

/** What the browser itself says of an answer that was a refusal on purpose. */
export const isRefusal = (text: string) => /Failed to load resource.*status of (?:4\d\d|503)/.test(text)
