import { expect, test } from 'bun:test'
import { apiOperations } from '../../src/operations.ts'
import { ClientFrame } from '../../src/realtime/protocol.ts'
import { guest, member } from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'

/**
 * What limits how often each operation makes an event for others. `message`: counts as a message.
 * Every other text names what bounds it.
 */
const BOUNDS: Readonly<Record<string, string>> = {
  postMessage: 'message',
  editMessage: 'message',
  pinMessage: 'message',
  unpinMessage: 'message',
  updateRoomSettings: 'message',
  changeMemberRole: 'message',
  removePerson: 'message',
  liftBan: 'message',
  archiveRoom: 'message',
  unarchiveRoom: 'message',
  acceptInvitation: 'message',
  becomeMember: 'message',
  endMembership: 'message',
  requestTransfer: 'message',
  cancelTransfer: 'message',
  moderateCall: 'message',
  updateProfile: 'message',
  deletePicture: 'message',
  setStatus: 'message',
  blockUser: 'message',
  unblockUser: 'message',
  setPicture: 'files_per_hour',
  addReaction: 'reactions_per_10s, for guests also as a message',
  removeReaction: 'reactions_per_10s, for guests also as a message',
  createRoom: 'rooms_per_hour',
  openDirect: 'directs_per_hour; one that exists is shown again once',
  deleteRoom: 'once for a room',
  deleteMessage: 'once for a message',
  joinRoom: 'room_writes_per_minute, and presence is sent at most every 250 ms',
  leaveRoom: 'room_writes_per_minute, and presence is sent at most every 250 ms',
  uploadFile: 'files_per_hour; no event',
  inviteUser: 'invitations_per_hour',
  createInvitationLink: 'invitations_per_hour; no event',
  revokeInvitation: 'once for an invitation',
  declineInvitation: 'once for an invitation',
  declineTransfer: 'once for a transfer',
  confirmTransfer: 'once for a transfer',
  joinCall: 'voice_joins_per_minute',
  leaveCall: 'once for a joinCall',
  declineCall: 'once for a joinCall',
  renameGuest: 'guest_rename_per_minute',
  createGuestSession: 'guest_create_per_minute; no event',
  markRoomRead: 'notice to oneself',
  setRoomPreferences: 'notice to oneself',
  saveDraft: 'notice to oneself',
  deleteDraft: 'notice to oneself',
  replaceRoomGroups: 'no event',
  setNotificationLevel: 'no event',
  updateNotificationSettings: 'no event',
  subscribeToPush: 'no event',
  unsubscribeFromPush: 'no event',
  createWsTicket: 'no event',
  endSession: 'once for a session',
  endOtherSessions: 'once for a session',
  logout: 'once for a session',
  deleteAccount: 'once for an account',
  takeOverRoom: 'admin_writes_per_minute',
  markDefaultRoom: 'admin_writes_per_minute',
  unmarkDefaultRoom: 'admin_writes_per_minute',
  changeUserStatus: 'admin_writes_per_minute',
  deleteUser: 'admin_writes_per_minute',
  changePlatformAdmin: 'admin_writes_per_minute',
  endAnySession: 'admin_writes_per_minute',
  endUserSessions: 'admin_writes_per_minute',
  endGuestSessions: 'admin_writes_per_minute',
  changePlatformSettings: 'admin_writes_per_minute',
  explainClaims: 'admin_writes_per_minute; no event',
}

/** What limits how often each frame makes an event. All count against socket_messages_per_10s as well. */
const FRAME_BOUNDS: Readonly<Record<string, string>> = {
  subscribe: 'room_writes_per_minute, and presence is sent at most every 250 ms',
  unsubscribe: 'once for a subscribe',
  subscribe_lobby: 'no event',
  unsubscribe_lobby: 'no event',
  typing: 'one event in three seconds per person and room',
  'voice.state': 'room_writes_per_minute, and presence is sent at most every 250 ms',
  'voice.signal': 'voice_signals_per_10s, to one person',
  people: 'no event',
  ping: 'no event',
}

const ID = '11111111-2222-4333-8444-555555555555'
const changes = apiOperations.filter(({ methods }) => methods.some((method) => method !== 'GET'))

test('R22: what bounds its events is known of each operation that changes something, and of each frame', () => {
  expect(changes.map(({ id }) => id).toSorted()).toEqual(Object.keys(BOUNDS).toSorted())
  const frames: string[] = ClientFrame.options.map((option) => option.shape.type.value)
  expect(frames.toSorted()).toEqual(Object.keys(FRAME_BOUNDS).toSorted())
})

/** Number of requests for an unknown room before the limit refuses one; at most `max`. */
async function allowedBefore(send: () => Promise<Response>, max: number): Promise<number> {
  for (let count = 0; count < max; count++) if ((await send()).status === 429) return count
  return max
}

async function expectCounted(
  rooms: TestRooms,
  { browser }: Awaited<ReturnType<typeof member>>,
  limit: number,
  isCounted: (id: string) => boolean,
): Promise<void> {
  for (const { id, path, methods } of changes) {
    if (!isCounted(id)) continue
    const [method] = methods
    const address = `/api${path.replace('{emoji}', encodeURIComponent('👍')).replaceAll(/\{\w+\}/g, ID)}`
    const body = id === 'postMessage' ? { content: 'Hello' } : undefined
    const send = () => browser.send(address, { method, ...(body && { body }) })
    expect([id, await allowedBefore(send, limit + 5)]).toEqual([id, limit])
    rooms.clock.ms += 10_000
  }
}

test('R22.4: each repeatable change that others see as an event counts as a message', async () => {
  const rooms = await openRooms({ limits: { messages_per_10s: 4, guest_messages_per_10s: 3 } })
  await expectCounted(rooms, await member(rooms), 4, (id) => BOUNDS[id] === 'message')
  await expectCounted(rooms, await guest(rooms), 3, (id) => BOUNDS[id]?.endsWith('as a message') === true)
  await rooms.close()
})
