import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  Connection,
  type ConnectionState,
  type SocketListeners,
  type Socket,
  backoffMs,
} from './connection.ts'
import type { EventPage } from './room-subscription.ts'
import type { RoomEvent, SubscribedFrame } from './frames.ts'

const ROOM = 'room-1'

/** The other end: a room's log, and sockets whose frames arrive when the test lets them. */
function world() {
  const log: RoomEvent[] = []
  const sockets: FakeSocket[] = []
  const timers: { at: number; act: () => void }[] = []
  const calls: string[] = []
  const states: ConnectionState[] = []
  const reads: ((how: 'answer' | 'fail') => void)[] = []
  let nowMs = 0
  let firstKept = 1
  let refusal: string | undefined
  let isDead = false
  let user = 'alice'

  class FakeSocket implements Socket {
    readonly #listeners: SocketListeners
    readonly sent: { type: string; id: string; roomId?: string }[] = []
    readonly coming: object[] = []
    isClosed = false
    isSubscribed = false

    constructor(listeners: SocketListeners) {
      this.#listeners = listeners
    }

    send(text: string): void {
      const frame = JSON.parse(text) as FakeSocket['sent'][number]
      this.sent.push(frame)
      if (frame.type === 'ping' && !isDead) this.coming.push({ type: 'pong', id: frame.id })
      if (frame.type === 'subscribe_lobby') this.coming.push({ type: 'subscribed_lobby', id: frame.id })
      if (frame.type !== 'subscribe') return
      if (refusal !== undefined) return void this.coming.push({ type: 'error', id: frame.id, code: refusal })
      this.isSubscribed = true
      const { id } = frame
      this.coming.push({
        type: 'subscribed',
        id,
        roomId: ROOM,
        seq: log.length,
        role: 'speaker',
        present: [],
      })
    }

    close(): void {
      this.isClosed = true
    }

    /** Ended by the server, or by the network in between. */
    lose(code = 1006, reason = ''): void {
      this.isClosed = true
      this.#listeners.onClose(code, reason)
    }

    deliver(): boolean {
      const frame = this.coming.shift()
      if (frame) this.#listeners.onMessage(JSON.stringify(frame))
      return frame !== undefined
    }
  }

  const connection = new Connection({
    open(_protocol, listeners) {
      const socket = new FakeSocket(listeners)
      socket.coming.push({ type: 'welcome', userId: user, limits: { messageLength: 7 } })
      sockets.push(socket)
      return socket
    },
    log: {
      eventsAfter: (_roomId, after) =>
        new Promise<EventPage>((resolve, reject) =>
          reads.push((how) => {
            if (how === 'fail') return reject(new Error(refusal ?? 'no answer'))
            const events = log.filter(({ seq }) => seq > after && seq >= firstKept).slice(0, 200)
            const reset = after > log.length || firstKept > after + 1
            resolve({ events, lastSeq: log.length, reset })
          }),
        ),
      refusalOf: (error) => ((error as Error).message === 'no answer' ? undefined : (error as Error).message),
    },
    isSameUser: (userId) => userId === 'alice',
    onUserChange: () => calls.push('somebody else'),
    onSessionEnd: (reason) => calls.push(`session ended: ${reason}`),
    random: () => 1,
    timers: {
      now: () => nowMs,
      after(ms, act) {
        const timer = { at: nowMs + ms, act }
        timers.push(timer)
        return () => void (timers.includes(timer) && timers.splice(timers.indexOf(timer), 1))
      },
    },
  })
  connection.watch(() => states.push(connection.state))

  const current = () => sockets.findLast(({ isClosed }) => !isClosed)
  return {
    connection,
    sockets,
    states,
    told: calls,
    reads,
    current,
    follow: () =>
      connection.follow(ROOM, {
        subscribed: ({ seq }: SubscribedFrame) => calls.push(`in at ${seq}`),
        event: ({ seq }) => calls.push(String(seq)),
        reset: () => calls.push('reset'),
        presence: () => calls.push('presence'),
        typing: () => calls.push('typing'),
        removed: ({ reason }) => calls.push(`removed: ${reason}`),
        refused: (code) => calls.push(`refused: ${code}`),
      }),
    /** Something happens in the room; whoever is subscribed will be sent it. */
    append(isLost = false): void {
      const seq = log.length + 1
      const event = { seq, at: '', event: 'message.created' as const, data: {} }
      log.push(event)
      for (const socket of sockets)
        if (socket.isSubscribed && !isLost) socket.coming.push({ type: 'event', roomId: ROOM, ...event })
    },
    say: (frame: object) => current()?.coming.push(frame),
    die: () => void (isDead = true),
    signIn: (userId: string) => void (user = userId),
    refuse: (code: string | undefined) => void (refusal = code),
    forgetBefore: (seq: number) => void (firstKept = seq),
    setBack: (length: number) => void (log.length = length),
    /** Lets time pass, with every timer that comes due. */
    pass(ms: number): void {
      nowMs += ms
      for (const timer of timers.filter(({ at }) => at <= nowMs)) {
        timers.splice(timers.indexOf(timer), 1)
        timer.act()
      }
    },
    /** Everything that is on its way arrives. */
    async settle(): Promise<void> {
      for (let quiet = 0; quiet < 3; quiet++) {
        while (current()?.deliver()) quiet = 0
        for (const read of reads.splice(0)) read('answer')
        await Bun.sleep(0)
      }
    },
    seqs: () => calls.filter((word) => /^\d+$/.test(word)).map(Number),
    lastSeq: () => log.length,
  }
}

