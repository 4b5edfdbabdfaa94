import { afterAll, afterEach, beforeAll, describe, expect, mock, spyOn, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { LobbySnapshot } from '../../src/realtime/lobby-snapshot.ts'
import type { Lobby } from '../../src/realtime/lobby.ts'
import {
  type TestUser,
  admin,
  ban,
  changeSettings,
  createRoom,
  deleteRoom,
  guest,
  join,
  makeMember,
  member,
  succeed,
} from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { type Live, type LiveSocket, listen } from './live.ts'
import { DROPS_EVERYTHING, type Loss, lossyBus } from './lossy-bus.ts'
import { advanceAll, closeNodes, twoNodes } from './nodes.ts'

/** Lets the test flush this lobby, in place of the timer of two seconds. */
function byHand(lobby: Lobby): () => Promise<void> {
  const flush = lobby.flush.bind(lobby)
  lobby.flush = async () => {}
  return flush
}

eachDialect((dialect, newUrl) => {
  let service: TestRooms
  let live: Live
  let flush: () => Promise<void>
  let owner: TestUser
  const looking = new Map<string, LiveSocket>()
  const people = new Map<string, TestUser>()
  beforeAll(async () => {
    service = await openRooms({ url: await newUrl(), limits: { rooms_per_hour: 1_000 } })
    live = listen(service.rooms)
    flush = byHand(service.rooms.hub.lobby)
    owner = await member(service, 'Olga')
    people.set('owner', owner)
    people.set('guest', await guest(service, 'Gus'))
    people.set('listener', await member(service, 'Lisa'))
    people.set('outsider', await member(service, 'Otto'))
    people.set('banned', await member(service, 'Ben'))
    people.set('admin', await admin(service, 'Root'))
    for (const [name, { browser }] of people) {
      const socket = live.connect(browser)
      await socket.of('welcome')
      expect(await socket.ask({ type: 'subscribe_lobby' })).toMatchObject({ type: 'subscribed_lobby' })
      looking.set(name, socket)
    }
  })
  afterEach(() => mock.restore())
  afterAll(async () => {
    await live.stop()
    await service.close()
  })

  /** The frames of each socket about this room since the last call. */
  const changesOf = async (roomId: string) => {
    await flush()
    const changes: Record<string, unknown> = {}
    for (const [name, socket] of looking) {
      await socket.settle()
      const frames = socket.frames.filter(({ type }) => type === 'lobby')
      socket.frames.length = 0
      const about = frames.filter(
        (frame) =>
          frame['remove'] === roomId || (frame['upsert'] as { id?: string } | undefined)?.id === roomId,
      )
      expect(about.length).toBeLessThanOrEqual(1)
      const [frame] = about
      if (frame) changes[name] = 'remove' in frame ? 'remove' : (frame['upsert'] as { role: unknown }).role
    }
    return changes
  }
  const settings = (roomId: string, body: Record<string, unknown>) =>
    succeed(changeSettings(owner, roomId, body))
  const newRoom = async (body: Record<string, unknown> = {}) => {
    const { id } = await createRoom(owner, body)
    await makeMember(service, id, people.get('listener') as TestUser)
    await ban(service, id, people.get('banned') as TestUser)
    return id
  }

  describe('the lobby over a socket', () => {
    test('R28.20: a public room is sent to users who may list it, each with their own role and no other', async () => {
      const id = await newRoom()
      expect(await changesOf(id)).toEqual({
        owner: 'owner',
        guest: null,
        listener: 'listener',
        outsider: null,
        admin: null,
      })
    })

    test('R17.5b: guests at a banned address lose the room from their lobby and get no updates of it, unless they entered before', async () => {
      const gus = people.get('guest') as TestUser
      const banAtTheirAddress = async (roomId: string) => {
        // The address of the sockets in this test.
        const culprit = await guest(service, 'Culprit', '127.0.0.1')
        const body = { action: 'ban' }
        await owner.browser.json(`/api/rooms/${roomId}/members/${culprit.user.id}/remove`, { body })
        return culprit
      }
      const members = { owner: 'owner', listener: 'listener' }
      const id = await newRoom()
      expect(await changesOf(id)).toHaveProperty('guest', null)
      const banned = await banAtTheirAddress(id)
      const others = { ...members, outsider: null, admin: null }
      expect(await changesOf(id)).toEqual({ ...others, guest: 'remove', banned: 'remove' })
      await settings(id, { maxParticipants: 9 })
      expect(await changesOf(id)).toMatchObject({ ...others, guest: 'remove' })
      await join(people.get('outsider') as TestUser, id)
      expect(await changesOf(id)).toEqual(others)
      const before = await newRoom()
      await join(gus, before)
      await banAtTheirAddress(before)
      expect(await changesOf(before)).toEqual({ ...others, guest: null, banned: 'remove' })
      const unlisted = await newRoom({ visibility: 'unlisted' })
      await banAtTheirAddress(unlisted)
      expect(await changesOf(unlisted)).toEqual(members)
      await owner.browser.json(`/api/rooms/${id}/bans/${banned.user.id}`, { method: 'DELETE' })
      expect(await changesOf(id)).toEqual({ ...others, guest: null })
    })

    if (dialect === 'postgres') return

    test('rooms closed to guests, unlisted and private ones are sent only to users who would find them in the list', async () => {
      const members = await newRoom({ allowGuests: false })
      expect(await changesOf(members)).toEqual({
        owner: 'owner',
        listener: 'listener',
        outsider: null,
        admin: null,
      })
      for (const visibility of ['unlisted', 'private']) {
        const id = await newRoom({ visibility })
        expect([visibility, await changesOf(id)]).toEqual([
          visibility,
          { owner: 'owner', listener: 'listener' },
        ])
      }
    })

    test('R28.20: renaming and deleting a private room reaches only its members', async () => {
      const id = await newRoom({ visibility: 'private' })
      await changesOf(id)
      await settings(id, { name: 'Cellar' })
      expect(await changesOf(id)).toEqual({ owner: 'owner', listener: 'listener' })
      await succeed(deleteRoom(owner, id))
      expect(await changesOf(id)).toEqual({ owner: 'remove', listener: 'remove' })
    })

    test('a room that becomes private disappears from the lobby of all others, and reappears when it is public again', async () => {
      const id = await newRoom()
      await changesOf(id)
      await settings(id, { visibility: 'private' })
      expect(await changesOf(id)).toEqual({
        owner: 'owner',
        listener: 'listener',
        guest: 'remove',
        outsider: 'remove',
        banned: 'remove',
        admin: 'remove',
      })
      await settings(id, { visibility: 'public' })
      expect(await changesOf(id)).toMatchObject({ guest: null, outsider: null })
    })

    test('R18.8: a room that changes often is sent once in two seconds, in its latest state', async () => {
      const id = await newRoom()
      await changesOf(id)
      const timers = spyOn(globalThis, 'setTimeout')
      for (const name of ['a', 'b', 'c']) await settings(id, { name })
      for (const each of ['guest', 'outsider']) await join(people.get(each) as TestUser, id)
      expect(timers.mock.calls.filter(([, ms]) => ms === 2_000)).toHaveLength(1)
      const outsider = looking.get('outsider') as LiveSocket
      await outsider.settle()
      expect(outsider.frames.filter(({ type }) => type === 'lobby')).toEqual([])
      await flush()
      await outsider.settle()
      const lines = outsider.frames.filter(({ type }) => type === 'lobby')
      expect(lines).toHaveLength(1)
      expect(lines[0]?.['upsert']).toMatchObject({ id, name: 'c', participantCount: 2 })
      await changesOf(id)
      await flush()
      await outsider.settle()
      expect(outsider.frames.filter(({ type }) => type === 'lobby')).toEqual([])
    })

    test('a socket without a subscription gets no frames', async () => {
      const socket = live.connect((people.get('outsider') as TestUser).browser)
      await socket.of('welcome')
      expect(await socket.ask({ type: 'subscribe_lobby' })).toMatchObject({ type: 'subscribed_lobby' })
      await changesOf(await newRoom())
      await socket.of('lobby')
      expect(await socket.ask({ type: 'unsubscribe_lobby' })).toMatchObject({ type: 'unsubscribed_lobby' })
      socket.frames.length = 0
      // Another tab of theirs is still subscribed.
      expect(await changesOf(await newRoom())).toHaveProperty('outsider')
      await socket.settle()
      expect(socket.frames.filter(({ type }) => type === 'lobby')).toEqual([])
      socket.close()
    })
  })

  describe('the lobby on two nodes', () => {
    const linesOf = async (socket: LiveSocket, flushes: readonly (() => Promise<void>)[]) => {
      for (const flushOne of flushes) await flushOne()
      await socket.settle()
      const frames = socket.frames.filter(({ type }) => type === 'lobby')
      socket.frames.length = 0
      return frames.map((frame) => frame['remove'] ?? frame['upsert'])
    }
    const open = async (loss: Loss) => {
      const bus = lossyBus(loss)
      const nodes = await twoNodes({ url: await newUrl() }, () => bus.join())
      const flushes = nodes.map(({ service: each }) => byHand(each.rooms.hub.lobby))
      const [olga, otto] = [await member(nodes[0].service, 'Olga'), await member(nodes[1].service, 'Otto')]
      const socket = nodes[1].live.connect(otto.browser)
      await socket.ask({ type: 'subscribe_lobby' })
      await advanceAll(nodes, 5_000)
      const set = (id: string, body: Record<string, unknown>) => succeed(changeSettings(olga, id, body))
      return { nodes, olga, lines: () => linesOf(socket, flushes), set }
    }

    test('R19.2: with a bus that drops everything, a change on one node is sent by the other within seven seconds', async () => {
      const { nodes, olga, lines, set } = await open(DROPS_EVERYTHING)
      const { id } = await createRoom(olga)
      const hidden = await createRoom(olga, { visibility: 'private' })
      const changesHere = async () => {
        await advanceAll(nodes, 5_000)
        return lines()
      }
      expect(await changesHere()).toMatchObject([{ id, name: 'Lounge', participantCount: 0, role: null }])
      await set(id, { name: 'Cellar' })
      await join(olga, id)
      expect(await changesHere()).toMatchObject([{ id, name: 'Cellar', participantCount: 1 }])
      expect(await changesHere()).toEqual([])
      await set(id, { visibility: 'private' })
      expect(await changesHere()).toEqual([id])
      await set(id, { visibility: 'public' })
      expect(await changesHere()).toMatchObject([{ id }])
      for (const each of [id, hidden.id]) await succeed(deleteRoom(olga, each))
      expect(await changesHere()).toEqual([id])
      await closeNodes(nodes)
    })

    test('R19.2: a change right after the first subscription of a node is sent as well', async () => {
      const bus = lossyBus(DROPS_EVERYTHING)
      const nodes = await twoNodes({ url: await newUrl() }, () => bus.join())
      const [here, there] = nodes
      const flushThere = byHand(there.service.rooms.hub.lobby)
      const [olga, otto] = [await member(here.service, 'Olga'), await member(there.service, 'Otto')]
      const [{ id }, gone] = [await createRoom(olga), await createRoom(olga)]
      const socket = there.live.connect(otto.browser)
      expect(await socket.ask({ type: 'subscribe_lobby' })).toMatchObject({ type: 'subscribed_lobby' })
      const set = { method: 'PATCH', body: { name: 'Cellar' } }
      await olga.browser.json(`/api/rooms/${id}/settings`, set)
      await succeed(deleteRoom(olga, gone.id))
      for (let second = 0; second < 6; second++) await advanceAll(nodes, 1_000)
      const lines = await linesOf(socket, [flushThere])
      expect(lines).toContain(gone.id)
      expect(lines).toContainEqual(expect.objectContaining({ id, name: 'Cellar' }))
      expect(lines).toHaveLength(2)
      await closeNodes(nodes)
    })

    test('concurrent first subscriptions share one read, and a failed read does not prevent later ones', async () => {
      const bus = lossyBus(DROPS_EVERYTHING)
      const alone = await openRooms({ url: await newUrl(), bus: bus.join() })
      const { hub } = alone.rooms
      const ends = listen(alone.rooms)
      const flushAlone = byHand(hub.lobby)
      const olga = await member(alone, 'Olga')
      const sockets = Array.from({ length: 3 }, () => ends.connect(olga.browser))
      for (const socket of sockets) await socket.of('welcome')
      const connections = hub.registry.ofUser(olga.user.id)
      const reading = spyOn(LobbySnapshot.prototype, 'differences').mockRejectedValueOnce(new Error('Away'))
      await Promise.all([...connections].map((connection) => hub.lobby.add(connection)))
      expect(reading).toHaveBeenCalledTimes(1)
      expect(alone.logLines.join('')).toContain('lobby: cannot read the rooms')
      const { id } = await createRoom(olga)
      for (const socket of sockets) expect(await linesOf(socket, [flushAlone])).toMatchObject([{ id }])
      await alone.rooms.hub.stop()
      await ends.stop()
      await alone.close()
    })

    test('a change that came over the bus is not sent twice', async () => {
      const { nodes, olga, lines, set } = await open({ isPaused: false, lost: 0, twice: 0, late: 0 })
      const { id } = await createRoom(olga)
      expect(await lines()).toMatchObject([{ id }])
      await set(id, { name: 'Cellar' })
      expect(await lines()).toMatchObject([{ id, name: 'Cellar' }])
      await advanceAll(nodes, 5_000)
      expect(await lines()).toEqual([])
      await closeNodes(nodes)
    })
  })

  describe('notices', () => {
    test('R19.1: another node sends notices with the data of the database, and the bus carries no names', async () => {
      const bus = lossyBus({ isPaused: false, lost: 0, twice: 0, late: 0 })
      const nodes = await twoNodes({ url: await newUrl() }, () => bus.join())
      const [here, there] = nodes
      const [olga, eve] = [await member(here.service, 'Olga'), await member(here.service, 'Eve')]
      const otto = await member(there.service, 'Otto')
      const socket = there.live.connect(otto.browser)
      await socket.of('welcome')
      const { id: roomId } = await createRoom(olga, { visibility: 'private', name: 'Cellar' })
      const invite = async ({ user }: TestUser) => {
        const address = `/api/rooms/${roomId}/invitations/users`
        const body = { userId: user.id }
        const { invitation } = await olga.browser.json<{ invitation: { id: string } }>(address, { body }, 201)
        return invitation.id
      }
      const noticeNamed = (name: string) => socket.frame(({ notice }) => notice === name)
      const userId = otto.user.id
      const stranger = bus.join()
      for (const id of [await invite(eve), crypto.randomUUID(), 'nonsense']) {
        const invitation = { id, roomName: 'Forged' }
        stranger.publish({ kind: 'notice', userId, notice: 'invitation', data: { invitation } })
      }
      const ids = { roomId: 'Forged', fromUserId: userId, toUserId: userId }
      stranger.publish({ kind: 'notice', userId, notice: 'transfer_ended', data: ids })
      // Another room than the one below, which may have its offer before the node reads it.
      const another = await createRoom(olga)
      stranger.publish({ kind: 'notice_ref', userId, notice: 'transfer', ids: { roomId: another.id } })
      const id = await invite(otto)
      const pending = await otto.browser.json<{ invitations: unknown[] }>('/api/room-invitations/pending')
      expect(await noticeNamed('invitation')).toEqual({
        type: 'notice',
        notice: 'invitation',
        data: { invitation: pending.invitations[0] },
      })
      await olga.browser.json(`/api/rooms/${roomId}/invitations/${id}`, { method: 'DELETE' })
      expect(await noticeNamed('invitation_revoked')).toMatchObject({ data: { id, roomId } })
      await makeMember(here.service, roomId, otto)
      const address = `/api/rooms/${roomId}/ownership-transfer`
      await olga.browser.json(address, { body: { userId } }, 201)
      const offers = await otto.browser.json<{ transfers: unknown[] }>(
        '/api/room-ownership-transfers/pending',
      )
      expect(await noticeNamed('transfer')).toMatchObject({ data: { transfer: offers.transfers[0] } })
      await olga.browser.json(address, { method: 'DELETE' })
      const between = { roomId, fromUserId: olga.user.id, toUserId: userId }
      expect(await noticeNamed('transfer_ended')).toMatchObject({ data: between })
      expect(socket.frames.filter(({ type }) => type === 'notice')).toHaveLength(4)
      expect(there.service.publishedEvents.filter(({ kind }) => kind === 'notice_ref')).not.toEqual([])
      for (const name of ['Cellar', 'Olga'])
        expect(JSON.stringify(there.service.publishedEvents)).not.toContain(name)
      await closeNodes(nodes)
    })

    if (dialect === 'postgres') return

    test('R18.8: invitations, their end, and offers of a room are sent to all sockets of the user concerned, and to no others', async () => {
      const { id } = await createRoom(owner, { visibility: 'private' })
      const otto = people.get('outsider') as TestUser
      const tab = live.connect(otto.browser)
      await tab.of('welcome')
      const invite = await owner.browser.json<{ invitation: { id: string } }>(
        `/api/rooms/${id}/invitations/users`,
        { body: { userId: otto.user.id } },
        201,
      )
      for (const socket of [tab, looking.get('outsider') as LiveSocket])
        expect(await socket.frame(({ notice }) => notice === 'invitation')).toMatchObject({ type: 'notice' })
      await owner.browser.json(`/api/rooms/${id}/invitations/${invite.invitation.id}`, { method: 'DELETE' })
      await tab.frame(({ notice }) => notice === 'invitation_revoked')
      await makeMember(service, id, otto)
      await owner.browser.json(`/api/rooms/${id}/ownership-transfer`, { body: { userId: otto.user.id } }, 201)
      await tab.frame(({ notice }) => notice === 'transfer')
      await owner.browser.json(`/api/rooms/${id}/ownership-transfer`, { method: 'DELETE' })
      await tab.frame(({ notice }) => notice === 'transfer_ended')
      for (const [name, socket] of looking) {
        await socket.settle()
        const notices = socket.frames.filter(({ type }) => type === 'notice').length
        // The end of an offer is also sent to its sender.
        expect([name, notices]).toEqual([name, name === 'outsider' ? 4 : name === 'owner' ? 1 : 0])
        socket.frames.length = 0
      }
      tab.close()
    })

    test('a deleted room ends its invitations and its offer, and the users who have them are notified', async () => {
      const { id } = await createRoom(owner, { visibility: 'private' })
      const [otto, ben, lisa] = ['outsider', 'banned', 'listener'].map((name) => people.get(name) as TestUser)
      const invite = async ({ user }: TestUser) => {
        const body = { userId: user.id }
        const { invitation } = await owner.browser.json<{ invitation: { id: string } }>(
          `/api/rooms/${id}/invitations/users`,
          { body },
          201,
        )
        return invitation.id
      }
      const [pending, declined] = [await invite(otto as TestUser), await invite(ben as TestUser)]
      await ben?.browser.json(`/api/room-invitations/${declined}/decline`, { method: 'POST' })
      await makeMember(service, id, lisa as TestUser)
      const body = { userId: lisa?.user.id }
      await owner.browser.json(`/api/rooms/${id}/ownership-transfer`, { body }, 201)
      for (const socket of looking.values()) {
        await socket.settle()
        socket.frames.length = 0
      }
      await succeed(deleteRoom(owner, id))
      const notices: unknown[] = []
      for (const [name, socket] of looking) {
        await socket.settle()
        for (const { type, notice, data } of socket.frames)
          if (type === 'notice') notices.push([name, notice, data])
      }
      const offer = { roomId: id, fromUserId: owner.user.id, toUserId: lisa?.user.id }
      expect(notices).toEqual([
        ['owner', 'transfer_ended', offer],
        ['listener', 'transfer_ended', offer],
        ['outsider', 'invitation_revoked', { id: pending, roomId: id }],
      ])
    })
  })
})
