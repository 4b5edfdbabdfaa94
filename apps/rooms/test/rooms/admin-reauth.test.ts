// The operations in rooms that an administrator may use after ADMIN_REAUTH_SECONDS, one by one.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { apiOperations } from '../../src/operations.ts'
import { DEFAULT_LIMITS, type LimitName } from '../../src/api/limits.ts'
import {
  type TestUser,
  admin,
  ban,
  changeSettings,
  createRoom,
  makeMember,
  member,
  pin,
  refusal,
  succeed,
} from '../actions.ts'
import { listAuditEvents } from '../audit-log.ts'
import { expectRefused, stateOf } from '../members/state.ts'
import { addressOf } from '../operations/actors.ts'
import { type Live, listen } from '../realtime/live.ts'
import { type Browser, type TestRooms, openRooms } from '../rooms.ts'
import { MESH, enter, joinCall, moderate, sendJoin } from '../voice/call.ts'

interface Stage {
  roomId: string
  target: TestUser
  invitationId: string
  messageId: string
}

interface Case {
  /** The state of the target before the request; none by default. */
  target?: 'member' | 'barred'
  offer?: 'link' | 'transfer'
  isPinned?: boolean
  isArchived?: boolean
  body?: (stage: Stage) => Record<string, unknown> | FormData
}

/** Every write in a room that the administrator's right allows. */
const CASES: Readonly<Record<string, Case>> = {
  joinRoom: {},
  postMessage: { body: () => ({ content: 'Hello' }) },
  uploadFile: { body: newForm },
  deleteMessage: {},
  addReaction: {},
  pinMessage: {},
  unpinMessage: { isPinned: true },
  updateRoomSettings: { body: () => ({ name: 'Mine' }) },
  replaceRoomGroups: { body: () => ({ groups: [{ name: 'staff', role: 'speaker' }] }) },
  archiveRoom: {},
  unarchiveRoom: { isArchived: true },
  deleteRoom: {},
  changeMemberRole: { target: 'member', body: () => ({ role: 'speaker' }) },
  removePerson: { target: 'member', body: () => ({ action: 'kick' }) },
  liftBan: { target: 'barred' },
  inviteUser: { body: ({ target }) => ({ userId: target.user.id }) },
  createInvitationLink: { body: () => ({ role: 'moderator' }) },
  revokeInvitation: { offer: 'link' },
  requestTransfer: { target: 'member', body: ({ target }) => ({ userId: target.user.id }) },
  cancelTransfer: { target: 'member', offer: 'transfer' },
}

/**
 * Writes that need no right over others: those on one's own account, visit, messages, reactions,
 * invitations and offers.
 */
const OWN = [
  'renameGuest',
  'createGuestSession',
  'logout',
  'endSession',
  'endOtherSessions',
  'createWsTicket',
  'deleteAccount',
  'updateProfile',
  'setPicture',
  'deletePicture',
  'setStatus',
  'blockUser',
  'unblockUser',
  'createRoom',
  'openDirect',
  'leaveRoom',
  'markRoomRead',
  'setNotificationLevel',
  'setRoomPreferences',
  'becomeMember',
  'saveDraft',
  'deleteDraft',
  'updateNotificationSettings',
  'subscribeToPush',
  'unsubscribeFromPush',
  'editMessage',
  'removeReaction',
  'endMembership',
  'acceptInvitation',
  'declineInvitation',
  'declineTransfer',
  'confirmTransfer',
]

/** Writes that need a call, which have a test of their own. */
const IN_CALLS = ['joinCall', 'leaveCall', 'declineCall', 'moderateCall']

function newForm(): FormData {
  const form = new FormData()
  form.append('file', new Blob(['Hello']), 'hello.txt')
  return form
}

const WRITES = apiOperations.filter(({ methods }) => methods[0] !== 'GET')

test('every operation other than GET is tested, needs no right over others, or is for administrators only', () => {
  const covered = [...Object.keys(CASES), ...OWN, ...IN_CALLS].toSorted()
  const open = WRITES.filter(({ scope }) => scope !== 'admin').map(({ id }) => id)
  expect(open.toSorted()).toEqual(covered)
})

