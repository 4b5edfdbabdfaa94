import { expect, test } from 'bun:test'
import { onSqlite } from '@latchkey/database/testing'
import { apiOperations } from '../../src/operations.ts'
import {
  type TestUser,
  acceptInvitation,
  changeSettings,
  createInvitationLink,
  createMessage,
  createRoom,
  inviteUser,
  listedRoom,
  makeMember,
  member,
  offerRoom,
  pin,
  react,
  readEvents,
  readMessages,
  refusal,
  removeMember,
  roleOf,
  uploadFile,
} from '../actions.ts'
import { listen } from '../realtime/live.ts'
import { type TestRooms, openRooms } from '../rooms.ts'

interface Stage {
  rooms: TestRooms
  owner: TestUser
  speaker: TestUser
  outsider: TestUser
  banned: TestUser
  roomId: string
  messageId: string
  token: string
  invitationId: string
}

/** Request to an operation, relative to its room. */
type Sent = [method: string, path: string, body?: unknown, by?: keyof Stage]

/**
 * What each operation that writes in a room answers in an archived one. An operation that is not
 * listed fails the test.
 */
const REFUSED: Record<string, (stage: Stage) => Sent> = {
  postMessage: () => ['POST', '/messages', { content: 'Late' }],
  editMessage: ({ messageId }) => ['PATCH', `/messages/${messageId}`, { content: 'Late' }],
  addReaction: ({ messageId }) => ['PUT', `/messages/${messageId}/reactions/🎉`],
  removeReaction: ({ messageId }) => ['DELETE', `/messages/${messageId}/reactions/👍`],
  pinMessage: ({ messageId }) => ['PUT', `/messages/${messageId}/pin`],
  unpinMessage: ({ messageId }) => ['DELETE', `/messages/${messageId}/pin`],
  uploadFile: () => ['POST', '/files', formWithFile()],
  saveDraft: () => ['PUT', '/draft', { content: 'Late' }],
  joinCall: () => ['POST', '/voice', { connectionId: crypto.randomUUID() }],
  becomeMember: () => ['PUT', '/membership', undefined, 'outsider'],
  inviteUser: ({ outsider }) => ['POST', '/invitations/users', { userId: outsider.user.id }],
  createInvitationLink: () => ['POST', '/invitations/links', {}],
  requestTransfer: ({ speaker }) => ['POST', '/ownership-transfer', { userId: speaker.user.id }],
  confirmTransfer: () => ['POST', '/ownership-transfer/confirm', undefined, 'speaker'],
}

const ALLOWED: Record<string, (stage: Stage) => Sent> = {
  joinRoom: () => ['POST', '/join', {}],
  leaveRoom: () => ['DELETE', '/leave'],
  markRoomRead: () => ['PUT', '/read', { seq: 1 }],
  setRoomPreferences: () => ['PUT', '/preferences', { starred: true }],
  setNotificationLevel: () => ['PUT', '/notifications', { level: 'all' }],
  deleteDraft: () => ['DELETE', '/draft'],
  updateRoomSettings: () => ['PATCH', '/settings', { name: 'Lounge of old' }],
  replaceRoomGroups: () => ['PUT', '/groups', { groups: [] }],
  changeMemberRole: ({ speaker }) => ['PATCH', `/members/${speaker.user.id}`, { role: 'moderator' }],
  removePerson: ({ outsider }) => ['POST', `/members/${outsider.user.id}/remove`, { action: 'ban' }],
  liftBan: ({ banned }) => ['DELETE', `/bans/${banned.user.id}`],
  leaveCall: () => ['DELETE', '/voice'],
  revokeInvitation: ({ invitationId }) => ['DELETE', `/invitations/${invitationId}`],
  declineTransfer: () => ['POST', '/ownership-transfer/decline', undefined, 'speaker'],
  deleteMessage: ({ messageId }) => ['DELETE', `/messages/${messageId}`],
  archiveRoom: () => ['PUT', '/archive'],
  endMembership: () => ['DELETE', '/membership', undefined, 'speaker'],
  unarchiveRoom: () => ['DELETE', '/archive'],
  deleteRoom: () => ['DELETE', ''],
}

