import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  type TestUser,
  admin,
  ban,
  createRoom,
  guest,
  join,
  leave,
  makeMember,
  member,
  refusal,
} from '../actions.ts'
import { listAuditEvents } from '../audit-log.ts'
import { type TestRooms, openRooms } from '../rooms.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const NOWHERE = '11111111-2222-4333-8444-555555555555'

/** All ways to enter a room over HTTP, with their responses for users who may enter. */
const WAYS: readonly [string, string, number][] = [
  ['GET', '', 200],
  ['POST', '/join', 200],
  ['GET', '/messages', 200],
  ['POST', '/messages', 201],
  ['GET', '/events', 200],
]

let rooms: TestRooms
let owner: TestUser
beforeAll(async () => {
  rooms = await openRooms({ limits: { rooms_per_hour: 1000 } })
  owner = await member(rooms, 'Olga')
})
afterAll(() => rooms.close())

const enterEachWay = async (who: TestUser, roomId: string) => {
  const outcomes = []
  for (const [method, path] of WAYS) {
    const body = path === '/messages' && method === 'POST' ? { body: { content: 'Hello' } } : {}
    const response = await who.browser.send(`/api/rooms/${roomId}${path}`, { method, ...body })
    outcomes.push(response.ok ? response.status : (await refusal(response)).join(' '))
  }
  return outcomes
}
const admittedEachWay = WAYS.map(([, , status]) => status)
const eachWay = (outcome: string) => WAYS.map(() => outcome)

test('R17.1a: public and unlisted rooms are open to every session, and closed without one', async () => {
  for (const visibility of ['public', 'unlisted']) {
    const { id } = await createRoom(owner, { visibility })
    expect(await enterEachWay(await member(rooms), id)).toEqual(admittedEachWay)
    expect(await enterEachWay(await guest(rooms), id)).toEqual(admittedEachWay)
    for (const [method, path] of WAYS) {
      const response = await rooms.browser().send(`/api/rooms/${id}${path}`, { method })
      expect(await refusal(response)).toEqual([401, 'unauthenticated'])
    }
  }
})

test('R17.1b: for outsiders a private room is indistinguishable from a missing one, on every path', async () => {
  const { id } = await createRoom(owner, { visibility: 'private' })
  const outsider = await member(rooms)
  const visitor = await guest(rooms)
  for (const who of [outsider, visitor]) {
    expect(await enterEachWay(who, id)).toEqual(eachWay('404 not_found'))
    const more: [string, string, unknown?][] = [
      ['PATCH', '/settings', { name: 'Mine' }],
      ['DELETE', ''],
      ['DELETE', '/leave'],
      ['DELETE', `/messages/${NOWHERE}`],
    ]
    for (const [method, path, body] of more) {
      const [hidden, missing] = await Promise.all(
        [id, NOWHERE].map((room) =>
          who.browser.send(`/api/rooms/${room}${path}`, { method, ...(body !== undefined && { body }) }),
        ),
      )
      expect(await missing?.text()).toBe((await hidden?.text()) ?? '')
      expect([hidden?.status, missing?.status]).toEqual([404, 404])
    }
  }
  const insider = await member(rooms)
  await makeMember(rooms, id, insider)
  expect(await enterEachWay(insider, id)).toEqual(admittedEachWay)
})

test('C123 (R14.3): guests do not enter private rooms, even as members of one', async () => {
  const { id } = await createRoom(owner, { visibility: 'private' })
  const insider = await guest(rooms)
  await makeMember(rooms, id, insider, 'speaker')
  expect(await enterEachWay(insider, id)).toEqual(eachWay('404 not_found'))
})

test('R17.1, R17.2: a room that disallows guests is refused to guests with that reason, and open to members', async () => {
  const { id } = await createRoom(owner, { allowGuests: false })
  expect(await enterEachWay(await guest(rooms), id)).toEqual(eachWay('403 guests_not_allowed'))
  expect(await enterEachWay(await member(rooms), id)).toEqual(admittedEachWay)
})

test('R17.2a, R17.2: a ban and a cool-down apply to every path, and the cool-down ends to the millisecond', async () => {
  const { id } = await createRoom(owner)
  const banned = await member(rooms)
  const kicked = await member(rooms)
  const untilMs = rooms.clock.ms + 10 * MINUTE
  await ban(rooms, id, banned)
  await ban(rooms, id, kicked, { untilMs })
  expect(await enterEachWay(banned, id)).toEqual(eachWay('403 banned'))
  expect(await enterEachWay(kicked, id)).toEqual(eachWay('403 cooldown'))
  expect((await join(kicked, id)).headers.get('retry-after')).toBe('600')
  rooms.clock.ms = untilMs - 1
  expect(await refusal(await join(kicked, id))).toEqual([403, 'cooldown'])
  rooms.clock.ms = untilMs
  expect(await enterEachWay(kicked, id)).toEqual(admittedEachWay)
  expect(await enterEachWay(banned, id)).toEqual(eachWay('403 banned'))
})

