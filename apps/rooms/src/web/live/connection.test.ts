import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { Connection, type ConnectionState } from './connection.ts'
import type { Socket, SocketListeners } from './socket.ts'
import { backoffMs } from './timers.ts'
import type { EventPage } from './room-subscription.ts'
import type { RemovedFrame, RoomEvent, SubscribedFrame } from './frames.ts'

const ROOM = 'room-1'

/**
 * Connection to a fake server: the event log of a room, and sockets whose frames arrive when the
 * test lets them.
 */
function createFixture() {
  const log: RoomEvent[] = []
  const sockets: FakeSocket[] = []
  const timers: { at: number; act: () => void }[] = []
  const calls: string[] = []
  const states: ConnectionState[] = []
  const reads: ((how: 'answer' | 'fail') => void)[] = []
  let nowMs = 0
  let firstStored = 1
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
      const access = { roomId: ROOM, seq: log.length, role: 'speaker', present: [] }
      this.coming.push({ type: 'subscribed', id: frame.id, ...access })
    }

    close(): void {
      this.isClosed = true
    }

    /** Closes the socket from the server or from the network in between. */
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
      socket.coming.push({
        type: 'welcome',
        userId: user,
        now: new Date(0).toISOString(),
        limits: { messageLength: 7 },
      })
      sockets.push(socket)
      return socket
    },
    log: {
      eventsAfter: (_roomId, after) =>
        new Promise<EventPage>((resolve, reject) =>
          reads.push((how) => {
            if (how === 'fail') return reject(new Error(refusal ?? 'no answer'))
            const events = log.filter(({ seq }) => seq > after && seq >= firstStored).slice(0, 200)
            const reset = after > log.length || firstStored > after + 1
            resolve({ events, lastSeq: log.length, reset })
          }),
        ),
      refusalOf: (error) => ((error as Error).message === 'no answer' ? undefined : (error as Error).message),
    },
    isSameUser: (userId) => userId === 'alice',
    onUserChange: () => calls.push('user changed'),
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
    calls,
    reads,
    current,
    follow: (start?: number) => {
      const listener = {
        subscribed: ({ seq }: SubscribedFrame) => calls.push(`in at ${seq}`),
        event: ({ seq }: RoomEvent) => calls.push(String(seq)),
        reset: () => calls.push('reset'),
        presence: () => calls.push('presence'),
        typing: () => calls.push('typing'),
        removed: ({ reason }: Pick<RemovedFrame, 'reason'>) => calls.push(`removed: ${reason}`),
        refused: (code: string) => calls.push(`refused: ${code}`),
      }
      return connection.follow(ROOM, listener, start)
    },
    /** Appends an event to the log and sends it to subscribed sockets, unless it `isLost`. */
    append(isLost = false): void {
      const seq = log.length + 1
      const event = { seq, at: '', event: 'message.created' as const, data: {} }
      log.push(event)
      for (const socket of sockets)
        if (socket.isSubscribed && !isLost) socket.coming.push({ type: 'event', roomId: ROOM, ...event })
    },
    push: (frame: object) => current()?.coming.push(frame),
    die: () => void (isDead = true),
    signIn: (userId: string) => void (user = userId),
    refuse: (code: string | undefined) => void (refusal = code),
    forgetBefore: (seq: number) => void (firstStored = seq),
    restoreTo: (length: number) => void (log.length = length),
    /** Advances the clock and runs the timers that are due. */
    pass(ms: number): void {
      nowMs += ms
      for (const timer of timers.filter(({ at }) => at <= nowMs)) {
        timers.splice(timers.indexOf(timer), 1)
        timer.act()
      }
    },
    /** Delivers all frames and answers all reads. */
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
  const it = createFixture()
  for (let count = 0; count < events; count++) it.append()
  it.connection.start()
  const leave = it.follow()
  await it.settle()
  return { ...it, leave }
}

test('events after entering are delivered in order, events before it are not', async () => {
  const it = await inRoom(3)
  it.append()
  it.append()
  await it.settle()
  expect(it.calls).toEqual(['in at 3', '4', '5'])
  expect([it.connection.state, it.connection.messageLength]).toEqual(['live', 7])
})

test('R23.9: events after what the page came with are delivered, none of them twice', async () => {
  const it = createFixture()
  for (let count = 0; count < 5; count++) it.append()
  it.connection.start()
  it.follow(3)
  it.current()?.deliver()
  it.append()
  await it.settle()
  expect(it.calls).toEqual(['in at 5', '4', '5', '6'])
})

test('events that overtake the answer to the subscription are buffered, not lost', async () => {
  const it = createFixture()
  it.append()
  it.connection.start()
  it.follow()
  it.current()?.deliver()
  // The answer arrives after later events.
  const answer = it.current()?.coming.shift()
  it.append()
  it.append()
  it.push(answer ?? {})
  await it.settle()
  expect(it.calls).toEqual(['in at 1', '2', '3'])
})