async function inRoom(events = 0) {
  const it = world()
  for (let count = 0; count < events; count++) it.append()
  it.connection.start()
  const leave = it.follow()
  await it.settle()
  return { ...it, leave }
}

test('what happens after one came in is told in order, and what came before is not', async () => {
  const it = await inRoom(3)
  it.append()
  it.append()
  await it.settle()
  expect(it.told).toEqual(['in at 3', '4', '5'])
  expect([it.connection.state, it.connection.messageLength]).toEqual(['live', 7])
})

test('events that overtake the answer to the subscription are held back, not lost', async () => {
  const it = world()
  it.append()
  it.connection.start()
  it.follow()
  it.current()?.deliver()
  // The answer is on its way behind what has happened since.
  const answer = it.current()?.coming.shift()
  it.append()
  it.append()
  it.say(answer ?? {})
  await it.settle()
  expect(it.told).toEqual(['in at 1', '2', '3'])
})

test('R18.5 after a break everything that was missed is read from the log, while live events wait their turn', async () => {
  const it = await inRoom()
  it.append()
  await it.settle()
  it.sockets[0]?.lose()
  expect(it.connection.state).toBe('waiting')
  for (let count = 0; count < 450; count++) it.append()
  it.pass(500)
  const socket = it.current()
  while (socket?.deliver());
  expect(it.seqs()).toEqual([1])
  it.append()
  while (socket?.deliver());
  expect(it.reads).toHaveLength(1)
  expect(it.seqs()).toEqual([1])
  await it.settle()
  expect(it.seqs()).toEqual(Array.from({ length: 452 }, (_, index) => index + 1))
})

test('an event that never came is found missing by the next one', async () => {
  const it = await inRoom()
  it.append()
  it.append(true)
  it.append()
  await it.settle()
  expect(it.seqs()).toEqual([1, 2, 3])
})

test('an event that comes twice is told once', async () => {
  const it = await inRoom()
  it.append()
  const again = it.current()?.coming[0]
  it.say(again ?? {})
  await it.settle()
  it.say(again ?? {})
  await it.settle()
  expect(it.seqs()).toEqual([1])
})

test('a log that cannot be read is asked again, and nothing is skipped', async () => {
  const it = await inRoom()
  it.append(true)
  it.append()
  while (it.current()?.deliver());
  it.reads.shift()?.('fail')
  await Bun.sleep(0)
  expect(it.reads).toHaveLength(0)
  it.pass(500)
  await it.settle()
  expect(it.seqs()).toEqual([1, 2])
})

test('when events are gone by their age the room is read anew, and goes on from there', async () => {
  const it = await inRoom()
  it.append()
  await it.settle()
  it.sockets[0]?.lose()
  for (let count = 0; count < 5; count++) it.append()
  it.forgetBefore(5)
  it.pass(500)
  await it.settle()
  it.append()
  await it.settle()
  expect(it.told).toEqual(['in at 0', '1', 'in at 6', 'reset', '7'])
})

test('a database that was set back is noticed', async () => {
  const it = await inRoom(9)
  it.sockets[0]?.lose()
  it.setBack(4)
  it.pass(500)
  await it.settle()
  it.append()
  await it.settle()
  expect(it.told).toEqual(['in at 9', 'in at 4', 'reset', '5'])
})

