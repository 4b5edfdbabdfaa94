import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import {
  type MessageJson,
  type TestUser,
  createMessage,
  createRoom,
  editMessage,
  makeMember,
  member,
  pin,
  postFiles,
  postMessage,
  readEvents,
  readMessages,
  refusal,
  sendFile,
  succeed,
  uploadFile,
} from '../actions.ts'
import { search } from '../search/actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { storedFiles } from './files.ts'
import { bytesOf, picture } from './images.ts'

const MINUTE = 60_000
const NOWHERE = '01234567-89ab-4cde-8f01-23456789abcd'

eachDialect((dialect, newUrl) => {
  let rooms: TestRooms
  let owner: TestUser
  let roomId: string
  let image: Uint8Array<ArrayBuffer>
  beforeAll(async () => {
    const limits = { files_per_message: 3, rooms_per_hour: 100, messages_per_10s: 1000 }
    rooms = await openRooms({ url: await newUrl(), limits })
    owner = await member(rooms, 'Olga')
    roomId = (await createRoom(owner)).id
    image = await bytesOf(picture().jpeg())
  })
  afterAll(() => rooms.close())

  test('R31.1: a message takes only fresh uploads of its author in its room, each once', async () => {
    const { id } = await createRoom(owner)
    const other = await member(rooms, 'Otto')
    const upload = async (by = owner, to = id) => (await uploadFile(by, to, 'x')).id
    const used = await upload()
    await postFiles(owner, id, [used])
    const old = await upload()
    rooms.clock.ms += 60 * MINUTE
    const fresh = await upload()
    const wrong: [files: unknown, refused: [number, string]][] = [
      [[used], [404, 'not_found']],
      [[old], [404, 'not_found']],
      [[await upload(other)], [404, 'not_found']],
      [[await upload(owner, roomId)], [404, 'not_found']],
      [[NOWHERE], [404, 'not_found']],
      [
        [fresh, NOWHERE],
        [404, 'not_found'],
      ],
      [
        [fresh, fresh],
        [400, 'invalid_request'],
      ],
      [['x'], [400, 'invalid_request']],
      [fresh, [400, 'invalid_request']],
      [
        [fresh, ...(await Promise.all([upload(), upload(), upload()]))],
        [400, 'invalid_request'],
      ],
    ]
    const before = [(await readMessages(owner, id)).messages, await storedFiles(rooms, id)]
    for (const [files, refused] of wrong)
      expect([files, await refusal(await postMessage(owner, id, { content: 'x', files }))]).toEqual([
        files,
        refused,
      ])
    expect([(await readMessages(owner, id)).messages, await storedFiles(rooms, id)]).toEqual(before)
    const sent = await Promise.all([1, 2].map(() => postMessage(owner, id, { content: 'x', files: [fresh] })))
    expect(sent.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 404])
  })

  test('R32.1: has=file finds messages with files that the searcher may read, and no others', async () => {
    const { id } = await createRoom(owner, { historyVisibility: 'since_membership' })
    const ada = await member(rooms, 'Ada')
    const send = async (by: TestUser, content: string) =>
      postFiles(by, id, [(await uploadFile(by, id, content)).id], content)
    await send(owner, 'early')
    await makeMember(rooms, id, ada)
    await send(owner, 'late')
    await createMessage(owner, id, 'a !file in words')
    const find = async (who: TestUser, more: Record<string, string> = {}) =>
      (await search(who, { has: 'file', room: id, ...more })).results.map(({ message }) => message.content)
    expect([await find(owner), await find(ada)]).toEqual([['late', 'early'], ['late']])
    expect(await find(owner, { q: 'ear' })).toEqual(['early'])
    const [{ id: late } = { id: '' }] = (await search(owner, { has: 'file', room: id })).results.map(
      ({ message }) => message,
    )
    await succeed(editMessage(owner, id, late, 'edited'))
    expect(await find(ada)).toEqual(['edited'])
    await owner.browser.json(`/api/rooms/${id}/messages/${late}`, { method: 'DELETE' })
    expect(await find(ada)).toEqual([])
  })

  if (dialect === 'postgres') return

  test('R31.1: a message carries its files in the order of its author, everywhere alike', async () => {
    const [text, photo] = [
      await uploadFile(owner, roomId, 'one', 'one.txt'),
      await uploadFile(owner, roomId, image, 'two.jpg'),
    ]
    rooms.publishedEvents.length = 0
    const message = await postFiles(owner, roomId, [photo.id, text.id], 'Look')
    expect(message).toMatchObject({ content: 'Look', files: [photo, text] })
    expect(photo).toMatchObject({ width: 900, height: 600, thumbnail: `${photo.url}/thumbnail` })
    await succeed(pin(owner, roomId, message.id))
    const pinned = { ...message, pinned: true }
    expect((await readMessages(owner, roomId)).messages).toEqual([pinned])
    expect((await readMessages(owner, roomId, `?around=${message.id}`)).messages).toEqual([pinned])
    const { messages: pins } = await owner.browser.json<{ messages: MessageJson[] }>(
      `/api/rooms/${roomId}/pins`,
    )
    expect(pins).toEqual([pinned])
    const page = await search(owner, { q: 'look', room: roomId })
    expect(page.results.map((result) => result.message)).toEqual([pinned])
    const { reactions: _, ...shared } = message
    expect(rooms.publishedEvents[0]).toMatchObject({
      kind: 'event',
      event: { event: 'message.created', data: { message: shared } },
    })
    const [created] = await readEvents(owner, roomId)
    expect(created?.data['message']).toMatchObject({ files: [photo, text] })
  })

  test('R31.1: the text may be empty with files only, when posting and when editing', async () => {
    const { id } = await createRoom(owner)
    const file = await uploadFile(owner, id, 'one', 'one.txt')
    const message = await postFiles(owner, id, [file.id], '')
    expect(message).toMatchObject({ content: '', files: [file] })
    for (const [content, stored] of [
      ['Words', 'Words'],
      ['  ', ''],
    ] as const) {
      const edited = await succeed<{ message: MessageJson }>(editMessage(owner, id, message.id, content))
      expect(edited.message).toMatchObject({ content: stored, files: [file] })
    }
    const plain = await createMessage(owner, id, 'Plain')
    for (const content of ['', ' ', '\u200b'])
      for (const sent of [postMessage(owner, id, { content }), editMessage(owner, id, plain.id, content)])
        expect([content, await refusal(await sent)]).toEqual([content, [400, 'invalid_request']])
    expect(await refusal(await postMessage(owner, id, { content: '', files: [] }))).toEqual([
      400,
      'invalid_request',
    ])
  })

  test('R29.2, R31.1: a reply to a message without a text quotes the name of its first file', async () => {
    const { id } = await createRoom(owner)
    const file = await uploadFile(owner, id, 'one', 'minutes.pdf')
    const { id: replyTo } = await postFiles(owner, id, [file.id], '')
    const reply = await succeed<{ message: MessageJson }>(
      postMessage(owner, id, { content: 'Thanks', replyTo }),
      201,
    )
    expect(reply.message['replyTo']).toMatchObject({ excerpt: 'minutes.pdf' })
  })

  test('R28.27, R31.1: a message that is sent again has its files once', async () => {
    const { id } = await createRoom(owner)
    const file = await uploadFile(owner, id, 'x')
    const body = { content: '', files: [file.id], clientId: 'c-1' }
    const answers = [await postMessage(owner, id, body), await postMessage(owner, id, body)]
    expect(answers.map(({ status }) => status)).toEqual([201, 200])
    const [first, second] = await Promise.all(
      answers.map(async (answer) => ((await answer.json()) as { message: MessageJson }).message),
    )
    expect(second).toEqual(first as MessageJson)
    expect(first?.['files']).toEqual([file])
  })

  test('R31.1: files are off with a limit of 0 for their size, and messages without them still work', async () => {
    const node = await openRooms({ limits: { file_bytes: 0, files_per_message: 0 } })
    const ada = await member(node, 'Ada')
    const { id } = await createRoom(ada)
    expect(await refusal(await sendFile(ada, id, 'x'))).toEqual([413, 'file_too_large'])
    expect(await refusal(await postMessage(ada, id, { content: 'x', files: [NOWHERE] }))).toEqual([
      400,
      'invalid_request',
    ])
    expect((await createMessage(ada, id)).content).toBe('Hello')
    await node.close()
  })
})
