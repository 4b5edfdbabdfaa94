import { afterEach, beforeAll, expect, mock, spyOn, test } from 'bun:test'
import type { Message, RoomEvent } from './frames.ts'
import { type History, NO_HISTORY, RoomHistory } from './room-history.ts'

beforeAll(() => {
  const message = '/rooms/{id}/messages/{messageId}'
  Object.assign(globalThis, {
    OPERATIONS: {
      listMessages: ['GET', '/rooms/{id}/messages'],
      postMessage: ['POST', '/rooms/{id}/messages'],
      listPins: ['GET', '/rooms/{id}/pins'],
      editMessage: ['PATCH', message],
      addReaction: ['PUT', `${message}/reactions/{emoji}`],
      removeReaction: ['DELETE', `${message}/reactions/{emoji}`],
      pinMessage: ['PUT', `${message}/pin`],
      unpinMessage: ['DELETE', `${message}/pin`],
    },
    document: { cookie: '' },
  })
})
afterEach(() => mock.restore())

const message = (seq: number, more: Partial<Message> = {}): Message => ({
  id: `m${seq}`,
  roomId: 'room',
  seq,
  userId: 'other',
  nickname: 'Other',
  avatarColor: '#000',
  avatarUrl: null,
  guest: false,
  authorRole: null,
  content: `Text ${seq}`,
  replyTo: null,
  mentions: [],
  groupMention: null,
  files: [],
  reactions: [],
  pinned: false,
  clientId: null,
  createdAt: '',
  editedAt: null,
  deletedAt: null,
  ...more,
})
const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => message(first + index))

/** A history whose requests are answered when the test says so. */
function createHistory() {
  const requests: { address: string; answer: (body: object, status?: number) => Promise<void> }[] = []
  const send = (input: string | URL | Request) =>
    new Promise<Response>((resolve) =>
      requests.push({
        address: input instanceof Request ? input.url : String(input),
        answer: async (body, status = 200) => {
          resolve(Response.json(body, { status }))
          await Bun.sleep(0)
        },
      }),
    )
  spyOn(globalThis, 'fetch').mockImplementation(Object.assign(send, { preconnect: fetch.preconnect }))
  let state: History = NO_HISTORY
  const stored: string[] = []
  const history = new RoomHistory({
    roomId: 'room',
    userId: 'me',
    onChange: (next) => void (state = next),
    onStored: (clientId) => stored.push(clientId),
  })
  let lastSeq = 100
  const receive = (event: RoomEvent['event'], data: object, seq = ++lastSeq) =>
    history.apply({ seq, at: 'now', event, data: data as RoomEvent['data'] })
  const page = (messages: readonly Message[], more: object = {}) => ({
    messages,
    nextCursor: null,
    newerCursor: null,
    events: [],
    ...more,
  })
  return {
    history,
    requests,
    stored,
    page,
    receive,
    create: (seq: number, more?: Partial<Message>) =>
      receive('message.created', { message: message(seq, more) }, seq),
    edit: (of: Message, content: string) =>
      receive('message.edited', { message: { ...of, content, editedAt: 'now' } }),
    react: (messageId: string, by: string, added: boolean, count: number) =>
      receive('message.reactions', {
        messageId,
        by,
        emoji: '👍',
        added,
        reactions: count > 0 ? [{ emoji: '👍', count }] : [],
      }),
    last: () => requests.at(-1),
    state: () => state,
    texts: () => state.messages.map(({ content }) => content),
    find: (id: string) => state.messages.find((loaded) => loaded.id === id),
  }
}

/** A history with these messages, at the end of the room. */
async function withMessages(messages: readonly Message[], more: object = {}) {
  const it = createHistory()
  void it.history.readOlder()
  await it.last()?.answer(it.page(messages, more))
  return it
}

test('R29.1: edits, reactions, pins and deletions change the messages that are known', async () => {
  const it = await withMessages(range(1, 3))
  it.edit(message(2), 'Edited')
  it.react('m2', 'other', true, 1)
  it.receive('message.pinned', { messageId: 'm2', by: 'other' })
  expect(it.find('m2')).toMatchObject({
    content: 'Edited',
    editedAt: 'now',
    reactions: [{ emoji: '👍', count: 1, mine: false }],
    pinned: true,
  })
  it.receive('message.unpinned', { messageId: 'm2', by: 'other' })
  expect(it.find('m2')?.pinned).toBe(false)
  it.receive('message.deleted', { messageId: 'm2', deletedBy: 'other' })
  expect(it.find('m2')).toMatchObject({ content: null, reactions: [], editedAt: null, deletedAt: 'now' })
  expect(it.texts()).toEqual(['Text 1', null, 'Text 3'])
})