test('R28.5 whoever was removed does not come back by itself, and hears nothing more', async () => {
  const it = await inRoom()
  it.say({ type: 'room.removed', roomId: ROOM, reason: 'kicked', until: null })
  await it.settle()
  it.append()
  await it.settle()
  it.sockets[0]?.lose()
  it.pass(500)
  await it.settle()
  expect(it.told).toEqual(['in at 0', 'removed: kicked'])
  expect(it.current()?.sent.map(({ type }) => type)).toEqual([])
})

test('a room that lets nobody in says so once; what may pass is asked again', async () => {
  const it = world()
  it.refuse('banned')
  it.connection.start()
  it.follow()
  await it.settle()
  expect(it.told).toEqual(['refused: banned'])
  it.refuse('unavailable')
  it.follow()
  await it.settle()
  it.refuse(undefined)
  it.pass(8000)
  await it.settle()
  expect(it.told).toEqual(['refused: banned', 'in at 0'])
})

test('access that is lost while the log is read ends the following', async () => {
  const it = await inRoom()
  it.append(true)
  it.append()
  while (it.current()?.deliver());
  it.refuse('not_found')
  it.reads.shift()?.('fail')
  await Bun.sleep(0)
  expect(it.told).toEqual(['in at 0', 'refused: not_found'])
  it.pass(60_000)
  expect(it.reads).toHaveLength(0)
})

test('leaving tells the server, and nothing is heard afterwards', async () => {
  const it = await inRoom()
  it.leave()
  it.append()
  await it.settle()
  expect(it.told).toEqual(['in at 0'])
  expect(it.current()?.sent.at(-1)).toMatchObject({ type: 'unsubscribe', roomId: ROOM })
})

test('R18.7 waits grow from half a second to half a minute with full jitter, and begin anew after a welcome', async () => {
  const waits = [0, 1, 2, 3, 4, 5, 6, 7, 20].map((attempt) => backoffMs(attempt, () => 1))
  expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
  expect(backoffMs(3, () => 0)).toBe(0)
  const it = world()
  it.connection.start()
  for (const ms of [500, 1000, 2000]) {
    it.current()?.lose()
    it.pass(ms - 1)
    expect(it.connection.state).toBe('waiting')
    it.pass(1)
    expect(it.connection.state).toBe('connecting')
  }
  await it.settle()
  it.current()?.lose()
  it.pass(500)
  expect(it.connection.state).toBe('connecting')
})

for (const [code, state] of [
  [4400, 'misunderstood'],
  [4413, 'misunderstood'],
  [4409, 'replaced'],
] as const)
  test(`R18.8 after ${code} nothing is opened again until somebody wants it`, async () => {
    const it = await inRoom()
    it.current()?.lose(code)
    it.pass(600_000)
    expect([it.connection.state, it.sockets.length]).toEqual([state, 1])
    it.connection.start()
    it.append()
    await it.settle()
    expect(it.seqs()).toEqual([1])
  })

test('R18.8 after 4401 the session is over, with its reason, and nothing is opened again', async () => {
  const it = await inRoom()
  it.current()?.lose(4401, 'idp_logout')
  it.pass(600_000)
  expect(it.told).toEqual(['in at 0', 'session ended: idp_logout'])
  expect([it.connection.state, it.sockets.length]).toEqual(['idle', 1])
})

test('where somebody else is signed in after a break nothing is asked for as them, and nothing goes on', async () => {
  const it = await inRoom()
  it.sockets[0]?.lose()
  it.signIn('bob')
  it.states.length = 0
  it.pass(500)
  await it.settle()
  expect(it.told).toEqual(['in at 0', 'somebody else'])
  expect(it.states).toEqual(['connecting', 'idle'])
  expect(it.sockets.map(({ sent, isClosed }) => [sent.map(({ type }) => type), isClosed])).toEqual([
    [['subscribe'], true],
    [[], true],
  ])
  it.pass(600_000)
  expect(it.sockets).toHaveLength(2)
})

test('R18.8 after 4429 half a minute passes first, however much somebody hurries', async () => {
  const it = await inRoom()
  it.current()?.lose(4429)
  it.connection.reconnectNow()
  it.pass(29_999)
  it.connection.reconnectNow()
  expect(it.connection.state).toBe('resting')
  it.pass(1)
  expect([it.connection.state, it.sockets.length]).toEqual(['connecting', 2])
})

