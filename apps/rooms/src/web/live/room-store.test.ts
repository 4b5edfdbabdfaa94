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
    avatarUrl: null,
    guest: false,
    authorRole: null,
    content: 'words',
    replyTo: null,
    mentions: [],
    reactions: [],
    pinned: false,
    deletedAt: null,
  }) as unknown as Message

/** A user in a room, whose pages of history arrive when the test lets them. */
function createRoom() {
  const reads: ((seqs: readonly number[]) => Promise<void>)[] = []
  let listener: RoomListener | undefined
  const follow = spyOn(live, 'follow').mockImplementation((_roomId, roomListener) => {
    listener = roomListener
    return () => {}
  })
  const answer = () =>
    new Promise<Response>((resolve) =>
      reads.push(async (seqs) => {
        resolve(Response.json({ messages: seqs.map(message), nextCursor: String(seqs[0]), events: [] }))
        await Bun.sleep(0)
      }),
    )
  spyOn(globalThis, 'fetch').mockImplementation(Object.assign(answer, { preconnect: fetch.preconnect }))
  const store = new RoomStore('room-1', 'me')
  store.enter()
  const welcome = (seq = 0, present: readonly Person[] = []) =>
    listener?.subscribed({
      type: 'subscribed',
      id: '1',
      roomId: 'room-1',
      seq,
      role: 'speaker',
      canPublish: true,
      count: 0,
      present: present.map(toPresent),
    })
  welcome()
  return {
    store,
    follow,
    reads,
    welcome,
    kickOut: () => listener?.removed({ reason: 'kicked', until: null }),
    receive: (seq: number) =>
      listener?.event({ seq, at: '', event: 'message.created', data: { message: message(seq) } }),
    receiveDeletion: (seq: number) =>
      listener?.event({ seq: 99, at: 'now', event: 'message.deleted', data: { messageId: String(seq) } }),
    receiveOwner: (ownerId: string, previousOwnerId: string) =>
      listener?.event({ seq: 99, at: 'now', event: 'room.owner', data: { ownerId, previousOwnerId } }),
    receiveDeparture: (person: Person) =>
      listener?.event({ seq: 99, at: 'now', event: 'member.left', data: { person } }),
    receiveJoin: (seq: number, person: Person) =>
      listener?.event({ seq, at: 'now', event: 'member.joined', data: { person } }),
    receiveRole: (person: Person) =>
      listener?.event({ seq: 99, at: 'now', event: 'member.role', data: { person } }),
    join: (person: Person) =>
      listener?.presence({
        type: 'presence',
        roomId: 'room-1',
        joined: [toPresent(person)],
        left: [],
        count: 1,
      }),
    seqs: () => store.state().messages.map(({ seq }) => seq),
  }
}

const toPresent = (person: Person) => ({ ...person, voice: null })

test('a page requested before entering again is not mistaken for the newest one', async () => {
  const it = createRoom()
  it.kickOut()
  it.store.enter()
  await it.reads[0]?.(range(1, 2))
  it.welcome()
  await it.reads[1]?.(range(1, 3))
  expect(it.seqs()).toEqual(range(1, 3))
})

test('R23.9: a room begins with the messages that its page came with, and misses no event between two of them', async () => {
  const it = createRoom()
  const ada: Person = {
    userId: 'ada',
    nickname: 'Ada',
    avatarColor: '#000',
    avatarUrl: null,
    guest: false,
    role: 'listener',
  }
  // While the server wrote the page, Ada joined and a message was posted.
  it.store.enter(undefined, {
    newest: { messages: [1, 3].map(message), events: [], nextCursor: null, newerCursor: null },
    lastSeq: 1,
  })
  expect(it.seqs()).toEqual([1, 3])
  expect(it.follow).toHaveBeenLastCalledWith('room-1', expect.anything(), 1)
  it.welcome(4)
  it.receiveJoin(2, ada)
  for (const seq of [3, 4]) it.receive(seq)
  expect(it.seqs()).toEqual([1, 3, 4])
  expect(it.store.state().events.map(({ seq }) => seq)).toEqual([2])
  // The read of the first visit remains the only one.
  expect(it.reads.length).toBe(1)
})

test('a page of older messages leaves no gap if the messages next to it were dropped meanwhile', async () => {
  const it = createRoom()
  await it.reads[0]?.(range(501, 550))
  void it.store.history.readOlder()
  for (const seq of range(551, 1010)) it.receive(seq)
  const remaining = it.seqs()
  expect(remaining.length).toBeLessThan(500)
  await it.reads[1]?.(range(451, 500))
  expect(it.seqs()).toEqual(remaining)
  expect(it.store.state().older).toBe(String(remaining[0]))
})

