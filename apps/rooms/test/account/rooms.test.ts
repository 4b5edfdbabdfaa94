import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import {
  createMessage,
  createRoom,
  editMessage,
  makeMember,
  member,
  postFiles,
  react,
  signedInUser,
  succeed,
  uploadFile,
} from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'

eachDialect((_dialect, newUrl) => {
  let rooms: TestRooms
  beforeAll(async () => {
    rooms = await openRooms({ url: await newUrl() })
  })
  afterAll(() => rooms.close())

  test('R28.26: an export contains the user’s own room data and nothing that other users wrote', async () => {
    const bob = await signedInUser(rooms, { sub: 'bob', name: 'Bob' })
    const olga = await member(rooms, 'Olga')
    const { room: own } = await bob.browser.json<{ room: { id: string } }>(
      '/api/rooms',
      { body: { name: 'Bob’s den' } },
      201,
    )
    const lounge = await createRoom(olga, { name: 'Lounge' })
    const secret = await createRoom(olga, { name: 'Secret', visibility: 'private' })
    const asBob = { user: { id: bob.id } }
    await makeMember(rooms, lounge.id, asBob, 'speaker')
    await bob.browser.json(`/api/rooms/${lounge.id}/join`, { method: 'POST' })
    const { id: messageId } = await createMessage(bob, lounge.id, 'Said by Bob')
    await succeed(editMessage(bob, lounge.id, messageId, 'Written by Bob'))
    const { id: otherId } = await createMessage(olga, lounge.id, 'Said by Olga')
    await succeed(react(bob, lounge.id, otherId, '👍'))
    await succeed(react(olga, lounge.id, messageId, '🎉'))
    await olga.browser.json(`/api/rooms/${lounge.id}/ownership-transfer`, { body: { userId: bob.id } }, 201)
    await bob.browser.json(`/api/rooms/${own.id}/invitations/links`, { body: {} }, 201)
    await olga.browser.json(`/api/rooms/${secret.id}/members/${bob.id}/remove`, {
      body: { action: 'ban', reason: 'For moderators only' },
    })
    const inLounge = `/api/rooms/${lounge.id}`
    const { token, invitation } = await olga.browser.json<{ token: string; invitation: { id: string } }>(
      `${inLounge}/invitations/links`,
      { body: { role: 'moderator' } },
      201,
    )
    await bob.browser.json(`/api/room-invitations/${token}/accept`, { method: 'POST' })
    await olga.browser.json(`${inLounge}/members/${bob.id}`, { method: 'PATCH', body: { role: 'speaker' } })
    const plan = await uploadFile(bob, lounge.id, 'The plan', 'plan.txt')
    const withFile = await postFiles(bob, lounge.id, [plan.id])
    const response = await bob.browser.send('/api/account/export')
    const text = await response.text()
    const at = new Date(rooms.clock.ms).toISOString()
    const { rooms: exported } = JSON.parse(text) as { rooms: Record<string, unknown> }
    expect(exported).toEqual({
      owned: [{ roomId: own.id, name: 'Bob’s den', since: at }],
      memberships: [
        { roomId: lounge.id, kind: 'room', name: 'Lounge', role: 'speaker', joinedAt: at, group: null },
      ],
      readMarks: [],
      drafts: [],
      visits: [{ roomId: lounge.id, startedAt: at, endedAt: null }],
      // Equal times are in the order of the room.
      messages: [
        {
          roomId: lounge.id,
          id: messageId,
          content: 'Written by Bob',
          createdAt: at,
          deletedAt: null,
          earlierTexts: [{ content: 'Said by Bob', at }],
          files: [],
        },
        {
          roomId: lounge.id,
          id: withFile.id,
          content: '',
          createdAt: at,
          deletedAt: null,
          earlierTexts: [],
          files: [
            {
              name: 'plan.txt',
              type: 'application/octet-stream',
              bytes: 8,
              sha256: Bun.SHA256.hash('The plan', 'hex'),
              url: plan.url,
            },
          ],
        },
      ].toSorted((one, other) => (one.id < other.id ? -1 : 1)),
      reactions: [{ roomId: lounge.id, messageId: otherId, emoji: '👍', createdAt: at }],
      invitations: [
        expect.objectContaining({ roomId: own.id, received: false, role: 'speaker', createdAt: at }),
      ],
      usedInvitations: [{ id: invitation.id, roomId: lounge.id, usedAt: at }],
      rolesSetByHand: [{ roomId: lounge.id, role: 'speaker', setAt: at }],
      bans: [{ roomId: secret.id, kind: 'ban', createdAt: at, expiresAt: null }],
      transfers: [expect.objectContaining({ roomId: lounge.id, received: true, createdAt: at })],
    })
    for (const other of ['Said by Olga', '🎉', 'Secret', 'For moderators only'])
      expect(text).not.toContain(other)
    const links = await rooms.rooms.database.read
      .selectFrom('room_invitations')
      .select('token_hash')
      .execute()
    expect(text).not.toContain(links[0]?.token_hash ?? 'x')
  })

  test('R22: an export of a very active account is complete and ordered, and reads one page at a time', async () => {
    const carl = await signedInUser(rooms, { sub: 'carl', name: 'Carl' })
    const { id: room_id } = await createRoom(await member(rooms, 'Olga'))
    const often = Array.from({ length: 1_001 }, (_, seq) => seq)
    // Many rows with the same time: pages must neither repeat nor skip any of them.
    const ids = often.map((n) => [n, `${String(n).padStart(4, '0')}-${carl.id}`, 1 + (n >> 8)] as const)
    await rooms.rooms.database.write(async (tx) => {
      for (const [n, id, created_at] of ids) {
        const message = {
          id,
          room_id,
          seq: 10_000 + n,
          user_id: carl.id,
          content: 'x'.repeat(1000),
          created_at,
        }
        const none = { client_id: null, deleted_at: null, deleted_by: null }
        await tx
          .insertInto('room_messages')
          .values({ ...message, ...none, author_name: '', author_guest: 0 })
          .execute()
        const done = { id, actor_user_id: carl.id, action: 'test', metadata: '{}', created_at }
        const nowhere = { target_type: null, target_id: null, client_ip: null, request_id: null }
        await tx
          .insertInto('audit_events')
          .values({ ...done, ...nowhere })
          .execute()
      }
    })
    let turns = 0
    const turn = () => {
      turns++
      turning = setImmediate(turn)
    }
    let turning = setImmediate(turn)
    const parts: string[] = []
    const { body } = await carl.browser.send('/api/account/export')
    const decoder = new TextDecoder()
    for await (const part of body ?? []) parts.push(decoder.decode(part, { stream: true }))
    clearImmediate(turning)
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThan(300_000)
    expect(turns).toBeGreaterThan(5)
    const exported = JSON.parse(parts.join('')) as {
      rooms: { messages: { id: string }[] }
      activity: { id: string; action: string }[]
    }
    const all = ids.map(([, id]) => id)
    expect(exported.rooms.messages.map(({ id }) => id)).toEqual(all)
    const done = exported.activity.filter(({ action }) => action === 'test')
    expect(done.map(({ id }) => id)).toEqual(all)
  })
})
