import { insertSession } from '../../src/sessions/store.ts'
import type { UserRow } from '../../src/db/tables.ts'
import { lifetimesOf } from '../../src/sessions/session.ts'
import { DEFAULT_LIMITS } from '../../src/api/limits.ts'
import { namesOf } from '../../src/users/names.ts'
import type { Browser, TestRooms } from '../rooms.ts'

const LIFETIMES = { idleMs: 604_800_000, absoluteMs: 2_592_000_000 }

/** Inserts a user without a login, for tests of later behaviour. */
export async function insertPerson(test: TestRooms, overrides: Partial<UserRow> = {}): Promise<UserRow> {
  const user: UserRow = {
    id: crypto.randomUUID(),
    nickname: 'Ada Lovelace',
    email: overrides.is_guest === 1 ? null : 'ada@example.com',
    avatar_color: '#1565c0',
    disabled: 0,
    is_guest: 0,
    created_at: test.clock.ms,
    last_seen_at: test.clock.ms,
    guest_ended_at: null,
    picture_id: null,
    ...overrides,
  }
  await test.rooms.database.write((tx) =>
    tx
      .insertInto('users')
      .values({ ...user, ...namesOf(user.nickname) })
      .execute(),
  )
  return user
}

interface SessionOptions {
  ip?: string
  userAgent?: string
  lifetimes?: typeof LIFETIMES
  maxSessions?: number
  idp?: { issuer: string; sub: string; sid: string | null; idToken: string | null }
}

/** A browser with a new session of this user. */
export async function browserOf(
  test: TestRooms,
  user: UserRow,
  { ip, userAgent = 'Mozilla/5.0 (test)', lifetimes = LIFETIMES, maxSessions, idp }: SessionOptions = {},
): Promise<Browser & { sessionId: string }> {
  const session = {
    userId: user.id,
    nowMs: test.clock.ms,
    lifetimes: lifetimesOf(user.is_guest === 1, lifetimes),
    clientIp: ip ?? '192.0.2.1',
    userAgent,
    loginAtMs: test.clock.ms,
    ...(idp && { idp }),
  }
  const { id, token } = await test.rooms.database.write((tx) =>
    insertSession(tx, session, maxSessions ?? DEFAULT_LIMITS.sessions_user),
  )
  const browser = test.browser({ ...(ip !== undefined && { ip }) })
  browser.cookies.set('__Host-latchkey_session', token)
  return Object.assign(browser, { sessionId: id })
}

/** The stored row of a session. */
export async function storedSession(test: TestRooms, id: string) {
  return test.rooms.database.read
    .selectFrom('sessions')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}
