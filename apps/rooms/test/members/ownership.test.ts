import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { purgeGuests } from '../../src/guests/operations.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import {
  type TestUser,
  admin,
  ban,
  createRoom,
  guest,
  join,
  makeMember,
  member,
  refusal,
} from '../rooms/rooms.ts'
import { listAuditEvents, insertPerson } from '../sessions/people.ts'
import { expectRefused, linesOf } from './state.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const NOWHERE = '11111111-2222-4333-8444-555555555555'

eachDialect((_dialect, newUrl) => {
  let rooms: TestRooms
  let owner: TestUser
  beforeAll(async () => {
    const limits = {
      rooms_per_hour: 1000,
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
  const post = ({ browser }: TestUser, roomId: string, path: string, body?: unknown) =>
    browser.send(`/api/rooms/${roomId}/ownership-transfer${path}`, {
      method: 'POST',
      ...(body !== undefined && { body }),
    })
  const offer = (who: TestUser, roomId: string, to: { user: { id: string } }) =>
    post(who, roomId, '', { userId: to.user.id })
  const confirm = (who: TestUser, roomId: string) => post(who, roomId, '/confirm')
  const decline = (who: TestUser, roomId: string) => post(who, roomId, '/decline')
  const cancel = ({ browser }: TestUser, roomId: string) =>
    browser.send(`/api/rooms/${roomId}/ownership-transfer`, { method: 'DELETE' })
  const takeOver = ({ browser }: TestUser, roomId: string, reason: unknown = 'The owner is gone') =>
    browser.send(`/api/admin/rooms/${roomId}/takeover`, { body: { reason } })
  const pendingOf = async ({ browser }: TestUser) =>
    (await browser.json<{ transfers: Record<string, unknown>[] }>('/api/room-ownership-transfers/pending'))
      .transfers
  const ownerOf = async (roomId: string) =>
    (await db().selectFrom('rooms').select('owner_id').where('id', '=', roomId).executeTakeFirst())?.owner_id
  const rolesIn = async (roomId: string) => {
    const rows = await db().selectFrom('room_members').selectAll().where('room_id', '=', roomId).execute()
    return Object.fromEntries(rows.map(({ user_id, role }) => [user_id, role]))
  }
  const transfersOf = (roomId: string) =>
    db().selectFrom('room_ownership_transfers').selectAll().where('room_id', '=', roomId).execute()

  test('R16.4: a room is offered, seen by both sides, confirmed, and its owner becomes moderator', async () => {
    const { id } = await createRoom(owner, { name: 'Den' })
    const bob = await member(rooms)
    await makeMember(rooms, id, bob, 'listener')
    rooms.publishedEvents.length = 0
    const response = await offer(owner, id, bob)
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
    for (const who of [owner, bob]) expect(await pendingOf(who)).toEqual([seen])
    expect(await pendingOf(await member(rooms))).toEqual([])
    expect(rooms.publishedEvents).toEqual([
      { kind: 'notice', userId: bob.user.id, notice: 'transfer', data: { transfer: seen } },
    ])
    expect(await ownerOf(id)).toBe(owner.user.id)
    rooms.publishedEvents.length = 0
    expect(await (await confirm(bob, id)).json()).toEqual({ success: true })
    expect(await ownerOf(id)).toBe(bob.user.id)
    expect(await rolesIn(id)).toEqual({ [owner.user.id]: 'moderator' })
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
    await expectRefused(rooms, () => confirm(bob, id), [404, 'not_found'])
    expect((await owner.browser.send(`/api/rooms/${id}/membership`, { method: 'DELETE' })).status).toBe(200)
  })

  test('only a member account that is a member is offered a room', async () => {
    const { id } = await createRoom(owner)
    const gustav = await guest(rooms)
    await makeMember(rooms, id, gustav, 'speaker')
    const disabled = { user: await insertPerson(rooms, { disabled: 1 }) }
    await makeMember(rooms, id, disabled as TestUser, 'moderator')
    const visitor = await member(rooms)
    await join(visitor, id)
    for (const to of [gustav, disabled, visitor, { user: { id: NOWHERE } }])
      await expectRefused(rooms, () => offer(owner, id, to), [404, 'not_found'])
    await expectRefused(rooms, () => offer(owner, id, owner), [409, 'target_is_owner'])
  })

  test('a new offer replaces the old one, and whoever had that is told', async () => {
    const { id } = await createRoom(owner)
    const [bob, cem] = [await member(rooms), await member(rooms)]
    for (const who of [bob, cem]) await makeMember(rooms, id, who, 'speaker')
    await offer(owner, id, bob)
    rooms.publishedEvents.length = 0
    await offer(await admin(rooms), id, cem)
    expect(rooms.publishedEvents.map((news) => news.kind === 'notice' && [news.userId, news.notice])).toEqual(
      [
        [owner.user.id, 'transfer_ended'],
        [bob.user.id, 'transfer_ended'],
        [cem.user.id, 'transfer'],
      ],
    )
    expect(await pendingOf(bob)).toEqual([])
    await expectRefused(rooms, () => confirm(bob, id), [404, 'not_found'])
    await expectRefused(rooms, () => decline(bob, id), [404, 'not_found'])
    expect(await pendingOf(cem)).toEqual([
      expect.objectContaining({ fromUserId: owner.user.id, toUserId: cem.user.id }),
    ])
    expect((await confirm(cem, id)).status).toBe(200)
    expect(await ownerOf(id)).toBe(cem.user.id)
  })

  test('an offer is withdrawn, declined or runs out after 24 hours, and is then confirmed by nobody', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms)
    await makeMember(rooms, id, bob, 'speaker')
    await offer(owner, id, bob)
    await expectRefused(rooms, () => cancel(bob, id), [403, 'forbidden'])
    await expectRefused(rooms, () => decline(owner, id), [404, 'not_found'])
    expect((await cancel(owner, id)).status).toBe(200)
    await expectRefused(rooms, () => confirm(bob, id), [404, 'not_found'])
    await expectRefused(rooms, () => cancel(owner, id), [404, 'not_found'])
    await offer(owner, id, bob)
    rooms.publishedEvents.length = 0
    expect((await decline(bob, id)).status).toBe(200)
    expect(rooms.publishedEvents.map((news) => news.kind === 'notice' && [news.userId, news.notice])).toEqual(
      [
        [owner.user.id, 'transfer_ended'],
        [bob.user.id, 'transfer_ended'],
      ],
    )
    await expectRefused(rooms, () => confirm(bob, id), [404, 'not_found'])
    await offer(owner, id, bob)
    rooms.clock.ms += DAY
    await expectRefused(rooms, () => confirm(bob, id), [404, 'not_found'])
    expect(await pendingOf(bob)).toEqual([])
    expect((await linesOf(rooms, id)).map(({ action }) => action)).toEqual([
      'room.ownership.request',
      'room.ownership.cancel',
      'room.ownership.request',
      'room.ownership.decline',
      'room.ownership.request',
    ])
    expect(await ownerOf(id)).toBe(owner.user.id)
  })

  test('who is no member any more is not given the room: the offer ends with the membership', async () => {
    const ends: Record<string, (roomId: string, who: TestUser) => Promise<unknown>> = {
      left: (roomId, { browser }) => browser.json(`/api/rooms/${roomId}/membership`, { method: 'DELETE' }),
      kicked: (roomId, { user }) =>
        owner.browser.json(`/api/rooms/${roomId}/members/${user.id}/remove`, { body: { action: 'kick' } }),
    }
    for (const [how, end] of Object.entries(ends)) {
      const { id } = await createRoom(owner)
      const bob = await member(rooms)
      await makeMember(rooms, id, bob, 'speaker')
      await offer(owner, id, bob)
      rooms.publishedEvents.length = 0
      await end(id, bob)
      expect([how, await pendingOf(owner)]).toEqual([how, []])
      expect(rooms.publishedEvents.filter(({ kind }) => kind === 'notice')).toHaveLength(2)
      await expectRefused(rooms, () => confirm(bob, id), [404, 'not_found'])
    }
  })

  test('who is offered rooms and is erased takes the offers along, which their owners are told', async () => {
    const cem = await member(rooms, 'Cem')
    const root = await admin(rooms)
    const erasures: Record<string, (who: TestUser) => Promise<Response>> = {
      themselves: ({ browser }) =>
        browser.send('/api/account', { method: 'DELETE', body: { confirm: true } }),
      'by an administrator': ({ user }) =>
        root.browser.send(`/api/admin/users/${user.id}`, { method: 'DELETE' }),
    }
    for (const [how, erase] of Object.entries(erasures)) {
      const bob = await member(rooms)
      const offered = []
      for (const from of [owner, cem]) {
        const { id } = await createRoom(from)
        await makeMember(rooms, id, bob, 'speaker')
        await offer(from, id, bob)
        const data = { roomId: id, fromUserId: from.user.id, toUserId: bob.user.id }
        offered.push([from.user.id, data] as const)
      }
      rooms.publishedEvents.length = 0
      expect([how, (await erase(bob)).status]).toEqual([how, 200])
      const told = rooms.publishedEvents.filter(
        (news) => news.kind === 'notice' && news.notice === 'transfer_ended' && news.userId !== bob.user.id,
      )
      expect(told).toHaveLength(2)
      for (const [userId, data] of offered)
        expect(told).toContainEqual({ kind: 'notice', userId, notice: 'transfer_ended', data })
      expect(rooms.publishedEvents).toContainEqual({ kind: 'person', userId: bob.user.id })
    }
  })

  test('R22: nobody is given more rooms than one may own', async () => {
    const node = await rooms.node({ limits: { ...rooms.limits, rooms_owned: 1 } })
    const [bob, cem] = [await member(node), await member(node)]
    const { id } = await createRoom(cem)
    await createRoom(bob)
    await makeMember(rooms, id, bob, 'speaker')
    await offer(cem, id, bob)
    await expectRefused(node, () => confirm(bob, id), [409, 'limit_reached'])
    await node.close()
  })

  test('a guest hands a room over and stays as a speaker', async () => {
    const gustav = await guest(rooms)
    const { id } = await createRoom(gustav)
    const bob = await member(rooms)
    await makeMember(rooms, id, bob, 'moderator')
    expect((await offer(gustav, id, bob)).status).toBe(201)
    expect((await confirm(bob, id)).status).toBe(200)
    expect(await rolesIn(id)).toEqual({ [gustav.user.id]: 'speaker' })
  })

  test('R27.3: of twenty confirmations at once one succeeds; the others are told that it has changed', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms)
    await makeMember(rooms, id, bob, 'speaker')
    await offer(owner, id, bob)
    const answers = await Promise.all(Array.from({ length: 20 }, () => confirm(bob, id)))
    const lost = answers.filter(({ status }) => status !== 200)
    expect(lost).toHaveLength(19)
    for (const answer of lost)
      expect(['409 transfer_changed', '404 not_found']).toContain((await refusal(answer)).join(' '))
    expect(await ownerOf(id)).toBe(bob.user.id)
    expect(await rolesIn(id)).toEqual({ [owner.user.id]: 'moderator' })
    const transfers = (await linesOf(rooms, id)).filter(({ action }) => action === 'room.ownership.transfer')
    expect(transfers).toHaveLength(1)
  })

  test('R27.3: transfers, takeovers and withdrawals at once leave one owner, who is no member beside that', async () => {
    const admins = [await admin(rooms), await admin(rooms), await admin(rooms)]
    for (let round = 0; round < 5; round++) {
      const { id } = await createRoom(owner)
      const bob = await member(rooms)
      await makeMember(rooms, id, bob, 'speaker')
      await offer(owner, id, bob)
      const answers = await Promise.all([
        confirm(bob, id),
        ...admins.map((root) => takeOver(root, id)),
        confirm(bob, id),
        cancel(owner, id),
        offer(owner, id, bob),
        decline(bob, id),
        ...admins.map((root) => takeOver(root, id)),
      ])
      for (const answer of answers) expect(answer.status).toBeLessThan(500)
      const ownerId = (await ownerOf(id)) ?? ''
      expect([bob, ...admins].map(({ user }) => user.id)).toContain(ownerId)
      const roles = await rolesIn(id)
      expect(Object.keys(roles)).not.toContain(ownerId)
      expect(roles[owner.user.id]).toBe('moderator')
      // Each change of owner is told and written down once, and leads to the next.
      const changes = rooms.publishedEvents
        .filter((news) => news.kind === 'event')
        .filter((news) => news.roomId === id && news.event.event === 'room.owner')
        .map((news) => news.event)
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

  const erase = ({ browser }: TestUser) =>
    browser.send('/api/account', { method: 'DELETE', body: { confirm: true } })
  /** As a login leaves it, so that the account is a whole one. */
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

  test('an account that is erased while it is being given a room leaves no room without an owner', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await createRoom(owner)
      const bob = await withIdentity(await member(rooms))
      await makeMember(rooms, id, bob, 'speaker')
      await offer(owner, id, bob)
      const [erased, confirmed] = await Promise.all([erase(bob), confirm(bob, id)])
      expect([200, 409]).toContain(erased.status)
      if (erased.status === 409) {
        expect(await erased.json()).toMatchObject({ code: 'owns_rooms', roomIds: [id] })
        expect(await ownerOf(id)).toBe(bob.user.id)
      } else {
        expect([401, 404, 409]).toContain(confirmed.status)
        expect(await ownerOf(id)).toBe(owner.user.id)
      }
    }
  })

  test('what is done with an account that is being erased is done before, or not at all', async () => {
    const { id } = await createRoom(owner)
    const attempts = (who: TestUser): Promise<Response>[] => [
      owner.browser.send(`/api/rooms/${id}/members/${who.user.id}`, {
        method: 'PATCH',
        body: { role: 'speaker' },
      }),
      owner.browser.send(`/api/rooms/${id}/invitations/users`, {
        body: { userId: who.user.id, role: 'moderator' },
      }),
      offer(owner, id, who),
      owner.browser.send(`/api/rooms/${id}/members/${who.user.id}/remove`, { body: { action: 'ban' } }),
    ]
    for (let round = 0; round < 5; round++) {
      const bob = await withIdentity(await member(rooms))
      await makeMember(rooms, id, bob)
      const [erased, ...answers] = await Promise.all([erase(bob), ...attempts(bob)])
      expect(erased?.status).toBe(200)
      for (const { status } of answers) expect([200, 201, 404]).toContain(status)
    }
    expect(await rolesIn(id)).toEqual({})
    expect(await transfersOf(id)).toEqual([])
  })

  test('R16.5: an administrator takes a room over with a reason; people are told, and the offer that was open is gone', async () => {
    const { id } = await createRoom(owner, { visibility: 'private' })
    const [root, bob] = [await admin(rooms), await member(rooms)]
    await makeMember(rooms, id, bob, 'moderator')
    await offer(owner, id, bob)
    await ban(rooms, id, root)
    rooms.publishedEvents.length = 0
    expect(await (await takeOver(root, id, '  Nobody answers ')).json()).toEqual({
      success: true,
      ownerId: root.user.id,
      previousOwnerId: owner.user.id,
    })
    expect(await ownerOf(id)).toBe(root.user.id)
    expect(await rolesIn(id)).toEqual({ [owner.user.id]: 'moderator', [bob.user.id]: 'moderator' })
    expect(await transfersOf(id)).toEqual([])
    // Owners are barred from nothing, also when they are administrators no longer.
    expect(await db().selectFrom('room_bans').selectAll().where('room_id', '=', id).execute()).toEqual([])
    expect(rooms.publishedEvents.map(({ kind }) => kind)).toEqual([
      'event',
      'access',
      'lobby',
      'notice',
      'notice',
    ])
    await expectRefused(rooms, () => confirm(bob, id), [404, 'not_found'])
    expect((await linesOf(rooms, id)).at(-1)).toMatchObject({
      action: 'admin.room.takeover',
      actor: root.user.id,
      metadata: { reason: 'Nobody answers', previousOwnerId: owner.user.id },
    })
    rooms.publishedEvents.length = 0
    expect(await (await takeOver(root, id)).json()).toMatchObject({ previousOwnerId: root.user.id })
    expect(rooms.publishedEvents).toEqual([])
    expect(await rolesIn(id)).not.toHaveProperty(root.user.id)
    for (const reason of [undefined, '', 'ab', '  ab  ', 'x'.repeat(1001), 3])
      await expectRefused(
        rooms,
        () => root.browser.send(`/api/admin/rooms/${id}/takeover`, { body: { reason } }),
        [400, 'invalid_request'],
      )
    await expectRefused(rooms, () => takeOver(root, NOWHERE), [404, 'not_found'])
    await expectRefused(rooms, () => takeOver(bob, id), [403, 'forbidden'])
  })

  test('R28.24: a takeover costs nobody the room, and the old owner goes on as moderator at once', async () => {
    const { id } = await createRoom(owner, { visibility: 'private' })
    const root = await admin(rooms)
    await join(owner, id)
    await takeOver(root, id)
    expect(await (await join(owner, id)).json()).toMatchObject({ role: 'moderator' })
    expect(rooms.publishedEvents.some(({ kind }) => kind === 'removed')).toBe(false)
  })

  test('R16.5: administrators list all rooms, newest first, by id or part of the name, with how many belong and are there', async () => {
    const root = await admin(rooms)
    const names = ['Zebra 100%', 'zebra_crossing', 'ZEBRA Hall']
    const ids: string[] = []
    for (const name of names) {
      rooms.clock.ms += 1
      const { id } = await createRoom(owner, { name, visibility: 'private' })
      ids.unshift(id)
    }
    const bob = await member(rooms)
    await makeMember(rooms, ids[0] ?? '', bob, 'speaker')
    await join(bob, ids[0] ?? '')
    const list = (query: string) =>
      root.browser.json<{ rooms: Record<string, unknown>[]; nextCursor: string | null }>(
        `/api/admin/rooms${query}`,
      )
    const idsOf = (page: { rooms: Record<string, unknown>[] }) => page.rooms.map(({ id }) => id)
    const all = await list('?q=zebra')
    expect(idsOf(all)).toEqual(ids)
    expect(all.rooms[0]).toEqual({
      id: ids[0],
      name: 'ZEBRA Hall',
      createdBy: owner.user.id,
      visibility: 'private',
      allowGuests: true,
      maxParticipants: 50,
      createdAt: new Date(rooms.clock.ms).toISOString(),
      ownerId: owner.user.id,
      memberCount: 2,
      participantCount: 1,
    })
    expect(idsOf(await list(`?q=${encodeURIComponent('0%')}`))).toEqual([ids[2]])
    expect(idsOf(await list('?q=a_c'))).toEqual([ids[1]])
    expect(idsOf(await list(`?q=${ids[1]}`))).toEqual([ids[1]])
    const first = await list('?q=zebra&limit=2')
    const second = await list(`?q=zebra&limit=2&cursor=${first.nextCursor}`)
    expect([...idsOf(first), ...idsOf(second)]).toEqual(ids)
    expect(second.nextCursor).toBeNull()
    expect(await refusal(await owner.browser.send('/api/admin/rooms'))).toEqual([403, 'forbidden'])
  })

  test('R17.10 R28.26: rooms of guests who are purged get their oldest moderator with a member account, or go', async () => {
    const gone = await guest(rooms, 'Gone')
    const [kept, doomed] = [await createRoom(gone, { name: 'Kept' }), await createRoom(gone)]
    const [disabled, oldest, younger] = [await member(rooms), await member(rooms), await member(rooms)]
    const speaker = await member(rooms)
    await makeMember(rooms, kept.id, speaker, 'speaker')
    for (const who of [disabled, oldest, younger]) {
      rooms.clock.ms += MINUTE
      await makeMember(rooms, kept.id, who, 'moderator')
    }
    await makeMember(rooms, doomed.id, speaker, 'speaker')
    const stays = await guest(rooms, 'Stays')
    const untouched = await createRoom(stays)
    await rooms.rooms.database.write(async (tx) => {
      await tx.updateTable('users').set({ disabled: 1 }).where('id', '=', disabled.user.id).execute()
      await tx
        .updateTable('users')
        .set({ guest_ended_at: rooms.clock.ms - 7 * DAY })
        .where('id', 'in', [gone.user.id, stays.user.id])
        .execute()
      await tx.deleteFrom('sessions').where('user_id', '=', gone.user.id).execute()
    })
    const { events: news } = await rooms.rooms.database.write((tx) => purgeGuests(tx, rooms.clock.ms))
    expect(await ownerOf(kept.id)).toBe(oldest.user.id)
    expect(await rolesIn(kept.id)).toEqual({
      [speaker.user.id]: 'speaker',
      [disabled.user.id]: 'moderator',
      [younger.user.id]: 'moderator',
    })
    expect(await ownerOf(doomed.id)).toBeUndefined()
    expect(await ownerOf(untouched.id)).toBe(stays.user.id)
    const left = await db()
      .selectFrom('users')
      .select('id')
      .where('id', 'in', [gone.user.id, stays.user.id])
      .execute()
    expect(left).toEqual([{ id: stays.user.id }])
    expect(news.filter(({ kind }) => kind === 'event' || kind === 'removed')).toHaveLength(2)
    expect(news).toContainEqual({
      kind: 'removed',
      roomId: doomed.id,
      userIds: null,
      reason: 'deleted',
      untilMs: null,
    })
    const lines = (await listAuditEvents(rooms)).filter(
      ({ metadata }) => (metadata as { reason?: string }).reason === 'owner_purged',
    )
    expect(
      new Set(lines.map(({ action, actor, target }) => [action, actor, (target as string[])[1]].join(' '))),
    ).toEqual(new Set([`room.delete  ${doomed.id}`, `room.ownership.transfer  ${kept.id}`]))
  })

  test('R28.26: accounts that own rooms are not erased before those have somebody else', async () => {
    const root = await admin(rooms)
    const bob = await member(rooms)
    const { id } = await createRoom(bob)
    const eraseBob = () => root.browser.send(`/api/admin/users/${bob.user.id}`, { method: 'DELETE' })
    await expectRefused(rooms, eraseBob, [409, 'owns_rooms'])
    await takeOver(root, id)
    expect((await eraseBob()).status).toBe(200)
    expect(await rolesIn(id)).toEqual({})
    expect(await ownerOf(id)).toBe(root.user.id)
  })
})
