import { describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import {
  type Actor,
  changeSettings,
  createMessage,
  createRoom,
  guest,
  makeMember,
  member,
  refusal,
  removeMember,
} from '../actions.ts'
import { exportRooms } from '../../src/account/rooms.ts'
import type { Frame } from '../realtime/live.ts'
import { lossyBus } from '../realtime/lossy-bus.ts'
import { closeNodes, twoNodes } from '../realtime/nodes.ts'
import { openRooms } from '../rooms.ts'

const save = ({ browser }: Actor, roomId: string, content: unknown) =>
  browser.send(`/api/rooms/${roomId}/draft`, { method: 'PUT', body: { content } })
const discard = ({ browser }: Actor, roomId: string) =>
  browser.send(`/api/rooms/${roomId}/draft`, { method: 'DELETE' })
const draftsOf = async ({ browser }: Actor) => {
  const { drafts } = await browser.json<{ drafts: { roomId: string; content: string }[] }>('/api/drafts')
  return drafts.map(({ roomId, content }) => [roomId, content])
}

eachDialect((dialect, newUrl) => {
  describe('drafts', () => {
    test('R43.5c: a draft reaches the other tabs of its author on all nodes, and no one else', async () => {
      const bus = lossyBus({ isPaused: false, lost: 0, twice: 0, late: 0 })
      const nodes = await twoNodes({ url: await newUrl() }, () => bus.join())
      const [here, there] = nodes
      const [ada, bob] = [await member(here.service, 'Ada'), await member(here.service, 'Bob')]
      const { id } = await createRoom(ada)
      await makeMember(here.service, id, bob)
      const sockets = [here.live.connect(ada.browser), there.live.connect(ada.browser)]
      const others = [here.live.connect(bob.browser), there.live.connect(bob.browser)]
      for (const socket of [...sockets, ...others]) await socket.ask({ type: 'subscribe', roomId: id })
      const contents = (socket: (typeof sockets)[number]) =>
        socket.frames.flatMap(({ notice, data }) =>
          notice === 'draft' ? [(data as { content: string | null }).content] : [],
        )
      const isDraft = (content: string | null) => (frame: Frame) =>
        frame['notice'] === 'draft' && (frame['data'] as { content: unknown }).content === content
      for (const content of ['Zebra one', 'Zebra one', 'Zebra two'])
        expect((await save(ada, id, content)).status).toBe(200)
      for (const socket of sockets) await socket.frame(isDraft('Zebra two'))
      expect(await draftsOf(ada)).toEqual([[id, 'Zebra two']])
      expect((await discard(ada, id)).status).toBe(200)
      expect((await discard(ada, id)).status).toBe(200)
      for (const socket of sockets) await socket.frame(isDraft(null))
      // An equal content is no change.
      expect(contents(sockets[0]!)).toEqual(['Zebra one', 'Zebra two', null])
      for (const socket of others) {
        await socket.settle()
        expect(JSON.stringify(socket.frames)).not.toContain('Zebra')
      }
      await closeNodes(nodes)
    })

    test('R43.5d: as many drafts at once as there are rooms leave at most drafts_person', async () => {
      const t = await openRooms({ url: await newUrl(), limits: { drafts_person: 3 } })
      const ada = await member(t)
      const rooms: string[] = []
      for (let n = 0; n < 6; n++) rooms.push((await createRoom(ada)).id)
      const answers = await Promise.all(rooms.map((id) => save(ada, id, 'Hello')))
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
        200, 200, 200, 409, 409, 409,
      ])
      const stored = await draftsOf(ada)
      expect(stored).toHaveLength(3)
      // What exists can be changed.
      expect((await save(ada, String(stored[0]?.[0]), 'Hello again')).status).toBe(200)
      const off = await t.node({ limits: { ...t.limits, drafts_person: 0 } })
      expect(await refusal(await save({ browser: off.browser() }, rooms[0] ?? '', 'x'))).toEqual([
        401,
        'unauthenticated',
      ])
      await off.close()
      await t.close()
    })

    if (dialect === 'postgres') return

    test('R43.5b: members and guests have drafts of message length, only where they may enter', async () => {
      const t = await openRooms({
        url: await newUrl(),
        limits: { message_length: 20, guest_message_length: 10 },
      })
      const [ada, bob, gus] = [await member(t, 'Ada'), await member(t, 'Bob'), await guest(t, 'Gus')]
      const open = (await createRoom(ada)).id
      const closed = (await createRoom(ada, { visibility: 'private' })).id
      for (const [who, room, content, status] of [
        [bob, open, 'x'.repeat(20), 200],
        [bob, open, 'x'.repeat(21), 400],
        [gus, open, 'x'.repeat(10), 200],
        [gus, open, 'x'.repeat(11), 400],
        [bob, open, '', 400],
        [bob, open, null, 400],
        [bob, open, 'a\u0000', 400],
        [bob, closed, 'x', 404],
        [bob, crypto.randomUUID(), 'x', 404],
      ] as const)
        expect([content, (await save(who, room, content)).status]).toEqual([content, status])
      expect(await draftsOf(bob)).toEqual([[open, 'x'.repeat(20)]])
      expect(await draftsOf(ada)).toEqual([])
      await changeSettings(ada, open, { visibility: 'private' })
      expect([await draftsOf(bob), await draftsOf(gus)]).toEqual([[], []])
      await t.close()
    })

    test('R43.5e: a draft ends with the membership and the account, and is in no search, log or export of others', async () => {
      const t = await openRooms({ url: await newUrl() })
      const [ada, bob, cid] = [await member(t, 'Ada'), await member(t, 'Bob'), await member(t, 'Cid')]
      const { id } = await createRoom(ada)
      for (const person of [bob, cid]) {
        await makeMember(t, id, person)
        await save(person, id, 'Zebra crossing')
      }
      await createMessage(ada, id, 'Zebra of mine')
      const { results } = await ada.browser.json<{ results: unknown[] }>('/api/search?q=zebra')
      expect(results).toHaveLength(1)
      const exported = async ({ user }: typeof ada) => (await exportRooms(t.rooms.database, user.id)).drafts
      expect([await exported(ada), await exported(bob)]).toMatchObject([
        [],
        [{ roomId: id, content: 'Zebra crossing' }],
      ])
      expect(t.logLines.join('')).not.toContain('Zebra')
      const { read } = t.rooms.database
      const count = async () => (await read.selectFrom('room_drafts').select('user_id').execute()).length
      expect(await count()).toBe(2)
      await bob.browser.json(`/api/rooms/${id}/membership`, { method: 'DELETE' })
      expect(await count()).toBe(1)
      await removeMember(ada, id, cid, { action: 'kick', cooldownMinutes: 1 })
      expect(await count()).toBe(0)
      const audited = await read.selectFrom('audit_events').select('metadata').execute()
      expect(JSON.stringify(audited)).not.toContain('crossing')
      await t.close()
    })
  })
})