const WITHOUT_RATES = Object.fromEntries(
  Object.keys(DEFAULT_LIMITS)
    .filter((name) => /_per_|^rooms_owned$/.test(name))
    .map((name) => [name, 1_000_000]),
) as Record<LimitName, number>

let rooms: TestRooms
let live: Live
let host: TestUser
let stale: TestUser
let fresh: TestUser
beforeAll(async () => {
  rooms = await openRooms({ limits: WITHOUT_RATES, settings: { voice: MESH } })
  live = listen(rooms.rooms)
  host = await member(rooms, 'Host')
  stale = await admin(rooms, 'Stale')
  rooms.clock.ms += 43_200_001
  fresh = await admin(rooms, 'Fresh')
})
afterAll(async () => {
  await live.stop()
  await rooms.close()
})

async function stageOf(
  owner: TestUser,
  { target: as, offer, isPinned = false, isArchived = false }: Case,
  visibility = 'private',
): Promise<Stage> {
  const { id: roomId } = await createRoom(owner, { visibility })
  const target = await member(rooms, 'Target')
  if (as === 'member') await makeMember(rooms, roomId, target)
  if (as === 'barred') await ban(rooms, roomId, target)
  const at = `/api/rooms/${roomId}`
  const body = { content: 'First' }
  const { message } = await owner.browser.json<{ message: { id: string } }>(`${at}/messages`, { body }, 201)
  const stage = { roomId, target, invitationId: '', messageId: message.id }
  if (isArchived) await owner.browser.json(`${at}/archive`, { method: 'PUT' })
  if (isPinned) await succeed(pin(owner, roomId, message.id))
  if (offer === 'transfer')
    await owner.browser.json(`${at}/ownership-transfer`, { body: { userId: target.user.id } }, 201)
  if (offer !== 'link') return stage
  const { invitation } = await owner.browser.json<{ invitation: { id: string } }>(
    `${at}/invitations/links`,
    { body: { role: 'moderator' } },
    201,
  )
  return { ...stage, invitationId: invitation.id }
}

function request(browser: Browser, id: string, stage: Stage): Promise<Response> {
  const operation = WRITES.find((each) => each.id === id)
  if (!operation) throw new Error(id)
  const { roomId, target, invitationId, messageId } = stage
  const params = { id: roomId, roomId, userId: target.user.id, invitationId, messageId, emoji: '👍' }
  const body = CASES[id]?.body?.(stage)
  return browser.send(addressOf(operation, params), {
    method: operation.methods[0],
    ...(body && { body }),
  })
}

for (const [id, each] of Object.entries(CASES))
  describe(`${id}:`, () => {
    test('R17.2b: an administrator who signed in too long ago is refused, and nothing changes', async () => {
      const stage = await stageOf(host, each)
      const send = () => request(stale.browser, id, stage)
      await expectRefused(rooms, send, [403, 'reauth_required'])
    })

    test('the same in a public room from which they are banned', async () => {
      const stage = await stageOf(host, each, 'public')
      await ban(rooms, stage.roomId, stale)
      const send = () => request(stale.browser, id, stage)
      await expectRefused(rooms, send, [403, 'reauth_required'])
    })

    test('an administrator who owns the room needs no new sign-in', async () => {
      const stage = await stageOf(stale, each)
      const before = await stateOf(rooms)
      const response = await request(stale.browser, id, stage)
      expect([await response.text(), response.ok]).toEqual([expect.any(String), true])
      expect(await stateOf(rooms)).not.toEqual(before)
    })

    test('an administrator who has just signed in is allowed without membership', async () => {
      const stage = await stageOf(host, each)
      const before = await stateOf(rooms)
      const response = await request(fresh.browser, id, stage)
      expect([await response.text(), response.ok]).toEqual([expect.any(String), true])
      expect(await stateOf(rooms)).not.toEqual(before)
    })
  })

const adminWrites = WRITES.filter(({ scope }) => scope === 'admin').map(({ id }) => id)
test.each(adminWrites)('%s: is refused as well', async (id) => {
  const stage = await stageOf(host, {})
  await expectRefused(rooms, () => request(stale.browser, id, stage), [403, 'reauth_required'])
})

