import { afterEach, beforeAll, expect, mock, spyOn, test } from 'bun:test'
import type { RoomListener } from './room-subscription.ts'
import type { Message, Person } from './frames.ts'
import { live } from './live.ts'
import { RoomStore } from './room-store.ts'

beforeAll(() => {
  Object.assign(globalThis, {
    OPERATIONS: { listMessages: ['GET', '/rooms/{id}/messages'] },
    sessionStorage: { getItem: () => null },
  })
})
afterEach(() => mock.restore())

const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)
const message = (seq: number) =>
  ({
    id: String(seq),
    seq,
    userId: 'other',
    nickname: 'Before',
    avatarColor: '#000',
    content: 'words',
    deletedAt: null,
  }) as Message

/** Somebody in a room, whose pages of history come when the test lets them. */
function world() {
  const reads: ((seqs: readonly number[]) => Promise<void>)[] = []
  let listener: RoomListener | undefined
  spyOn(live, 'follow').mockImplementation((_roomId, given) => {
    listener = given
    return () => {}
  })
  const answer = () =>
    new Promise<Response>((resolve) =>
      reads.push(async (seqs) => {
        resolve(Response.json({ messages: seqs.map(message), nextCursor: String(seqs[0]) }))
        await Bun.sleep(0)
      }),
    )
  spyOn(globalThis, 'fetch').mockImplementation(Object.assign(answer, { preconnect: fetch.preconnect }))
  const store = new RoomStore('room-1', 'me')
  store.enter()
  const welcome = (seq = 0, present: Person[] = []) =>
    listener?.subscribed({
      type: 'subscribed',
      id: '1',
      roomId: 'room-1',
      seq,
      role: 'speaker',
      canPublish: true,
      count: 0,
      present,
    })
  welcome()
  return {
    store,
    reads,
    welcome,
    kickOut: () => listener?.removed({ reason: 'kicked', until: null }),
    hear: (seq: number) =>
      listener?.event({ seq, at: '', event: 'message.created', data: { message: message(seq) } }),
    hearDeleted: (seq: number) =>
      listener?.event({ seq: 99, at: 'now', event: 'message.deleted', data: { messageId: String(seq) } }),
    hearRole: (person: Person) =>
      listener?.event({ seq: 99, at: 'now', event: 'member.role', data: { person } }),
    meet: (person: Person) =>
      listener?.presence({ type: 'presence', roomId: 'room-1', joined: [person], left: [], count: 1 }),
    seqs: () => store.state().messages.map(({ seq }) => seq),
  }
}

test('a page that was asked for before somebody came in again is not taken for what is newest now', async () => {
  const it = world()
  it.kickOut()
  it.store.enter()
  await it.reads[0]?.(range(1, 2))
  it.welcome()
  await it.reads[1]?.(range(1, 3))
  expect(it.seqs()).toEqual(range(1, 3))
})

test('a page of older messages that comes when those next to it were let go leaves no gap', async () => {
  const it = world()
  await it.reads[0]?.(range(501, 550))
  void it.store.readOlder()
  for (const seq of range(551, 1010)) it.hear(seq)
  const kept = it.seqs()
  expect(kept.length).toBeLessThan(500)
  await it.reads[1]?.(range(451, 500))
  expect(it.seqs()).toEqual(kept)
  expect(it.store.state().older).toBe(String(kept[0]))
})