test('when the network is back a lost connection is opened at once, and one that hangs or may have died anew', async () => {
  const it = await inRoom()
  it.current()?.lose()
  it.connection.reconnectNow()
  expect([it.connection.state, it.sockets.length]).toEqual(['connecting', 2])
  it.pass(2_999)
  it.connection.reconnectNow()
  expect(it.sockets).toHaveLength(2)
  it.pass(1)
  it.connection.reconnectNow()
  expect(it.sockets.map(({ isClosed }) => isClosed)).toEqual([true, true, false])
  it.append()
  await it.settle()
  expect([it.connection.state, it.seqs()]).toEqual(['live', [1]])
  it.append(true)
  it.connection.reconnectNow()
  expect([it.connection.state, it.sockets.length]).toEqual(['connecting', 4])
  await it.settle()
  expect([it.connection.state, it.seqs()]).toEqual(['live', [1, 2]])
  it.pass(500)
  expect(it.sockets).toHaveLength(4)
})

test('an opening that hangs is given up, and tried again', async () => {
  const it = world()
  it.connection.start()
  it.pass(24_999)
  expect(it.connection.state).toBe('connecting')
  it.pass(1)
  expect([it.connection.state, it.sockets[0]?.isClosed]).toEqual(['waiting', true])
  it.pass(500)
  await it.settle()
  expect([it.connection.state, it.sockets.length]).toEqual(['live', 2])
})

test('a connection that died without a word is found out and opened again', async () => {
  const it = await inRoom()
  it.pass(25_000)
  expect(it.current()?.sent.at(-1)?.type).toBe('ping')
  await it.settle()
  it.die()
  it.pass(25_000)
  it.pass(24_999)
  expect(it.connection.state).toBe('live')
  it.pass(1)
  expect(it.connection.state).toBe('waiting')
  it.append()
  it.pass(500)
  await it.settle()
  expect(it.seqs()).toEqual([1])
})

test('who looks at the lobby looks again after a break', async () => {
  const it = world()
  let looks = 0
  const stop = it.connection.followLobby(() => looks++)
  it.connection.start()
  it.current()?.deliver()
  // Not before it is listened to: what is made in between would be neither seen nor told.
  expect([looks, it.current()?.sent.map(({ type }) => type)]).toEqual([0, ['subscribe_lobby']])
  await it.settle()
  it.say({ type: 'lobby', remove: ROOM })
  await it.settle()
  it.current()?.lose()
  it.pass(500)
  await it.settle()
  expect(looks).toBe(3)
  expect(it.current()?.sent.map(({ type }) => type)).toEqual(['subscribe_lobby'])
  stop()
  expect(it.current()?.sent.at(-1)?.type).toBe('unsubscribe_lobby')
})

test('R18.5 whatever is lost, late or broken off, every event is told once and in order', async () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.constant('append') },
    { weight: 2, arbitrary: fc.constant('append unheard') },
    { weight: 8, arbitrary: fc.constant('deliver') },
    { weight: 2, arbitrary: fc.constant('lose') },
    { weight: 3, arbitrary: fc.constant('pass') },
    { weight: 4, arbitrary: fc.constant('answer') },
    { weight: 2, arbitrary: fc.constant('fail') },
    { weight: 2, arbitrary: fc.constant('double') },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
      const it = await inRoom()
      const take: Record<string, () => unknown> = {
        append: () => it.append(),
        'append unheard': () => it.append(true),
        deliver: () => it.current()?.deliver(),
        lose: () => it.current()?.lose(),
        pass: () => it.pass(1000),
        answer: () => it.reads.shift()?.('answer'),
        fail: () => it.reads.shift()?.('fail'),
        double: () => it.current()?.coming.push(...it.current()!.coming.slice(0, 1)),
      }
      for (const each of steps) {
        take[each]?.()
        await Promise.resolve()
      }
      // Whatever was under way comes to its end.
      for (let round = 0; round < 12; round++) {
        it.pass(30_000)
        await it.settle()
      }
      it.append()
      await it.settle()
      expect(it.seqs()).toEqual(Array.from({ length: it.lastSeq() }, (_, index) => index + 1))
    }),
    { numRuns: 300 },
  )
}, 60_000)