test('R29.1a: the user’s own reactions are followed by events, in every tab', async () => {
  const it = await withMessages([message(1, { reactions: [{ emoji: '👍', count: 1, mine: true }] })])
  const reactions = () => it.find('m1')?.reactions
  it.react('m1', 'other', true, 2)
  expect(reactions()).toEqual([{ emoji: '👍', count: 2, mine: true }])
  it.edit(message(1, { reactions: [{ emoji: '👍', count: 2 }] as Message['reactions'] }), 'Edited')
  expect(reactions()).toEqual([{ emoji: '👍', count: 2, mine: true }])
  it.react('m1', 'me', false, 1)
  expect(reactions()).toEqual([{ emoji: '👍', count: 1, mine: false }])
  it.react('m1', 'me', true, 2)
  expect(reactions()).toEqual([{ emoji: '👍', count: 2, mine: true }])
})

test('R29.1: an answer that is older than the events that overtook it changes nothing back', async () => {
  const it = await withMessages(range(3, 4), { nextCursor: '3' })
  void it.history.readOlder()
  it.edit(message(1), 'Edited')
  it.react('m1', 'me', true, 1)
  it.receive('message.deleted', { messageId: 'm2', deletedBy: 'other' })
  await it.last()?.answer(it.page(range(1, 2)))
  expect(it.texts()).toEqual(['Edited', null, 'Text 3', 'Text 4'])
  expect(it.find('m1')?.reactions).toEqual([{ emoji: '👍', count: 1, mine: true }])
  void it.history.edit({ id: 'm3', editedAt: null }, 'Mine')
  const older = it.last()
  it.edit(message(3), 'Mine, edited again in another tab')
  await older?.answer({ message: message(3, { content: 'Mine' }) })
  expect(it.find('m3')?.content).toBe('Mine, edited again in another tab')
  void it.history.post({ content: 'New' }, 'client-1')
  it.create(5, { userId: 'me', clientId: 'client-1', content: 'New' })
  it.edit(message(5), 'New, edited')
  await it.last()?.answer({ message: message(5, { userId: 'me', clientId: 'client-1', content: 'New' }) })
  expect(it.find('m5')?.content).toBe('New, edited')
  expect(it.stored).toContain('client-1')
})

test('an answer for a history that was replaced is ignored', async () => {
  const it = await withMessages(range(3, 4), { nextCursor: '3' })
  void it.history.edit({ id: 'm3', editedAt: null }, 'Old answer')
  const edited = it.last()
  void it.history.readOlder()
  const older = it.last()
  it.history.reset()
  void it.history.readOlder()
  await it.last()?.answer(it.page([message(3, { content: 'Newest' })]))
  await edited?.answer({ message: message(3, { content: 'Old answer' }) })
  await older?.answer(it.page(range(1, 2)))
  expect(it.texts()).toEqual(['Newest'])
})

test('a message that is known is not replaced by its own creation, which may be read later', async () => {
  const it = await withMessages([message(1, { content: 'Edited' })])
  it.create(1)
  expect(it.texts()).toEqual(['Edited'])
})

test('R29.2: a reply follows its original: edits, mentions, deletion and name', async () => {
  const replyTo = { id: 'm1', nickname: 'Other', excerpt: 'Text 1' }
  const it = await withMessages([message(1), message(2, { replyTo })])
  const quoted = () => it.find('m2')?.replyTo
  const id = '11111111-2222-4333-8444-555555555555'
  it.edit(message(1, { mentions: [{ userId: id, nickname: 'Ada' }] }), `Hello\n<@${id}>`)
  expect(quoted()).toEqual({ id: 'm1', nickname: 'Other', excerpt: 'Hello @Ada' })
  const person = {
    userId: 'other',
    nickname: 'Renamed',
    avatarColor: '#111',
    avatarUrl: null,
    guest: false,
  } as const
  it.history.updateNames([{ ...person, role: 'speaker' }])
  expect(quoted()?.nickname).toBe('Renamed')
  it.receive('message.deleted', { messageId: 'm1', deletedBy: 'other' })
  expect(quoted()).toEqual({ id: 'm1', nickname: 'Renamed', excerpt: null })
})

test('R29.4: a rename shows the new name in mentions', async () => {
  const it = await withMessages([message(1, { mentions: [{ userId: 'ada', nickname: 'Ada' }] })])
  const person = {
    userId: 'ada',
    nickname: 'Countess',
    avatarColor: '#111',
    avatarUrl: null,
    guest: false,
  } as const
  it.history.updateNames([{ ...person, role: 'speaker' }])
  expect(it.find('m1')?.mentions).toEqual([{ userId: 'ada', nickname: 'Countess' }])
})

test('R17.8: an event about a hidden message changes nothing', async () => {
  const it = await withMessages(range(1, 2))
  const before = it.state().messages
  for (const event of ['message.edited', 'message.reactions', 'message.pinned', 'message.unpinned'] as const)
    it.receive(event, {})
  expect(it.state().messages).toEqual(before)
})

