import { sql } from 'kysely'
import type { Rooms } from '../../src/app.ts'
import { findAuditEvents } from '../audit-log.ts'
import { ALICE } from '../provider/hostile.ts'
import { type Browser, ORIGIN, type TestRooms } from '../rooms.ts'

/** The fetch metadata of a click on a link or button of a local page. */
export const CLICK_HEADERS = {
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  'sec-fetch-site': 'same-origin',
  'sec-fetch-user': '?1',
}

export function locationOf(response: Response): URL {
  return new URL(response.headers.get('location') ?? 'about:blank')
}

/**
 * The target of a redirect, in short: `/login?error=cancelled`, or the whole URL if it is on
 * another origin.
 */
export function target(response: Response): string {
  const url = locationOf(response)
  return url.origin === ORIGIN ? url.pathname + url.search + url.hash : url.href
}

export const TABLES = [
  'users',
  'identities',
  'sessions',
  'login_states',
  'role_grants',
  'platform_state',
  'logout_markers',
  'audit_events',
] as const

/** All rows of the tables that a login uses, as in a stolen copy of the database. */
export async function dump(
  rooms: Rooms,
): Promise<Record<(typeof TABLES)[number], Record<string, unknown>[]>> {
  const entries = TABLES.map(async (table) => {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(
      rooms.database.read,
    )
    return [table, rows] as const
  })
  return Object.fromEntries(await Promise.all(entries)) as Awaited<ReturnType<typeof dump>>
}

/** The numbers of users, live sessions and grants. */
export async function counts(rooms: Rooms) {
  const { users, sessions, role_grants } = await dump(rooms)
  const live = sessions.filter(({ revoked_at }) => revoked_at === null)
  return { users: users.length, sessions: live.length, grants: role_grants.length }
}

export const NOTHING = { users: 0, sessions: 0, grants: 0 }

/** Starts a login and returns the callback URL to which the provider sends the browser. */
export async function beginLogin(t: TestRooms, browser: Browser, returnTo?: string): Promise<URL> {
  return new URL(t.idp.authorize(await browser.startLogin(returnTo), ALICE))
}

/** A copy of the URL with a changed query. */
export function changeQuery(url: URL, change: (query: URLSearchParams) => void): string {
  const copy = new URL(url)
  change(copy.searchParams)
  return copy.href
}

/** The reasons of the failed logins in the audit log, each repeated by its count. */
export async function failureReasons(t: TestRooms): Promise<string[]> {
  return (await findAuditEvents(t.rooms, 'auth.login_failed')).flatMap(({ metadata }) =>
    Array.from({ length: Number(metadata['count']) }, () => String(metadata['reason'])),
  )
}