test('a tab that is hidden at the end of a room lets the oldest messages go too, and counts them all as unread', () => {
  const hidden = world()
  hidden.store.setAttention(false, true)
  for (const seq of range(1, 2000)) hidden.hear(seq)
  const kept = hidden.seqs()
  expect(kept.length).toBeLessThanOrEqual(500)
  expect(kept).toEqual(range(2001 - kept.length, 2000))
  expect(hidden.store.state()).toMatchObject({ unread: 2000, unreadFrom: 1, older: String(kept[0]) })
  hidden.store.setAttention(true, true)
  expect(hidden.store.state()).toMatchObject({ unread: 0, unreadFrom: 1 })
  // Whoever looks for the mark further up does not lose it; the next one is made by what comes then.
  hidden.store.setAttention(false, false)
  expect(hidden.store.state()).toMatchObject({ unread: 0, unreadFrom: 1 })
  hidden.hear(2001)
  hidden.hear(2002)
  expect(hidden.store.state()).toMatchObject({ unread: 2, unreadFrom: 2001 })
  // Of somebody who reads older ones none is taken away.
  const away = world()
  away.store.setAttention(false, false)
  for (const seq of range(1, 2000)) away.hear(seq)
  expect(away.seqs()).toEqual(range(1, 2000))
  away.store.setAttention(false, true)
  expect([away.seqs().length, away.store.state().unread]).toEqual([250, 2000])
})

test('the last messages that came are all to be read out, however close together, but none that is deleted', () => {
  const it = world()
  const announced = () => it.store.state().announcements.map(({ seq }) => seq)
  for (const seq of range(1, 3)) it.hear(seq)
  expect(announced()).toEqual([1, 2, 3])
  it.hearDeleted(2)
  expect(announced()).toEqual([1, 3])
  for (const seq of range(4, 200)) it.hear(seq)
  expect(announced()).toEqual(range(191, 200))
})

test('what is deleted while the page that holds it is on its way cannot be read', async () => {
  const it = world()
  await it.reads[0]?.(range(3, 4))
  it.hearDeleted(3)
  void it.store.readOlder()
  it.hearDeleted(1)
  await it.reads[1]?.(range(1, 2))
  const seen = it.store.state().messages.map(({ seq, content, deletedAt }) => [seq, content, deletedAt])
  expect(seen).toEqual([
    [1, null, 'now'],
    [2, 'words', null],
    [3, null, 'now'],
    [4, 'words', null],
  ])
})

test('what was missed is marked as new also for who is at the end of the room, and what comes after that is not', () => {
  const it = world()
  const { store } = it
  const mark = () => [store.state().unread, store.state().unreadFrom]
  store.setAttention(true, true)
  it.hear(1)
  // Nothing was missed.
  it.welcome(1)
  it.hear(2)
  expect(mark()).toEqual([0, null])
  it.welcome(40)
  for (const seq of range(3, 40)) it.hear(seq)
  it.hear(41)
  expect(mark()).toEqual([0, 3])
  it.welcome(41)
  it.hear(42)
  expect(mark()).toEqual([0, 3])
  // What was missed before has been read since.
  it.welcome(50)
  for (const seq of range(43, 50)) it.hear(seq)
  expect(mark()).toEqual([0, 43])
  store.setAttention(false, true)
  it.hear(51)
  it.welcome(60)
  for (const seq of range(52, 60)) it.hear(seq)
  expect(mark()).toEqual([10, 51])
})

test('whoever changes their name has it above all that they have said, and nobody else has', () => {
  const it = world()
  for (const seq of range(1, 3)) it.hear(seq)
  const person = { userId: 'other', guest: true, role: 'speaker' } as Person
  const names = () => it.store.state().messages.map(({ nickname, avatarColor }) => [nickname, avatarColor])
  const named = (nickname: string, avatarColor: string) => ({ ...person, nickname, avatarColor })
  it.meet({ ...named('Somebody else', '#000'), userId: 'else' })
  expect(names()).toEqual(range(1, 3).map(() => ['Before', '#000']))
  it.meet(named('By presence', '#111'))
  expect(names()).toEqual(range(1, 3).map(() => ['By presence', '#111']))
  it.hearRole(named('By role', '#111'))
  expect(names()).toEqual(range(1, 3).map(() => ['By role', '#111']))
  it.welcome(3, [named('By coming in', '#222')])
  expect(names()).toEqual(range(1, 3).map(() => ['By coming in', '#222']))
})