test('R29.5: the other events stand between the messages, once, from pages and from the socket', async () => {
  const joined = (seq: number) => ({ seq, at: '', event: 'member.joined' as const, data: {} })
  const it = await withMessages(range(5, 6), { nextCursor: '5', events: [joined(7)] })
  it.receive('member.joined', {}, 7)
  it.receive('room.settings', {}, 8)
  void it.history.readOlder()
  await it.last()?.answer(it.page(range(1, 2), { events: [joined(3)] }))
  expect(it.state().events.map(({ seq }) => seq)).toEqual([3, 7, 8])
})

test('R29.2: around a message, new ones are added only after the end of the room was read', async () => {
  const it = await withMessages(range(50, 51))
  void it.history.readAround('m10')
  await it.last()?.answer(it.page(range(9, 11), { nextCursor: '9', newerCursor: '11' }))
  expect(it.texts()).toEqual(['Text 9', 'Text 10', 'Text 11'])
  it.create(52)
  it.receive('member.joined', {}, 53)
  expect([it.state().messages.length, it.state().events]).toEqual([3, []])
  void it.history.readNewer()
  expect(it.last()?.address).toContain('after=11')
  it.create(54)
  await it.last()?.answer(it.page([...range(12, 13), message(52)], { nextCursor: '12' }))
  it.create(55)
  expect(it.state().messages.map(({ seq }) => seq)).toEqual([9, 10, 11, 12, 13, 52, 54, 55])
  expect(it.state()).toMatchObject({ older: '9', newer: null })
  void it.history.readAround('m10')
  await it.last()?.answer(it.page(range(9, 11), { nextCursor: '9', newerCursor: '11' }))
  void it.history.readEnd()
  await it.last()?.answer(it.page(range(54, 55), { nextCursor: '54' }))
  expect(it.state()).toMatchObject({ older: '54', newer: null })
})

test('a link to a message that is not there is an error of that link and leaves the history', async () => {
  const it = await withMessages(range(1, 2))
  const jump = it.history.readAround('gone')
  const outcome = jump.catch((error: unknown) => error)
  await it.last()?.answer({ error: 'Not found', code: 'not_found' }, 404)
  expect(await outcome).toMatchObject({ code: 'not_found' })
  expect(it.texts()).toEqual(['Text 1', 'Text 2'])
  it.create(3)
  expect(it.texts()).toHaveLength(3)
})

test('R29.1: pins follow their events, newest first, and unknown ones are read', async () => {
  const it = await withMessages(range(5, 6))
  const pins = () => it.state().pins?.map(({ id }) => id)
  it.receive('message.pinned', { messageId: 'm1', by: 'other' })
  expect([pins(), it.requests.length]).toEqual([undefined, 1])
  void it.history.readPins()
  await it.last()?.answer({ messages: [message(1, { pinned: true })], nextCursor: null })
  it.receive('message.pinned', { messageId: 'm5', by: 'other' })
  expect(pins()).toEqual(['m5', 'm1'])
  it.edit(message(1, { pinned: true }), 'Edited')
  expect(it.state().pins?.[1]?.content).toBe('Edited')
  it.receive('message.pinned', { messageId: 'm2', by: 'other' })
  it.receive('message.unpinned', { messageId: 'm5', by: 'other' })
  await it
    .last()
    ?.answer({ messages: [2, 5, 1].map((seq) => message(seq, { pinned: true })), nextCursor: null })
  expect(pins()).toEqual(['m2', 'm1'])
  it.receive('message.deleted', { messageId: 'm1', deletedBy: 'other' })
  expect(pins()).toEqual(['m2'])
})

test('reactions, edits and pins of the user are sent, and shown with the answer', async () => {
  const it = await withMessages(range(1, 1))
  void it.history.react('m1', '👍', true)
  expect(it.last()?.address).toContain(encodeURIComponent('👍'))
  await it.last()?.answer({ reactions: [{ emoji: '👍', count: 1, mine: true }] })
  expect(it.find('m1')?.reactions).toEqual([{ emoji: '👍', count: 1, mine: true }])
  void it.history.react('m1', '👍', false)
  await it.last()?.answer({ reactions: [] })
  void it.history.pin('m1', true)
  await it.last()?.answer({ success: true })
  void it.history.edit({ id: 'm1', editedAt: null }, 'Edited')
  await it.last()?.answer({ message: message(1, { content: 'Edited', pinned: true }) })
  expect(it.find('m1')).toMatchObject({ content: 'Edited', reactions: [], pinned: true })
  const refused = it.history.edit({ id: 'm1', editedAt: null }, 'Too late')
  const outcome = refused.catch((error: unknown) => error)
  await it.last()?.answer({ error: 'Over', code: 'edit_over' }, 409)
  expect(await outcome).toMatchObject({ code: 'edit_over' })
  expect(it.find('m1')?.content).toBe('Edited')
})