test('their rights as a member stay: a moderator kicks, and does not delete the room', async () => {
  const stage = await stageOf(host, { target: 'member' })
  await makeMember(rooms, stage.roomId, stale, 'moderator')
  await expectRefused(rooms, () => request(stale.browser, 'deleteRoom', stage), [403, 'reauth_required'])
  expect((await request(stale.browser, 'removePerson', stage)).status).toBe(200)
})

test('in a public room they post like any visitor, and it is not recorded as an entry of an administrator', async () => {
  const stage = await stageOf(host, {}, 'public')
  expect((await request(stale.browser, 'postMessage', stage)).status).toBe(201)
  const entries = (await listAuditEvents(rooms)).filter(
    ({ action, target }) => action === 'room.admin_entry' && (target as string[])[1] === stage.roomId,
  )
  expect(entries).toEqual([])
})

test('a message from before their visit cannot be deleted by an administrator who may not read it', async () => {
  const { roomId, ...stage } = await stageOf(host, {}, 'public')
  await host.browser.json(`/api/rooms/${roomId}/settings`, {
    method: 'PATCH',
    body: { historyVisibility: 'since_membership' },
  })
  const send = () => request(stale.browser, 'deleteMessage', { ...stage, roomId })
  await expectRefused(rooms, send, [403, 'reauth_required'])
})

test('private rooms can still be read, and it is audited', async () => {
  const { roomId } = await stageOf(host, {})
  for (const path of ['', '/messages', '/events', '/members', '/bans', '/invitations'])
    expect((await stale.browser.send(`/api/rooms/${roomId}${path}`)).status).toBe(200)
  const entries = (await listAuditEvents(rooms)).filter(
    ({ action, actor, target }) =>
      action === 'room.admin_entry' && actor === stale.user.id && (target as string[])[1] === roomId,
  )
  expect(entries).toHaveLength(1)
})

test('a socket does not enter a room by that right either', async () => {
  const { roomId } = await stageOf(host, {})
  const socket = live.connect(stale.browser)
  const before = await stateOf(rooms)
  expect(await socket.subscribe(roomId)).toMatchObject({ type: 'error', code: 'reauth_required' })
  expect(await stateOf(rooms)).toEqual(before)
  const own = await stageOf(stale, {})
  expect(await socket.subscribe(own.roomId)).toMatchObject({ type: 'subscribed', role: 'owner' })
  const other = live.connect(fresh.browser)
  expect(await other.subscribe(roomId)).toMatchObject({ type: 'subscribed' })
  for (const each of [socket, other]) each.close()
})

test('with ADMIN_REAUTH_SECONDS=0 no sign-in is too old', async () => {
  const lasting = await openRooms({ settings: { adminReauthSeconds: 0 } })
  const owner = await member(lasting, 'Owner')
  const old = await admin(lasting, 'Old')
  const { id } = await createRoom(owner, { visibility: 'private' })
  lasting.clock.ms += 86_400_000
  await succeed(changeSettings(old, id, { name: 'Changed' }))
  await lasting.close()
})

test('a room that needs the right does not look missing, and a missing one does', async () => {
  const missing = '/api/rooms/11111111-2222-4333-8444-555555555555'
  expect(await refusal(await stale.browser.send(missing, { method: 'DELETE' }))).toEqual([404, 'not_found'])
})

test('calls of a room that they are not in are neither joined nor moderated by that right', async () => {
  const { roomId } = await stageOf(host, {})
  const caller = await enter(live, host, roomId)
  await joinCall(caller, roomId)
  const join = (who: TestUser) => sendJoin({ ...who, socket: caller.socket, connectionId: 'other' }, roomId)
  const mute = (who: TestUser) => moderate(who, roomId, host, 'mute')
  await expectRefused(rooms, () => join(stale), [403, 'reauth_required'])
  await expectRefused(rooms, () => mute(stale), [403, 'reauth_required'])
  expect((await mute(fresh)).status).toBe(200)
  caller.socket.close()
})