test('a hidden tab at the end of a room drops the oldest messages, too, and counts all as unread', () => {
  const hidden = createRoom()
  hidden.store.setAttention(false, true)
  for (const seq of range(1, 2000)) hidden.receive(seq)
  const remaining = hidden.seqs()
  expect(remaining.length).toBeLessThanOrEqual(500)
  expect(remaining).toEqual(range(2001 - remaining.length, 2000))
  expect(hidden.store.state()).toMatchObject({ unread: 2000, unreadFrom: 1, older: String(remaining[0]) })
  hidden.store.setAttention(true, true)
  expect(hidden.store.state()).toMatchObject({ unread: 0, unreadFrom: 1 })
  // The mark stays while the user looks for it. Only the next unread message replaces it.
  hidden.store.setAttention(false, false)
  expect(hidden.store.state()).toMatchObject({ unread: 0, unreadFrom: 1 })
  hidden.receive(2001)
  hidden.receive(2002)
  expect(hidden.store.state()).toMatchObject({ unread: 2, unreadFrom: 2001 })
  // No message is dropped while the user reads older ones.
  const away = createRoom()
  away.store.setAttention(false, false)
  for (const seq of range(1, 2000)) away.receive(seq)
  expect(away.seqs()).toEqual(range(1, 2000))
  away.store.setAttention(false, true)
  expect([away.seqs().length, away.store.state().unread]).toEqual([250, 2000])
})

test('the latest messages are all announced, however close together, except deleted ones', () => {
  const it = createRoom()
  const announcedSeqs = () => it.store.state().announcements.map(({ seq }) => seq)
  for (const seq of range(1, 3)) it.receive(seq)
  expect(announcedSeqs()).toEqual([1, 2, 3])
  it.receiveDeletion(2)
  expect(announcedSeqs()).toEqual([1, 3])
  for (const seq of range(4, 200)) it.receive(seq)
  expect(announcedSeqs()).toEqual(range(191, 200))
})

test('a message deleted while its page is on its way cannot be read', async () => {
  const it = createRoom()
  await it.reads[0]?.(range(3, 4))
  it.receiveDeletion(3)
  void it.store.history.readOlder()
  it.receiveDeletion(1)
  await it.reads[1]?.(range(1, 2))
  const seen = it.store.state().messages.map(({ seq, content, deletedAt }) => [seq, content, deletedAt])
  expect(seen).toEqual([
    [1, null, 'now'],
    [2, 'words', null],
    [3, null, 'now'],
    [4, 'words', null],
  ])
})

test('missed messages are marked as new even at the end of the room, later messages are not', () => {
  const it = createRoom()
  const { store } = it
  const mark = () => [store.state().unread, store.state().unreadFrom]
  store.setAttention(true, true)
  it.receive(1)
  // No message was missed.
  it.welcome(1)
  it.receive(2)
  expect(mark()).toEqual([0, null])
  it.welcome(40)
  for (const seq of range(3, 40)) it.receive(seq)
  it.receive(41)
  expect(mark()).toEqual([0, 3])
  it.welcome(41)
  it.receive(42)
  expect(mark()).toEqual([0, 3])
  // The messages missed before have been read since.
  it.welcome(50)
  for (const seq of range(43, 50)) it.receive(seq)
  expect(mark()).toEqual([0, 43])
  store.setAttention(false, true)
  it.receive(51)
  it.welcome(60)
  for (const seq of range(52, 60)) it.receive(seq)
  expect(mark()).toEqual([10, 51])
})

test('a changed name or picture applies to all messages of that user and of no other', () => {
  const it = createRoom()
  for (const seq of range(1, 3)) it.receive(seq)
  const person = { userId: 'other', guest: true, role: 'speaker' } as Person
  const names = () => it.store.state().messages.map(({ nickname, avatarUrl }) => [nickname, avatarUrl])
  const personNamed = (nickname: string, avatarUrl: string | null) => ({ ...person, nickname, avatarUrl })
  it.join({ ...personNamed('Another user', null), userId: 'else' })
  expect(names()).toEqual(range(1, 3).map(() => ['Before', null]))
  it.join(personNamed('By presence', '/1'))
  expect(names()).toEqual(range(1, 3).map(() => ['By presence', '/1']))
  it.receiveRole(personNamed('By role', '/1'))
  expect(names()).toEqual(range(1, 3).map(() => ['By role', '/1']))
  it.welcome(3, [personNamed('By entering', '/2')])
  expect(names()).toEqual(range(1, 3).map(() => ['By entering', '/2']))
})

test('messages have the role of the membership of their author, who is not present', async () => {
  const it = createRoom()
  await it.reads[0]?.(range(1, 1))
  const other = {
    userId: 'other',
    nickname: 'Other',
    avatarColor: '#000',
    avatarUrl: null,
    guest: false,
  } as const
  const roles = () => it.store.state().messages.map(({ authorRole }) => authorRole)
  it.receiveRole({ ...other, role: 'moderator' })
  expect(roles()).toEqual(['moderator'])
  it.receiveOwner('other', 'me')
  expect(roles()).toEqual(['owner'])
  it.receiveOwner('me', 'other')
  expect(roles()).toEqual(['moderator'])
  it.receiveDeparture({ ...other, role: 'listener' })
  expect(roles()).toEqual([null])
  it.join({ ...other, role: 'listener' })
  expect(roles()).toEqual([null])
})
