import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import {
  type MessageJson,
  type TestUser,
  admin,
  ban,
  createMessage,
  createRoom,
  deleteMessage,
  editMessage,
  endMembership,
  eraseAccount,
  guest,
  join,
  keepVisitor,
  leave,
  makeMember,
  member,
  postMessage,
  readEvents,
  readMessages,
  signedInUser,
  succeed,
} from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'

const NOWHERE = '11111111-2222-4333-8444-555555555555'

eachDialect((dialect, newUrl) => {
  let rooms: TestRooms
  let owner: TestUser
  beforeAll(async () => {
    const limits = { rooms_per_hour: 1000, messages_per_10s: 1000, guest_messages_per_10s: 1000 }
    rooms = await openRooms({ url: await newUrl(), limits })
    await signedInUser(rooms, { sub: 'admin', name: 'Root' })
    owner = await member(rooms, 'Olga')
  })
  afterAll(() => rooms.close())

  const token = ({ user }: TestUser) => `<@${user.id}>`
  const names = (message: MessageJson | undefined) =>
    ((message?.['mentions'] ?? []) as { nickname: string }[]).map(({ nickname }) => nickname)
  const newest = async (roomId: string) => (await readMessages(owner, roomId)).messages.at(-1)
  /** Ids of the people whom the database has as mentioned. */
  const stored = async (messageId: string) => {
    const rows = await rooms.rooms.database.read
      .selectFrom('room_mentions')
      .select('user_id')
      .where('message_id', '=', messageId)
      .execute()
    return rows.map(({ user_id }) => user_id).toSorted()
  }
  const idsOf = (...people: TestUser[]) => people.map(({ user }) => user.id).toSorted()
  const visitor = async (roomId: string, nickname: string) => {
    const who = await member(rooms, nickname)
    await join(who, roomId)
    return who
  }

  test('R29.4: a mention stands in the text as an id and has the current name, in answer, event, list and log', async () => {
    const { id } = await createRoom(owner)
    const [ada, gustav] = [await visitor(id, 'Ada'), await guest(rooms, 'Gustav')]
    await join(gustav, id)
    rooms.publishedEvents.length = 0
    const content = `${token(gustav)} and ${token(ada)}, ${token(gustav)}!`
    const message = await createMessage(owner, id, content)
    expect(message.content).toBe(content)
    expect(message['mentions']).toEqual([
      { userId: gustav.user.id, nickname: 'Gustav' },
      { userId: ada.user.id, nickname: 'Ada' },
    ])
    expect(rooms.publishedEvents).toMatchObject([{ event: { data: { message } } }])
    await gustav.browser.json('/api/session', { method: 'PATCH', body: { nickname: 'Greta' } })
    expect(names(await newest(id))).toEqual(['Greta', 'Ada'])
    const [event] = await readEvents(owner, id)
    expect(names(event?.data['message'] as MessageJson)).toEqual(['Greta', 'Ada'])
  })

  test('R29.4d: an edit replaces the mentions, and a deletion removes them', async () => {
    const { id } = await createRoom(owner)
    const [ada, bob] = [await visitor(id, 'Ada'), await visitor(id, 'Bob')]
    const message = await createMessage(owner, id, `${token(ada)} <!here>`)
    expect(await stored(message.id)).toEqual(idsOf(ada, bob))
    const edited = await succeed<{ message: MessageJson }>(editMessage(owner, id, message.id, token(bob)))
    expect([names(edited.message), edited.message['groupMention']]).toEqual([['Bob'], null])
    expect(await stored(message.id)).toEqual(idsOf(bob))
    await succeed(editMessage(owner, id, message.id, 'No one'))
    expect(await stored(message.id)).toEqual([])
    await succeed(editMessage(owner, id, message.id, token(ada)))
    await succeed(deleteMessage(owner, id, message.id))
    expect(await stored(message.id)).toEqual([])
    expect(await newest(id)).toMatchObject({ mentions: [], groupMention: null })
  })

  test('R28.26: an erased person is mentioned no more', async () => {
    const { id } = await createRoom(owner)
    const eva = await signedInUser(rooms, { sub: 'eva', name: 'Eva' })
    await join(eva, id)
    const message = await createMessage(owner, id, `<@${eva.id}>`)
    expect(names(message)).toEqual(['Eva'])
    await succeed(eraseAccount(eva))
    expect(names(await newest(id))).toEqual([])
    expect(await stored(message.id)).toEqual([])
  })

  if (dialect === 'postgres') return

  test('R29.4c: only people of the room who may read the message are mentioned', async () => {
    const { id } = await createRoom(owner)
    const [stranger, banned] = [await member(rooms, 'Stranger'), await visitor(id, 'Banned')]
    await ban(rooms, id, banned)
    const [inside, gone] = [await visitor(id, 'Inside'), await visitor(id, 'Gone')]
    await leave(gone, id)
    const content = [stranger, banned, inside, gone, owner].map(token).join(' ')
    const message = await createMessage(owner, id, `${content} <@${NOWHERE}> <@x>`)
    expect(names(message)).toEqual(['Inside', 'Gone', 'Olga'])
    expect(await stored(message.id)).toEqual(idsOf(inside, gone, owner))
    expect(JSON.stringify(message)).not.toContain('Stranger')
    expect(JSON.stringify(message)).not.toContain('Banned')
  })

  test('R29.4, R17.8: in a room whose history is hidden from some, those are not mentioned', async () => {
    const { id } = await createRoom(owner, { historyVisibility: 'since_membership' })
    const [present, gone, early] = [
      await visitor(id, 'Present'),
      await visitor(id, 'Gone'),
      await member(rooms, 'Early'),
    ]
    await leave(gone, id)
    await makeMember(rooms, id, early)
    const old = await createMessage(owner, id, 'Old')
    const late = await member(rooms, 'Late')
    await makeMember(rooms, id, late)
    const content = [present, gone, early, late].map(token).join(' ')
    expect(names(await createMessage(owner, id, content))).toEqual(['Present', 'Early', 'Late'])
    // A later edit of an older message does not reach those who came after it.
    await succeed(editMessage(owner, id, old.id, content))
    expect(names((await readMessages(owner, id)).messages[0])).toEqual(['Present', 'Early'])
    expect(await stored(old.id)).toEqual(idsOf(present, early))
  })

  test('R29.4b: a message mentions at most 50 people, and the others stay text', async () => {
    const { id } = await createRoom(owner)
    const people = await Promise.all(Array.from({ length: 52 }, (_, at) => member(rooms, `Person ${at}`)))
    for (const each of people) await makeMember(rooms, id, each)
    const { message } = await succeed<{ message: MessageJson }>(
      postMessage(owner, id, { content: people.slice(0, 44).map(token).join('') }),
      201,
    )
    expect(names(message)).toHaveLength(44)
    const node = await rooms.node({ limits: { ...rooms.limits, message_length: 10_000 } })
    const talker = await member(node)
    const long = await createMessage(talker, id, people.map(token).join(''))
    expect(names(long)).toEqual(Array.from({ length: 50 }, (_, at) => `Person ${at}`))
    expect(await stored(long.id)).toEqual(idsOf(...people.slice(0, 50)))
    await node.close()
  })

  test('R29.4a, R34: moderators and higher mention groups; for others, and all guests, they stay text', async () => {
    const { id } = await createRoom(owner)
    const [mona, speaker, root, inside] = [
      await member(rooms, 'Mona'),
      await member(rooms, 'Speaker'),
      await admin(rooms),
      await visitor(id, 'Inside'),
    ]
    await makeMember(rooms, id, mona, 'moderator')
    await makeMember(rooms, id, speaker, 'speaker')
    const gustav = await guest(rooms)
    const own = await createRoom(gustav)
    for (const who of [root, inside, gustav]) await keepVisitor(rooms, id, who)
    const cases: [TestUser, string, string | null][] = [
      [owner, id, 'here'],
      [mona, id, 'here'],
      [root, id, 'here'],
      [speaker, id, null],
      [inside, id, null],
      [gustav, id, null],
      [gustav, own.id, null],
    ]
    for (const [who, roomId, expected] of cases) {
      const message = await createMessage(who, roomId, 'Hello <!here>')
      expect([who.user.nickname, message['groupMention']]).toEqual([who.user.nickname, expected])
      expect(message.content).toBe('Hello <!here>')
      expect(await stored(message.id)).toEqual(expected === null ? [] : idsOf(inside))
    }
    const toAll = await createMessage(mona, id, '<!here> <!room>')
    expect(toAll['groupMention']).toBe('room')
    expect(toAll['mentions']).toEqual([])
    expect(await stored(toAll.id)).toEqual(idsOf(owner, speaker))
    const both = await createMessage(mona, id, `<!room> ${token(inside)} ${token(speaker)}`)
    expect(names(both)).toEqual(['Inside', 'Speaker'])
    expect(await stored(both.id)).toEqual(idsOf(owner, speaker, inside))
  })

  test('R29.2, R29.4: a reply quotes mentions by name, and only those that are mentions', async () => {
    const { id } = await createRoom(owner)
    const [ada, stranger] = [await visitor(id, 'Ada'), await member(rooms, 'Stranger')]
    await keepVisitor(rooms, id, ada)
    const message = await createMessage(owner, id, `${token(ada)} knows ${token(stranger)}`)
    rooms.publishedEvents.length = 0
    const { message: reply } = await succeed<{ message: MessageJson }>(
      postMessage(ada, id, { content: 'Yes', replyTo: message.id }),
      201,
    )
    const replyTo = { id: message.id, nickname: 'Olga', excerpt: `@Ada knows ${token(stranger)}` }
    expect(reply['replyTo']).toEqual(replyTo)
    expect(rooms.publishedEvents).toMatchObject([{ event: { data: { message: { replyTo } } } }])
    expect((await newest(id))?.['replyTo']).toEqual(replyTo)
  })

  test('a member who has left is still named in the messages that mention them', async () => {
    const { id } = await createRoom(owner)
    const ada = await member(rooms, 'Ada')
    await makeMember(rooms, id, ada)
    await createMessage(owner, id, token(ada))
    await succeed(endMembership(ada, id))
    expect(names(await newest(id))).toEqual(['Ada'])
  })
})