/** Operations that need what the room does not have: a call, or another offer. */
const IMPOSSIBLE = ['moderateCall', 'declineCall', 'cancelTransfer']

onSqlite((newUrl) => {
  test('R36.3b: an archived room refuses every operation that adds something, and allows reading, leaving, settings, moderation and deletion', async () => {
    const writing = apiOperations
      .filter(({ path, methods }) => path.startsWith('/rooms/{id}') && !methods.includes('GET'))
      .map(({ id }) => id)
    expect(writing.toSorted()).toEqual(
      [...Object.keys(REFUSED), ...Object.keys(ALLOWED), ...IMPOSSIBLE].toSorted(),
    )
    const stage = await openStage(await newUrl())
    const { owner, roomId, rooms, token } = stage
    const send = async ([method, path, body, by = 'owner']: Sent) =>
      (stage[by] as TestUser).browser.send(`/api/rooms/${roomId}${path}`, {
        method,
        ...(body !== undefined && { body }),
      })
    expect((await send(['PUT', '/archive'])).status).toBe(200)
    for (const [id, sent] of Object.entries(REFUSED))
      expect([id, ...(await refusal(await send(sent(stage))))]).toEqual([id, 409, 'archived'])
    // Nor does a first message make its author a member.
    expect(await refusal(await send(['POST', '/messages', { content: 'Late' }, 'outsider']))).toEqual([
      409,
      'archived',
    ])
    expect(await roleOf(rooms, roomId, stage.outsider)).toBeNull()
    // An address of an invitation does not name the room.
    expect(await refusal(await acceptInvitation(stage.outsider, token))).toEqual([409, 'archived'])
    expect((await readMessages(owner, roomId)).messages).toHaveLength(1)
    const paths = ['', '/messages', '/events', '/members', '/bans', '/pins', '/invitations']
    for (const path of paths)
      expect([path, (await owner.browser.send(`/api/rooms/${roomId}${path}`)).status]).toEqual([path, 200])
    for (const [id, sent] of Object.entries(ALLOWED))
      expect([id, (await send(sent(stage))).status]).toEqual([id, 200])
    await rooms.close()
  })

  test('R36.3 R36.3c R36.3d R36.3h: an archived room leaves the lists, search finds it, and an archive ends its call at once', async () => {
    const rooms = await openRooms({ url: await newUrl(), settings: { voice: MESH } })
    const live = listen(rooms.rooms)
    const [owner, viewer] = [await member(rooms, 'Olga'), await member(rooms, 'Vera')]
    const { id } = await createRoom(owner, { name: 'Harbour', topic: 'Ships and quays' })
    await createMessage(owner, id, 'The anchor is heavy')
    const [caller, lobby] = [live.connect(owner.browser), live.connect(viewer.browser)]
    await caller.subscribe(id)
    await lobby.ask({ type: 'subscribe_lobby' })
    const welcome = await caller.of('welcome')
    const connectionId = String(welcome['connectionId'])
    expect((await owner.browser.send(`/api/rooms/${id}/voice`, { body: { connectionId } })).status).toBe(200)
    const { room } = await owner.browser.json<{ room: Record<string, unknown> }>(`/api/rooms/${id}/archive`, {
      method: 'PUT',
    })
    expect(room['archived']).toBe(true)
    expect(await caller.of('voice.removed')).toMatchObject({ roomId: id, reason: 'off' })
    rooms.clock.ms += 5_000
    await rooms.rooms.jobs.runDue()
    await caller.frame(({ event }) => event === 'call.ended')
    await rooms.rooms.hub.lobby.flush()
    expect(await lobby.frame(({ remove }) => remove === id)).toBeDefined()
    const listed = async (query: string) =>
      (await viewer.browser.json<{ rooms: { id: string }[] }>(`/api/rooms?${query}`)).rooms.map(
        (each) => each.id,
      )
    expect(await listed('')).toEqual([])
    expect(await listed('followed=true')).toEqual([])
    expect(await listed('archived=true')).toEqual([id])
    expect(await listed('q=QUAYS')).toEqual([id])
    expect(await listed('q=harb')).toEqual([id])
    expect(await listed('q=harb&archived=false')).toEqual([])
    expect(await viewer.browser.json('/api/search?q=anchor')).toMatchObject({
      results: [{ room: { id } }],
    })
    const events = await readEvents(owner, id)
    expect(events.filter(({ event }) => event === 'room.settings').map(({ data }) => data)).toMatchObject([
      {
        person: { userId: owner.user.id, nickname: 'Olga' },
        changes: ['archived'],
        room: { archived: true },
      },
    ])
    // Visitors enter and read.
    expect((await lobby.subscribe(id))['type']).toBe('subscribed')
    expect((await owner.browser.send(`/api/rooms/${id}/archive`, { method: 'DELETE' })).status).toBe(200)
    await rooms.rooms.hub.lobby.flush()
    await lobby.frame(({ upsert }) => (upsert as { id?: string } | undefined)?.id === id)
    expect(await listedRoom(viewer, id)).toBeDefined()
    await createMessage(viewer, id, 'Open again')
    await live.stop()
    await rooms.close()
  })

  test('R36.3: a topic is a line of at most 250 characters, and empty text removes it', async () => {
    const rooms = await openRooms({ url: await newUrl() })
    const owner = await member(rooms)
    const { id } = await createRoom(owner, { topic: ' Ships\nand\u202e quays ' })
    const topic = async () =>
      (await owner.browser.json<{ room: { topic: unknown } }>(`/api/rooms/${id}`)).room.topic
    expect(await topic()).toBe('Ships and quays')
    for (const wrong of ['é'.repeat(251), 7, ['x']])
      expect((await changeSettings(owner, id, { topic: wrong })).status).toBe(400)
    expect((await changeSettings(owner, id, { topic: '😀'.repeat(250) })).status).toBe(200)
    for (const none of ['', ' \u200b ', null]) {
      expect((await changeSettings(owner, id, { topic: 'Ships' })).status).toBe(200)
      expect((await changeSettings(owner, id, { topic: none })).status).toBe(200)
      expect(await topic()).toBeNull()
    }
    await rooms.close()
  })
})

