import type { Browser, TestRooms } from '../rooms.ts'
import type { Person } from '../provider/hostile.ts'

export interface SignedInUser {
  browser: Browser
  id: string
  sessionId: string
}

interface SessionJson {
  user: { id: string }
  session: { id: string }
}

let lastHost = 1

/** Somebody who has signed in, from an address of their own. */
export async function signedInUser(rooms: TestRooms, person: Person): Promise<SignedInUser> {
  const browser = await rooms.signedInBrowser(person, { ip: `203.0.113.${lastHost++ % 250}` })
  const { user, session } = await browser.json<SessionJson>('/api/session')
  return { browser, id: user.id, sessionId: session.id }
}

export async function guest(rooms: TestRooms, nickname = 'Gustav'): Promise<SignedInUser> {
  const browser = rooms.browser({ ip: `198.51.100.${lastHost++ % 250}` })
  const { user, session } = await browser.json<SessionJson>('/api/session', { body: { nickname } }, 201)
  return { browser, id: user.id, sessionId: session.id }
}

/** Status and code of an answer. */
export async function outcome(response: Response): Promise<[number, string | undefined]> {
  const { code } = (await response.json()) as { code?: string }
  return [response.status, code]
}

/** Actions of the audit log with who did them to whom, the oldest first, without those of signing in. */
export async function listAuditActions(rooms: TestRooms, since = 0) {
  const rows = await rooms.rooms.database.read
    .selectFrom('audit_events')
    .selectAll()
    .where('created_at', '>=', since)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows
    .filter(({ action }) => action !== 'auth.login' && action !== 'guest.create')
    .map(({ action, actor_user_id, target_id }) => [action, actor_user_id, target_id])
}
