import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { ALLOW_IDLE_TRANSACTION } from '@latchkey/database/session'
import { eachDialect } from '@latchkey/database/testing'
import { sql } from 'kysely'
import {
  type TestUser,
  admin,
  cancelTransfer,
  confirmTransfer,
  createRoom,
  declineTransfer,
  endMembership,
  eraseAccount,
  guest,
  inviteUser,
  join,
  makeMember,
  member,
  offerRoom,
  ownerOf,
  pendingTransfers,
  refusal,
  removeMember,
  rolesIn,
  setRole,
  succeed,
  takeOver,
} from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { lockAccount } from '../../src/users/store.ts'
import { untilWaiting } from '../rooms/locks.ts'
import { insertPerson } from '../sessions/people.ts'
import { expectRefused, linesOf } from './state.ts'

const DAY = 86_400_000
const NOWHERE = '11111111-2222-4333-8444-555555555555'

eachDialect((dialect, newUrl) => {
  let rooms: TestRooms
  let owner: TestUser
  beforeAll(async () => {
    const limits = {
      rooms_per_hour: 1000,
      messages_per_10s: 1000,
      rooms_owned: 1000,
      admin_writes_per_minute: 1000,
      search_per_minute: 1000,
    }
    rooms = await openRooms({ url: await newUrl(), limits })
    owner = await member(rooms, 'Olga')
  })
  afterAll(() => rooms.close())
  beforeEach(() => void (rooms.publishedEvents.length = 0))

  const db = () => rooms.rooms.database.read
  const transfersOf = (roomId: string) =>
    db().selectFrom('room_ownership_transfers').selectAll().where('room_id', '=', roomId).execute()

  test('R16.4: a room is offered, both sides see the offer, the recipient confirms, and the former owner becomes a moderator', async () => {
    const { id } = await createRoom(owner, { name: 'Den' })
    const bob = await member(rooms)
    await makeMember(rooms, id, bob, 'listener')
    rooms.publishedEvents.length = 0
    const response = await offerRoom(owner, id, bob)
    expect(response.status).toBe(201)
    const transfer = {
      roomId: id,
      fromUserId: owner.user.id,
      toUserId: bob.user.id,
      createdAt: new Date(rooms.clock.ms).toISOString(),
      expiresAt: new Date(rooms.clock.ms + DAY).toISOString(),
    }
    expect(await response.json()).toEqual({ transfer })
    const seen = { ...transfer, roomName: 'Den', fromNickname: 'Olga' }
    for (const who of [owner, bob]) expect(await pendingTransfers(who)).toEqual([seen])
    expect(await pendingTransfers(await member(rooms))).toEqual([])
    expect(rooms.publishedEvents).toEqual([
      { kind: 'notice', userId: bob.user.id, notice: 'transfer', data: { transfer: seen } },
    ])
    expect(await ownerOf(rooms, id)).toBe(owner.user.id)
    rooms.publishedEvents.length = 0
    expect(await (await confirmTransfer(bob, id)).json()).toEqual({ success: true })
    expect(await ownerOf(rooms, id)).toBe(bob.user.id)
    expect(await rolesIn(rooms, id)).toEqual({ [owner.user.id]: 'moderator' })
    expect(await transfersOf(id)).toEqual([])
    expect(rooms.publishedEvents).toMatchObject([
      {
        kind: 'event',
        event: { event: 'room.owner', data: { ownerId: bob.user.id, previousOwnerId: owner.user.id } },
      },
      { kind: 'access', roomId: id },
      { kind: 'lobby', roomId: id },
      { kind: 'notice', notice: 'transfer_ended', userId: owner.user.id },
      { kind: 'notice', notice: 'transfer_ended', userId: bob.user.id },
    ])
    expect((await linesOf(rooms, id)).map(({ action, actor }) => [action, actor])).toEqual([
      ['room.ownership.request', owner.user.id],
      ['room.ownership.transfer', bob.user.id],
    ])
    await expectRefused(rooms, () => confirmTransfer(bob, id), [404, 'not_found'])
    expect((await endMembership(owner, id)).status).toBe(200)
  })

  test('R22: a transfer does not exceed the limit of owned rooms', async () => {
    const node = await rooms.node({ limits: { ...rooms.limits, rooms_owned: 1 } })
    const [bob, cem] = [await member(node), await member(node)]
    const { id } = await createRoom(cem)
    await createRoom(bob)
    await makeMember(rooms, id, bob, 'speaker')
    await offerRoom(cem, id, bob)
    await expectRefused(node, () => confirmTransfer(bob, id), [409, 'limit_reached'])
    await node.close()
  })

  test('R27.3: of twenty concurrent confirmations one succeeds, and the others report that the transfer has changed', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms)
    await makeMember(rooms, id, bob, 'speaker')
    await offerRoom(owner, id, bob)
    const answers = await Promise.all(Array.from({ length: 20 }, () => confirmTransfer(bob, id)))
    const lost = answers.filter(({ status }) => status !== 200)
    expect(lost).toHaveLength(19)
    for (const answer of lost)
      expect(['409 transfer_changed', '404 not_found']).toContain((await refusal(answer)).join(' '))
    expect(await ownerOf(rooms, id)).toBe(bob.user.id)
    expect(await rolesIn(rooms, id)).toEqual({ [owner.user.id]: 'moderator' })
    const transfers = (await linesOf(rooms, id)).filter(({ action }) => action === 'room.ownership.transfer')
    expect(transfers).toHaveLength(1)
  })

  test('R27.3: concurrent transfers, takeovers and withdrawals leave one owner, who is not also a member', async () => {
    const admins = [await admin(rooms), await admin(rooms), await admin(rooms)]
    for (let round = 0; round < 5; round++) {
      const { id } = await createRoom(owner)
      const bob = await member(rooms)
      await makeMember(rooms, id, bob, 'speaker')
      await offerRoom(owner, id, bob)
      const answers = await Promise.all([
        confirmTransfer(bob, id),
        ...admins.map((root) => takeOver(root, id)),
        confirmTransfer(bob, id),
        cancelTransfer(owner, id),
        offerRoom(owner, id, bob),
        declineTransfer(bob, id),
        ...admins.map((root) => takeOver(root, id)),
      ])
      for (const answer of answers) expect(answer.status).toBeLessThan(500)
      const ownerId = (await ownerOf(rooms, id)) ?? ''
      expect([bob, ...admins].map(({ user }) => user.id)).toContain(ownerId)
      const roles = await rolesIn(rooms, id)
      expect(Object.keys(roles)).not.toContain(ownerId)
      expect(roles[owner.user.id]).toBe('moderator')
      // Each change of owner is published and audited once, and leads to the next.
      const changes = rooms.publishedEvents
        .filter((event) => event.kind === 'event')
        .filter((event) => event.roomId === id && event.event.event === 'room.owner')
        .map((event) => event.event)
        .toSorted((a, b) => a.seq - b.seq)
      let current = owner.user.id
      for (const { data } of changes) {
        expect(data['previousOwnerId']).toBe(current)
        current = data['ownerId'] as string
      }
      expect(current).toBe(ownerId)
      const lines = (await linesOf(rooms, id)).filter(({ action }) =>
        ['room.ownership.transfer', 'admin.room.takeover'].includes(action as string),
      )
      expect(lines).toHaveLength(changes.length)
    }
  })

  /** Inserts an identity, as a login does, which makes the account complete. */
  const withIdentity = async (who: TestUser) => {
    const identity = { user_id: who.user.id, is_guest: 0, issuer: 'i', mode: 'oidc', created_at: 0 } as const
    await rooms.rooms.database.write((tx) =>
      tx
        .insertInto('identities')
        .values({ ...identity, id: crypto.randomUUID(), subject: who.user.id })
        .execute(),
    )
    return who
  }

  test('an account that is erased while it receives a room leaves no room without an owner', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await createRoom(owner)
      const bob = await withIdentity(await member(rooms))
      await makeMember(rooms, id, bob, 'speaker')
      await offerRoom(owner, id, bob)
      const [erased, confirmed] = await Promise.all([eraseAccount(bob), confirmTransfer(bob, id)])
      expect([200, 409]).toContain(erased.status)
      if (erased.status === 409) {
        expect(await erased.json()).toMatchObject({ code: 'owns_rooms', roomIds: [id] })
        expect(await ownerOf(rooms, id)).toBe(bob.user.id)
      } else {
        expect([401, 404, 409]).toContain(confirmed.status)
        expect(await ownerOf(rooms, id)).toBe(owner.user.id)
      }
    }
  })

  if (dialect === 'postgres')
    test('an erasure locks the rooms that the person has created before the account, as moderation does', async () => {
      const bob = await withIdentity(await member(rooms))
      const { id } = await createRoom(bob)
      await makeMember(rooms, id, owner, 'speaker')
      await offerRoom(bob, id, owner)
      await succeed(confirmTransfer(owner, id))
      const { database } = rooms.rooms
      const [isRoomLocked, erased, changed] = await database.write(async (tx) => {
        await sql.raw(ALLOW_IDLE_TRANSACTION).execute(tx)
        await lockAccount(tx, bob.user.id)
        const erasing = eraseAccount(bob)
        await untilWaiting(rooms, { done: erasing })
        const wasLocked = await isLocked(id)
        const changing = setRole(owner, id, bob, 'speaker')
        await untilWaiting(rooms, { count: 2, done: changing })
        return [wasLocked, erasing, changing] as const
      })
      expect(isRoomLocked).toBe(true)
      expect([(await erased).status, (await changed).status]).toEqual([200, 404])
    })

  /** Whether another transaction has locked the room. */
  async function isLocked(roomId: string): Promise<boolean> {
    const { rows } =
      await sql`select 1 from rooms where id = ${roomId} for no key update skip locked`.execute(db())
    return rows.length === 0
  }

  test('operations on an account that is being erased happen before the erasure or not at all', async () => {
    const { id } = await createRoom(owner)
    const attempts = (who: TestUser): Promise<Response>[] => [
      setRole(owner, id, who, 'speaker'),
      inviteUser(owner, id, who, { role: 'moderator' }),
      offerRoom(owner, id, who),
      removeMember(owner, id, who, { action: 'ban' }),
    ]
    for (let round = 0; round < 5; round++) {
      const bob = await withIdentity(await member(rooms))
      await makeMember(rooms, id, bob)
      const [erased, ...answers] = await Promise.all([eraseAccount(bob), ...attempts(bob)])
      expect(erased?.status).toBe(200)
      for (const { status } of answers) expect([200, 201, 404]).toContain(status)
    }
    expect(await rolesIn(rooms, id)).toEqual({})
    expect(await transfersOf(id)).toEqual([])
  })

  if (dialect === 'postgres') return

  test('a room can be offered only to a member account that is a member of it', async () => {
    const { id } = await createRoom(owner)
    const gustav = await guest(rooms)
    await makeMember(rooms, id, gustav, 'speaker')
    const disabled = { user: await insertPerson(rooms, { disabled: 1 }) }
    await makeMember(rooms, id, disabled, 'moderator')
    const visitor = await member(rooms)
    await join(visitor, id)
    for (const to of [gustav, disabled, visitor, { user: { id: NOWHERE } }])
      await expectRefused(rooms, () => offerRoom(owner, id, to), [404, 'not_found'])
    await expectRefused(rooms, () => offerRoom(owner, id, owner), [409, 'target_is_owner'])
  })

  test('a new offer replaces the earlier one, whose recipient is notified', async () => {
    const { id } = await createRoom(owner)
    const [bob, cem] = [await member(rooms), await member(rooms)]
    for (const who of [bob, cem]) await makeMember(rooms, id, who, 'speaker')
    await offerRoom(owner, id, bob)
    rooms.publishedEvents.length = 0
    await offerRoom(await admin(rooms), id, cem)
    expect(
      rooms.publishedEvents.map((event) => event.kind === 'notice' && [event.userId, event.notice]),
    ).toEqual([
      [owner.user.id, 'transfer_ended'],
      [bob.user.id, 'transfer_ended'],
      [cem.user.id, 'transfer'],
    ])
    expect(await pendingTransfers(bob)).toEqual([])
    await expectRefused(rooms, () => confirmTransfer(bob, id), [404, 'not_found'])
    await expectRefused(rooms, () => declineTransfer(bob, id), [404, 'not_found'])
    expect(await pendingTransfers(cem)).toEqual([
      expect.objectContaining({ fromUserId: owner.user.id, toUserId: cem.user.id }),
    ])
    expect((await confirmTransfer(cem, id)).status).toBe(200)
    expect(await ownerOf(rooms, id)).toBe(cem.user.id)
  })

  test('an offer that is withdrawn, declined or older than 24 hours cannot be confirmed', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms)
    await makeMember(rooms, id, bob, 'speaker')
    await offerRoom(owner, id, bob)
    await expectRefused(rooms, () => cancelTransfer(bob, id), [403, 'forbidden'])
    await expectRefused(rooms, () => declineTransfer(owner, id), [404, 'not_found'])
    expect((await cancelTransfer(owner, id)).status).toBe(200)
    await expectRefused(rooms, () => confirmTransfer(bob, id), [404, 'not_found'])
    await expectRefused(rooms, () => cancelTransfer(owner, id), [404, 'not_found'])
    await offerRoom(owner, id, bob)
    rooms.publishedEvents.length = 0
    expect((await declineTransfer(bob, id)).status).toBe(200)
    expect(
      rooms.publishedEvents.map((event) => event.kind === 'notice' && [event.userId, event.notice]),
    ).toEqual([
      [owner.user.id, 'transfer_ended'],
      [bob.user.id, 'transfer_ended'],
    ])
    await expectRefused(rooms, () => confirmTransfer(bob, id), [404, 'not_found'])
    await offerRoom(owner, id, bob)
    rooms.clock.ms += DAY
    await expectRefused(rooms, () => confirmTransfer(bob, id), [404, 'not_found'])
    expect(await pendingTransfers(bob)).toEqual([])
    expect((await linesOf(rooms, id)).map(({ action }) => action)).toEqual([
      'room.ownership.request',
      'room.ownership.cancel',
      'room.ownership.request',
      'room.ownership.decline',
      'room.ownership.request',
    ])
    expect(await ownerOf(rooms, id)).toBe(owner.user.id)
  })

  test('an offer ends with the membership of its recipient', async () => {
    const ends: Record<string, (roomId: string, who: TestUser) => Promise<unknown>> = {
      left: (roomId, who) => succeed(endMembership(who, roomId)),
      kicked: (roomId, who) => succeed(removeMember(owner, roomId, who, { action: 'kick' })),
    }
    for (const [how, end] of Object.entries(ends)) {
      const { id } = await createRoom(owner)
      const bob = await member(rooms)
      await makeMember(rooms, id, bob, 'speaker')
      await offerRoom(owner, id, bob)
      rooms.publishedEvents.length = 0
      await end(id, bob)
      expect([how, await pendingTransfers(owner)]).toEqual([how, []])
      expect(rooms.publishedEvents.filter(({ kind }) => kind === 'notice')).toHaveLength(2)
      await expectRefused(rooms, () => confirmTransfer(bob, id), [404, 'not_found'])
    }
  })

  test('erasing the recipient of offers ends them and notifies the owners', async () => {
    const cem = await member(rooms, 'Cem')
    const root = await admin(rooms)
    const erasures: Record<string, (who: TestUser) => Promise<Response>> = {
      themselves: eraseAccount,
      'by an administrator': ({ user }) =>
        root.browser.send(`/api/admin/users/${user.id}`, { method: 'DELETE' }),
    }
    for (const [how, erase] of Object.entries(erasures)) {
      const bob = await member(rooms)
      const offered = []
      for (const from of [owner, cem]) {
        const { id } = await createRoom(from)
        await makeMember(rooms, id, bob, 'speaker')
        await offerRoom(from, id, bob)
        const data = { roomId: id, fromUserId: from.user.id, toUserId: bob.user.id }
        offered.push([from.user.id, data] as const)
      }
      rooms.publishedEvents.length = 0
      expect([how, (await erase(bob)).status]).toEqual([how, 200])
      const endNotices = rooms.publishedEvents.filter(
        (event) =>
          event.kind === 'notice' && event.notice === 'transfer_ended' && event.userId !== bob.user.id,
      )
      expect(endNotices).toHaveLength(2)
      for (const [userId, data] of offered)
        expect(endNotices).toContainEqual({ kind: 'notice', userId, notice: 'transfer_ended', data })
      expect(rooms.publishedEvents).toContainEqual({ kind: 'person', userId: bob.user.id })
    }
  })

  test('a guest transfers a room and stays as a speaker', async () => {
    const gustav = await guest(rooms)
    const { id } = await createRoom(gustav)
    const bob = await member(rooms)
    await makeMember(rooms, id, bob, 'moderator')
    expect((await offerRoom(gustav, id, bob)).status).toBe(201)
    expect((await confirmTransfer(bob, id)).status).toBe(200)
    expect(await rolesIn(rooms, id)).toEqual({ [gustav.user.id]: 'speaker' })
  })
})