const MESH = {
  mode: 'mesh',
  guests: 'listen',
  stunUrls: [],
  turnUrls: [],
  turnSecret: null,
  relayOnly: false,
} as never

function formWithFile(): FormData {
  const body = new FormData()
  body.set('file', new File(['text'], 'notes.txt'))
  return body
}

/** A room with something of everything in it. */
async function openStage(url: string): Promise<Stage> {
  const rooms = await openRooms({ url, settings: { voice: MESH } })
  const [owner, speaker, outsider, banned, invited] = [
    await member(rooms, 'Olga'),
    await member(rooms, 'Sven'),
    await member(rooms, 'Otto'),
    await member(rooms, 'Bert'),
    await member(rooms, 'Inga'),
  ]
  const { id: roomId } = await createRoom(owner)
  await makeMember(rooms, roomId, speaker, 'speaker')
  const { id: messageId } = await createMessage(owner, roomId)
  await react(owner, roomId, messageId, '👍')
  await pin(owner, roomId, messageId)
  await uploadFile(owner, roomId, 'text')
  const { token } = await createInvitationLink(owner, roomId)
  const answer = await inviteUser(owner, roomId, invited)
  const { invitation } = (await answer.json()) as { invitation: { id: string } }
  await removeMember(owner, roomId, banned, { action: 'ban' })
  await offerRoom(owner, roomId, speaker)
  return { rooms, owner, speaker, outsider, banned, roomId, messageId, token, invitationId: invitation.id }
}