test('R17.2: a user banned from a private room gets not found, without a sign of a cool-down', async () => {
  const { id } = await createRoom(owner, { visibility: 'private' })
  const kicked = await member(rooms)
  await makeMember(rooms, id, kicked)
  await ban(rooms, id, kicked, { untilMs: rooms.clock.ms + MINUTE })
  const response = await join(kicked, id)
  expect(response.headers.get('retry-after')).toBeNull()
  expect(await refusal(response)).toEqual([404, 'not_found'])
})

test('R17.5b: the ban of a guest keeps out new guests from that address for a day; members and earlier guests stay', async () => {
  const { id } = await createRoom(owner)
  const other = await createRoom(owner)
  const ip = '203.0.113.7'
  const culprit = await guest(rooms, 'Culprit', ip)
  const friend = await guest(rooms, 'Friend', ip)
  await join(friend, id)
  await ban(rooms, id, culprit, { guestPrefix: ip })
  rooms.clock.ms += 1
  const again = await guest(rooms, 'Again', ip)
  expect(await enterEachWay(again, id)).toEqual(eachWay('403 banned'))
  const lists = async ({ browser }: TestUser) => {
    const { rooms: list } = await browser.json<{ rooms: { id: string }[] }>('/api/rooms?limit=100')
    return list.some((room) => room.id === id)
  }
  expect([await lists(again), await lists(friend), await lists(culprit)]).toEqual([false, true, false])
  expect(await enterEachWay(friend, id)).toEqual(admittedEachWay)
  expect((await join(again, other.id)).status).toBe(200)
  expect((await join(await guest(rooms, 'Far', '203.0.113.8'), id)).status).toBe(200)
  const colleague = await member(rooms)
  const near = rooms.browser({ ip })
  near.cookies.set('__Host-latchkey_session', colleague.browser.token ?? '')
  expect((await near.send(`/api/rooms/${id}/join`, { method: 'POST' })).status).toBe(200)
  rooms.clock.ms += DAY
  const later = await guest(rooms, 'Later', ip)
  expect((await join(later, id)).status).toBe(200)
})

test('R17.2: administrators enter every room, are visible there, and are audited once per visit', async () => {
  const { id } = await createRoom(owner, { visibility: 'private' })
  const root = await admin(rooms)
  await ban(rooms, id, root)
  const entries = async () =>
    (await listAuditEvents(rooms)).filter(
      ({ action, actor }) => action === 'room.admin_entry' && actor === root.user.id,
    )
  expect(await enterEachWay(root, id)).toEqual(admittedEachWay)
  expect(await entries()).toEqual([
    {
      action: 'room.admin_entry',
      actor: root.user.id,
      target: ['room', id],
      metadata: {},
      ip: expect.any(String),
    },
  ])
  const { participants } = await owner.browser.json<{ participants: unknown[] }>(`/api/rooms/${id}`)
  expect(participants).toEqual([expect.objectContaining({ userId: root.user.id, role: 'speaker' })])
  expect(await leave(root, id).then((response) => response.json())).toEqual({ success: true, left: true })
  rooms.clock.ms += 10 * MINUTE
  await join(root, id)
  expect(await entries()).toHaveLength(1)
  await leave(root, id)
  rooms.clock.ms += 10 * MINUTE + 1
  await join(root, id)
  expect(await entries()).toHaveLength(2)
})

test('an administrator who only reads is audited as well, but a member is not', async () => {
  const { id } = await createRoom(owner, { visibility: 'private' })
  const root = await admin(rooms)
  const insider = await admin(rooms)
  await makeMember(rooms, id, insider)
  for (let times = 0; times < 3; times++)
    for (const who of [root, insider]) await who.browser.json(`/api/rooms/${id}/messages`)
  const entries = (await listAuditEvents(rooms)).filter(
    ({ action, target }) => action === 'room.admin_entry' && (target as string[])[1] === id,
  )
  expect(entries.map(({ actor }) => actor)).toEqual([root.user.id])
})

test('R9.6: owning teams opens no room', async () => {
  const { id } = await createRoom(owner, { visibility: 'private' })
  const captain = await member(rooms)
  await rooms.rooms.database.write((tx) =>
    tx
      .insertInto('role_grants')
      .values({
        id: crypto.randomUUID(),
        user_id: captain.user.id,
        role: 'owner',
        scope_type: 'team',
        scope_id: id,
        source: 'teamidp',
        granted_by: null,
        created_at: rooms.clock.ms,
      })
      .execute(),
  )
  expect(await enterEachWay(captain, id)).toEqual(eachWay('404 not_found'))
})

test('malformed ids match no room', async () => {
  const who = await member(rooms)
  for (const id of ['0', 'null', NOWHERE.toUpperCase(), `${NOWHERE}0`, '%00'])
    expect(await refusal(await who.browser.send(`/api/rooms/${id}`))).toEqual([404, 'not_found'])
})
