import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { type TestUser, eraseAccount, guest, member, readEvents, refusal, succeed } from '../actions.ts'
import { createDirect, listDirects } from '../directs/actions.ts'
import { type Live, listen } from '../realtime/live.ts'
import { lossyBus } from '../realtime/lossy-bus.ts'
import { type PushReceiver, pushReceiver } from '../push/receiver.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { until } from '../until.ts'
import { MESH, type Caller, enter, joinCall, leaveCall } from './call.ts'

type Frame = Record<string, unknown> & { type: string }

/** The notice about a call that alerts a user, or about its end. */
const isNotice =
  (notice: string, expected: Record<string, unknown> = {}) =>
  (frame: Frame) =>
    frame.type === 'notice' &&
    frame['notice'] === notice &&
    Object.entries(expected).every(([name, value]) => (frame['data'] as typeof expected)[name] === value)

const decline = ({ browser }: TestUser, roomId: string, callId: string) =>
  browser.send(`/api/rooms/${roomId}/voice/decline`, { body: { callId } })

eachDialect((dialect, newUrl) => {
  /** Two nodes on one PostgreSQL database; one node on SQLite. */
  let nodes: readonly { rooms: TestRooms; live: Live }[]
  let receiver: PushReceiver
  const loss = { isPaused: false, lost: 0, twice: 0, late: 0 }
  beforeAll(async () => {
    const bus = lossyBus(loss)
    receiver = await pushReceiver(() => first().rooms.pusher.publicKey)
    const options = {
      url: await newUrl(),
      settings: { voice: MESH },
      limits: { voice_joins_per_minute: 1000 },
      outbound: { ...receiver.outbound, timeoutMs: 1_000 },
    }
    const open = async (shared?: TestRooms) => {
      const rooms = await openRooms({ ...options, bus: bus.join(), ...(shared && { shared }) })
      return { rooms, live: listen(rooms.rooms) }
    }
    const node = await open()
    nodes = dialect === 'postgres' ? [node, await open(node.rooms)] : [node]
  })
  if (dialect === 'postgres')
    test('R37.5g: tabs at a node that gets no notices are alerted within two seconds, and learn of the end', async () => {
      const bob = await member(first(), 'Bob')
      const tick = async () => {
        for (const { rooms } of nodes) await rooms.rooms.hub.tick()
      }
      loss.isPaused = true
      const { roomId, callId, tabs } = await calling(bob)
      const far = tabs[0]?.[1]
      await until(async () => {
        await tick()
        return far?.frames.some(isNotice('call', { callId })) ?? false
      })
      await succeed(decline(bob, roomId, callId))
      await until(async () => {
        await tick()
        return far?.frames.some(isNotice('call_ended', { roomId, callId, userId: bob.user.id })) ?? false
      })
      loss.isPaused = false
      expect(far?.frames.filter(isNotice('call_ended'))).toHaveLength(1)
    })
  afterAll(async () => {
    for (const { rooms, live } of nodes.toReversed()) {
      await rooms.rooms.hub.stop()
      await live.stop()
      await rooms.close()
    }
    await receiver.stop()
  })
  const first = () => nodes[0]?.rooms as TestRooms
  const nodeOf = (index: number) => nodes[index % nodes.length] as (typeof nodes)[number]
  /** A socket of this user at a node. */
  const connect = async (who: TestUser, index = 0) => {
    const socket = nodeOf(index).live.connect(who.browser)
    await socket.of('welcome')
    return socket
  }
  const callEvents = async (who: TestUser, roomId: string) =>
    (await readEvents(who, roomId)).filter(({ event }) => event.startsWith('call.'))
  const endDue = async (ms: number) => {
    first().clock.ms += ms
    // Any node ends them.
    await nodes.at(-1)?.rooms.rooms.jobs.runDue()
  }

  /** Ada calls these people, who have a tab at each node. */
  async function calling(...others: TestUser[]) {
    const ada = await member(first(), 'Ada')
    const { id: roomId } = await createDirect(ada, ...others)
    const tabs = await Promise.all(others.map((who) => Promise.all([connect(who, 0), connect(who, 1)])))
    const caller: Caller = await enter(nodeOf(0).live, ada, roomId)
    const { call } = await joinCall(caller, roomId)
    return { ada, caller, roomId, callId: call.id, tabs }
  }

  test('R37.5 R37.5a R37.5d: a call alerts the other on all tabs for thirty seconds, and is missed without an answer', async () => {
    const bob = await member(first(), 'Bob')
    const eva = await member(first(), 'Eva')
    const other = await connect(eva)
    const { ada, caller, roomId, callId, tabs } = await calling(bob)
    const end = new Date(first().clock.ms + 30_000).toISOString()
    for (const tab of tabs.flat())
      expect((await tab.frame(isNotice('call')))['data']).toEqual({
        roomId,
        callId,
        from: expect.objectContaining({ userId: ada.user.id, nickname: 'Ada' }),
        until: end,
      })
    // A tab that opens meanwhile is alerted too, and the conversation is no longer hidden.
    await (await connect(bob)).frame(isNotice('call', { callId }))
    expect((await listDirects(bob)).map(({ id }) => id)).toEqual([roomId])
    await endDue(29_000)
    expect((await callEvents(bob, roomId)).map(({ event }) => event)).toEqual(['call.started'])
    await endDue(6_000)
    for (const tab of tabs.flat())
      await tab.frame(isNotice('call_ended', { roomId, callId, userId: bob.user.id, reason: 'missed' }))
    const [, missed, ...more] = await callEvents(bob, roomId)
    expect(missed).toMatchObject({
      event: 'call.missed',
      data: { callId, person: { userId: ada.user.id, nickname: 'Ada' } },
    })
    expect(more).toEqual([])
    await leaveCall(caller, roomId)
    expect((await callEvents(bob, roomId)).map(({ event }) => event)).toEqual([
      'call.started',
      'call.missed',
      'call.ended',
    ])
    // No other person hears of any of it, and neither does the caller.
    await other.settle()
    await caller.socket.settle()
    expect(other.frames.filter(isNotice('call'))).toEqual([])
    expect(caller.socket.frames.filter(({ notice }) => String(notice).startsWith('call'))).toEqual([])
  })

  test('R37.5a: an answer at one tab ends the alert at all tabs of the person, and the call is not missed', async () => {
    const bob = await member(first(), 'Bob')
    const { roomId, callId, tabs } = await calling(bob)
    const answering = await enter(nodeOf(1).live, bob, roomId)
    await joinCall(answering, roomId)
    for (const tab of tabs.flat())
      await tab.frame(isNotice('call_ended', { callId, userId: bob.user.id, reason: 'answered' }))
    await endDue(60_000)
    await leaveCall(answering, roomId)
    expect((await callEvents(bob, roomId)).map(({ event }) => event)).not.toContain('call.missed')
    expect(await refusal(await decline(bob, roomId, callId))).toEqual([404, 'not_found'])
  })

  test('R37.5b: a person of three declines, of which the caller gets a notice, and the call goes on alerting the other', async () => {
    const [bob, eva] = [await member(first(), 'Bob'), await member(first(), 'Eva')]
    const { caller, roomId, callId, tabs } = await calling(bob, eva)
    await tabs[0]?.[0]?.frame(isNotice('call'))
    await succeed(decline(bob, roomId, callId))
    const declined = isNotice('call_ended', { callId, userId: bob.user.id, reason: 'declined' })
    for (const tab of [caller.socket, ...(tabs[0] ?? [])]) await tab.frame(declined)
    // Once.
    expect(await refusal(await decline(bob, roomId, callId))).toEqual([404, 'not_found'])
    for (const tab of tabs[1] ?? []) {
      await tab.frame(isNotice('call', { callId }))
      await tab.settle()
      expect(tab.frames.filter(isNotice('call_ended'))).toEqual([])
    }
    expect((await callEvents(eva, roomId)).map(({ event }) => event)).toEqual(['call.started'])
    // The caller hangs up.
    await leaveCall(caller, roomId)
    for (const tab of tabs[1] ?? [])
      await tab.frame(isNotice('call_ended', { callId, userId: eva.user.id, reason: 'ended' }))
    expect((await callEvents(eva, roomId)).map(({ event }) => event)).toEqual([
      'call.started',
      'call.missed',
      'call.ended',
    ])
  })

  test('R37.5d: a call that everyone declines is not missed', async () => {
    const bob = await member(first(), 'Bob')
    const { caller, roomId, callId } = await calling(bob)
    await succeed(decline(bob, roomId, callId))
    await leaveCall(caller, roomId)
    expect((await callEvents(bob, roomId)).map(({ event }) => event)).toEqual(['call.started', 'call.ended'])
  })

  test('R37.5c: quiet hours, a block and the level none keep a call silent, and it is missed all the same', async () => {
    const [bob, eva, kim] = [
      await member(first(), 'Bob'),
      await member(first(), 'Eva'),
      await member(first(), 'Kim'),
    ]
    const ada = await member(first(), 'Ada')
    const { id: roomId } = await createDirect(ada, bob, eva, kim)
    const now = first().clock.ms
    const at = (ms: number) => new Date(now + ms).toISOString().slice(11, 16)
    const quiet = { from: at(-3_600_000), to: at(3_600_000), tz: 'UTC' }
    await succeed(bob.browser.send('/api/notifications', { method: 'PUT', body: { quiet, sound: false } }))
    await succeed(eva.browser.send(`/api/blocks/${ada.user.id}`, { method: 'PUT' }))
    await succeed(
      kim.browser.send(`/api/rooms/${roomId}/notifications`, { method: 'PUT', body: { level: 'none' } }),
    )
    const tabs = await Promise.all([bob, eva, kim].map((who) => connect(who, 1)))
    const caller = await enter(nodeOf(0).live, ada, roomId)
    await joinCall(caller, roomId)
    await leaveCall(caller, roomId)
    for (const tab of tabs) {
      await tab.settle()
      expect(tab.frames.filter(({ type }) => type === 'notice')).toEqual([])
    }
    expect((await callEvents(bob, roomId)).map(({ event }) => event)).toContain('call.missed')
  })

  test('R37.5e: a push alerts a browser at once, with the time that is left, and none follows an answer', async () => {
    const bob = await member(first(), 'Bob')
    await bob.browser.json('/api/push', { body: receiver.subscribe(`bob-${dialect}`) }, 201)
    receiver.received.length = 0
    const { roomId } = await calling(bob)
    await first().rooms.pusher.flush()
    expect(receiver.received.map(({ to, payload }) => ({ to, payload }))).toEqual([
      {
        to: `bob-${dialect}`,
        payload: { roomId, isMention: false, room: 'Ada', callUntil: first().clock.ms + 30_000 },
      },
    ])
    const { headers } = receiver.received[0] ?? {}
    expect([headers?.get('ttl'), headers?.get('urgency')]).toEqual(['30', 'high'])
  })

  test('R37.5b: other people, guests and an erased caller: one and the same 404, and no alert', async () => {
    const bob = await member(first(), 'Bob')
    const { ada, roomId, callId } = await calling(bob)
    const eva = await member(first(), 'Eva')
    expect(await refusal(await decline(eva, roomId, callId))).toEqual([404, 'not_found'])
    expect(await refusal(await decline(ada, roomId, callId))).toEqual([404, 'not_found'])
    expect(await refusal(await decline(bob, roomId, crypto.randomUUID()))).toEqual([404, 'not_found'])
    expect((await decline(await guest(first()), roomId, callId)).status).toBe(403)
    await succeed(eraseAccount(ada))
    await endDue(35_000)
    expect((await callEvents(bob, roomId)).map(({ event }) => event)).toContain('call.ended')
    const tab = await connect(bob)
    await tab.settle()
    expect(tab.frames.filter(isNotice('call'))).toEqual([])
  })
})