test('R18.5, R18.5a: after a reconnection missed events are read from the log before live events are delivered', async () => {
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

test('a lost event is detected at the next one', async () => {
  const it = await inRoom()
  it.append()
  it.append(true)
  it.append()
  await it.settle()
  expect(it.seqs()).toEqual([1, 2, 3])
})

test('an event that arrives twice is delivered once', async () => {
  const it = await inRoom()
  it.append()
  const duplicate = it.current()?.coming[0]
  it.push(duplicate ?? {})
  await it.settle()
  it.push(duplicate ?? {})
  await it.settle()
  expect(it.seqs()).toEqual([1])
})

test('a failed read of the log is repeated, and no event is skipped', async () => {
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

test('after missed events have expired the room is reset and continues from the last event', async () => {
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
  expect(it.calls).toEqual(['in at 0', '1', 'in at 6', 'reset', '7'])
})

test('a database that was restored to an earlier state is detected', async () => {
  const it = await inRoom(9)
  it.sockets[0]?.lose()
  it.restoreTo(4)
  it.pass(500)
  await it.settle()
  it.append()
  await it.settle()
  expect(it.calls).toEqual(['in at 9', 'in at 4', 'reset', '5'])
})

test('R28.5: a removed client does not return on its own and receives no more events', async () => {
  const it = await inRoom()
  it.push({ type: 'room.removed', roomId: ROOM, reason: 'kicked', until: null })
  await it.settle()
  it.append()
  await it.settle()
  it.sockets[0]?.lose()
  it.pass(500)
  await it.settle()
  expect(it.calls).toEqual(['in at 0', 'removed: kicked'])
  expect(it.current()?.sent.map(({ type }) => type)).toEqual([])
})

test('a refusal of a room is reported once; a transient refusal is retried', async () => {
  const it = createFixture()
  it.refuse('banned')
  it.connection.start()
  it.follow()
  await it.settle()
  expect(it.calls).toEqual(['refused: banned'])
  it.refuse('unavailable')
  it.follow()
  await it.settle()
  it.refuse(undefined)
  it.pass(8000)
  await it.settle()
  expect(it.calls).toEqual(['refused: banned', 'in at 0'])
})

test('access that is lost while the log is read ends the subscription', async () => {
  const it = await inRoom()
  it.append(true)
  it.append()
  while (it.current()?.deliver());
  it.refuse('not_found')
  it.reads.shift()?.('fail')
  await Bun.sleep(0)
  expect(it.calls).toEqual(['in at 0', 'refused: not_found'])
  it.pass(60_000)
  expect(it.reads).toHaveLength(0)
})

test('leaving unsubscribes, and no event is delivered afterwards', async () => {
  const it = await inRoom()
  it.leave()
  it.append()
  await it.settle()
  expect(it.calls).toEqual(['in at 0'])
  expect(it.current()?.sent.at(-1)).toMatchObject({ type: 'unsubscribe', roomId: ROOM })
})

test('R18.7b: backoff grows from half a second to half a minute with full jitter, and starts again after a welcome', async () => {
  const waits = [0, 1, 2, 3, 4, 5, 6, 7, 20].map((attempt) => backoffMs(attempt, () => 1))
  expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
  expect(backoffMs(3, () => 0)).toBe(0)
  const it = createFixture()
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
  [4400, 'incompatible'],
  [4413, 'incompatible'],
  [4409, 'replaced'],
] as const)
  test(`R18.8: after ${code} the client reconnects only on request`, async () => {
    const it = await inRoom()
    it.current()?.lose(code)
    it.pass(600_000)
    expect([it.connection.state, it.sockets.length]).toEqual([state, 1])
    it.connection.start()
    it.append()
    await it.settle()
    expect(it.seqs()).toEqual([1])
  })

test('R18.8: 4401 ends the session with its reason, and the client does not reconnect', async () => {
  const it = await inRoom()
  it.current()?.lose(4401, 'idp_logout')
  it.pass(600_000)
  expect(it.calls).toEqual(['in at 0', 'session ended: idp_logout'])
  expect([it.connection.state, it.sockets.length]).toEqual(['idle', 1])
})

test('if another user is signed in after a reconnection, nothing is sent in their session and the connection stops', async () => {
  const it = await inRoom()
  it.sockets[0]?.lose()
  it.signIn('bob')
  it.states.length = 0
  it.pass(500)
  await it.settle()
  expect(it.calls).toEqual(['in at 0', 'user changed'])
  expect(it.states).toEqual(['connecting', 'idle'])
  expect(it.sockets.map(({ sent, isClosed }) => [sent.map(({ type }) => type), isClosed])).toEqual([
    [['subscribe'], true],
    [[], true],
  ])
  it.pass(600_000)
  expect(it.sockets).toHaveLength(2)
})

test('R18.8: after 4429 the client waits half a minute, even if asked to reconnect', async () => {
  const it = await inRoom()
  it.current()?.lose(4429)
  it.connection.reconnectNow()
  it.pass(29_999)
  it.connection.reconnectNow()
  expect(it.connection.state).toBe('resting')
  it.pass(1)
  expect([it.connection.state, it.sockets.length]).toEqual(['connecting', 2])
})

test('when the network is back, a lost, hanging or possibly dead connection is replaced at once', async () => {
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

test('R35.3f: a browser without a network is noticed at once, and nothing is missed', async () => {
  const it = await inRoom()
  it.connection.markOffline()
  expect(it.connection.state).toBe('waiting')
  it.append()
  it.connection.reconnectNow()
  await it.settle()
  expect([it.connection.state, it.seqs()]).toEqual(['live', [1]])
})

test('an opening that hangs is abandoned and repeated', async () => {
  const it = createFixture()
  it.connection.start()
  it.pass(24_999)
  expect(it.connection.state).toBe('connecting')
  it.pass(1)
  expect([it.connection.state, it.sockets[0]?.isClosed]).toEqual(['waiting', true])
  it.pass(500)
  await it.settle()
  expect([it.connection.state, it.sockets.length]).toEqual(['live', 2])
})

test('a silently dead connection is detected and replaced', async () => {
  const it = await inRoom()
  it.pass(25_000)
  expect(it.current()?.sent.at(-1)?.type).toBe('ping')
  await it.settle()
  it.die()
  it.pass(25_000)
  it.pass(9_999)
  expect(it.connection.state).toBe('live')
  it.pass(1)
  expect(it.connection.state).toBe('waiting')
  it.append()
  it.pass(500)
  await it.settle()
  expect(it.seqs()).toEqual([1])
})

test('R18.7c: a silently dead connection is detected within ten seconds of a sign of life', async () => {
  const it = await inRoom()
  it.die()
  it.connection.check()
  expect(it.current()?.sent.at(-1)?.type).not.toBe('ping')
  it.pass(3_000)
  it.connection.check()
  expect(it.current()?.sent.at(-1)?.type).toBe('ping')
  it.pass(6_000)
  // Further signs of life do not put the end off.
  it.connection.check()
  it.pass(3_999)
  expect(it.connection.state).toBe('live')
  it.pass(1)
  expect(it.connection.state).toBe('waiting')
})

test('R18.7c: a sign of life does not disturb a connection that is alive', async () => {
  const it = await inRoom()
  it.pass(3_000)
  it.connection.check()
  await it.settle()
  it.pass(20_000)
  expect([it.connection.state, it.sockets.length]).toEqual(['live', 1])
})

test('R18.7e, R18.7d: a connection is up to date only when missed events were read, and stalls without an answer', async () => {
  const it = await inRoom(1)
  const health = () => [it.connection.state, it.connection.isUpToDate, it.connection.isStalled]
  expect(health()).toEqual(['live', true, false])
  it.append(true)
  it.current()?.lose()
  it.pass(500)
  while (it.current()?.deliver());
  expect(health()).toEqual(['live', false, false])
  for (const read of it.reads.splice(0)) read('fail')
  await Bun.sleep(0)
  expect(health()).toEqual(['live', false, true])
  it.pass(30_000)
  await it.settle()
  expect(health()).toEqual(['live', true, false])
  expect(it.seqs()).toEqual([2])
})

test('the lobby is read again after a reconnection', async () => {
  const it = createFixture()
  const reasons: string[] = []
  const stop = it.connection.followLobby((reason) => reasons.push(reason))
  it.connection.start()
  it.current()?.deliver()
  // The lobby is read once the subscription is active: a change in between would be missed.
  expect([reasons, it.current()?.sent.map(({ type }) => type)]).toEqual([[], ['subscribe_lobby']])
  await it.settle()
  it.push({ type: 'lobby', remove: ROOM })
  await it.settle()
  it.current()?.lose()
  it.pass(500)
  await it.settle()
  expect(reasons).toEqual(['followed', 'changed', 'followed'])
  expect(it.current()?.sent.map(({ type }) => type)).toEqual(['subscribe_lobby'])
  stop()
  expect(it.current()?.sent.at(-1)?.type).toBe('unsubscribe_lobby')
})

test('R18.5c: every event is delivered once and in order, whatever is lost, late or interrupted', async () => {
  const weights = { append: 6, 'append lost': 2, deliver: 8, lose: 2, pass: 3, answer: 4, fail: 2, double: 2 }
  const steps = Object.entries(weights).map(([name, weight]) => ({ weight, arbitrary: fc.constant(name) }))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(...steps), { maxLength: 120 }), async (names) => {
      const it = await inRoom()
      const take: Record<string, () => unknown> = {
        append: () => it.append(),
        'append lost': () => it.append(true),
        deliver: () => it.current()?.deliver(),
        lose: () => it.current()?.lose(),
        pass: () => it.pass(1000),
        answer: () => it.reads.shift()?.('answer'),
        fail: () => it.reads.shift()?.('fail'),
        double: () => it.current()?.coming.push(...it.current()!.coming.slice(0, 1)),
      }
      for (const name of names) {
        take[name]?.()
        await Promise.resolve()
      }
      // Completes all pending work.
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
