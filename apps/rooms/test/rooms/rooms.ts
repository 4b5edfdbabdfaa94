import type { UserRow } from '../../src/db/tables.ts'
import { type Browser, type TestRooms } from '../rooms.ts'
import { browserOf, insertPerson } from '../sessions/people.ts'

/** Somebody with a browser of their own. */
export interface TestUser {
  user: UserRow
  browser: Browser & { sessionId: string }
}

let lastHost = 0

/** A member account, at an address of its own. */
export async function member(test: TestRooms, nickname = 'Ada'): Promise<TestUser> {
  return withBrowser(test, await insertPerson(test, { nickname }))
}

export async function guest(test: TestRooms, nickname = 'Gustav', ip?: string): Promise<TestUser> {
  return withBrowser(test, await insertPerson(test, { nickname, is_guest: 1, email: null }), ip)
}

export async function admin(test: TestRooms, nickname = 'Root'): Promise<TestUser> {
  const testUser = await member(test, nickname)
  await test.rooms.database.write((tx) =>
    tx
      .insertInto('role_grants')
      .values({
        id: crypto.randomUUID(),
        user_id: testUser.user.id,
        role: 'platform_admin',
        scope_type: 'platform',
        scope_id: '',
        source: 'manual',
        granted_by: null,
        created_at: test.clock.ms,
      })
      .execute(),
  )
  return testUser
}

async function withBrowser(test: TestRooms, user: UserRow, ip?: string): Promise<TestUser> {
  lastHost += 1
  const address = ip ?? `198.51.${lastHost >> 8}.${lastHost & 255}`
  return { user, browser: await browserOf(test, user, { ip: address }) }
}

export interface RoomJson {
  id: string
  name: string
  role: string | null
  canPublish: boolean
  participantCount: number
  lastSeq: number
  [member: string]: unknown
}

export async function createRoom(
  { browser }: TestUser,
  settings: Record<string, unknown> = {},
): Promise<RoomJson> {
  const { room } = await browser.json<{ room: RoomJson }>(
    '/api/rooms',
    { body: { name: 'Lounge', ...settings } },
    201,
  )
  return room
}

/** Makes somebody a member, as an accepted invitation does. */
export async function makeMember(
  test: TestRooms,
  roomId: string,
  { user }: TestUser,
  role: 'moderator' | 'speaker' | 'listener' = 'listener',
): Promise<void> {
  await test.rooms.database.write(async (tx) => {
    const { last_seq } = await tx
      .selectFrom('rooms')
      .select('last_seq')
      .where('id', '=', roomId)
      .executeTakeFirstOrThrow()
    const row = { room_id: roomId, user_id: user.id, role, joined_at: test.clock.ms, joined_seq: last_seq }
    await tx.insertInto('room_members').values(row).execute()
  })
}

/** Bars somebody, as a kick or ban does. */
export async function ban(
  test: TestRooms,
  roomId: string,
  { user }: TestUser,
  { untilMs = null, guestPrefix = null }: { untilMs?: number | null; guestPrefix?: string | null } = {},
): Promise<void> {
  await test.rooms.database.write((tx) =>
    tx
      .insertInto('room_bans')
      .values({
        room_id: roomId,
        user_id: user.id,
        kind: untilMs === null ? 'ban' : 'kick',
        role_held: null,
        guest_prefix: guestPrefix,
        reason: null,
        banned_by: null,
        expires_at: untilMs,
        created_at: test.clock.ms,
      })
      .execute(),
  )
}

/** The status and the code of the closed list that a request ends in. */
export async function refusal(response: Response): Promise<[number, unknown]> {
  const { code } = (await response.json()) as { code?: string }
  return [response.status, code]
}

export function join({ browser }: TestUser, roomId: string): Promise<Response> {
  return browser.send(`/api/rooms/${roomId}/join`, { method: 'POST', body: {} })
}

export function leave({ browser }: TestUser, roomId: string): Promise<Response> {
  return browser.send(`/api/rooms/${roomId}/leave`, { method: 'DELETE' })
}
