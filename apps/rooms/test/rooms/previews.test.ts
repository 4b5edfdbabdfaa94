import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import {
  type TestUser,
  admin,
  ban,
  createMessage,
  createRoom,
  deleteMessage,
  guest,
  makeMember,
  member,
  postFiles,
  succeed,
  uploadFile,
} from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'

const DAY = 86_400_000

interface Preview {
  people: { userId: string; nickname: string; avatarColor: string }[]
  lastMessage: { nickname: string; excerpt: string; at: string } | null
}

eachDialect((_dialect, newUrl) => {
  let rooms: TestRooms
  let olga: TestUser
  let mia: TestUser
  beforeAll(async () => {
    rooms = await openRooms({ url: await newUrl(), limits: { rooms_per_hour: 1000 } })
    olga = await member(rooms, 'Olga')
    mia = await member(rooms, 'Mia')
  })
  afterAll(() => rooms.close())

  /** The preview of a room as this user's lobby has it; undefined if it does not list the room. */
  async function previewFor({ browser }: TestUser, roomId: string): Promise<Preview | null | undefined> {
    const { rooms: listed } = await browser.json<{ rooms: { id: string; preview: Preview | null }[] }>(
      '/api/rooms?preview=true&limit=100',
    )
    return listed.find(({ id }) => id === roomId)?.preview
  }
  const lineFor = async (user: TestUser, roomId: string) =>
    (await previewFor(user, roomId))?.lastMessage?.excerpt
  const enter = ({ browser }: TestUser, roomId: string) =>
    succeed(browser.send(`/api/rooms/${roomId}/join`, { method: 'POST' }))

  test('R35.1d: a room shows its last message and the first five people in it, only if asked for', async () => {
    const { id } = await createRoom(olga)
    await makeMember(rooms, id, mia)
    expect(await previewFor(mia, id)).toEqual({ people: [], lastMessage: null })
    await createMessage(olga, id, 'First')
    await createMessage(olga, id, `Second\nfor <@${mia.user.id}>`)
    const crowd = [olga, mia]
    for (const name of ['Ann', 'Bea', 'Cia', 'Dea']) crowd.push(await member(rooms, name))
    for (const person of crowd) {
      rooms.clock.ms += 1
      await enter(person, id)
    }
    const preview = await previewFor(mia, id)
    expect(preview?.people.map(({ nickname }) => nickname)).toEqual(['Olga', 'Mia', 'Ann', 'Bea', 'Cia'])
    expect(preview?.lastMessage).toEqual({
      nickname: 'Olga',
      excerpt: 'Second for @Mia',
      at: expect.stringMatching(/^20/) as string,
    })
    const plain = await mia.browser.json<{ rooms: { preview: unknown }[] }>('/api/rooms')
    expect(plain.rooms.map((room) => room.preview)).toEqual(plain.rooms.map(() => null))
  })

  test('R35.1: deleted messages are passed over, and a message without a text is named by its file', async () => {
    const { id } = await createRoom(olga)
    const { id: fileId } = await uploadFile(olga, id, 'text', 'plan.txt')
    await postFiles(olga, id, [fileId])
    const { id: last } = await createMessage(olga, id, 'Secret')
    expect(await lineFor(mia, id)).toBe('Secret')
    await succeed(deleteMessage(olga, id, last))
    expect(await lineFor(mia, id)).toBe('plan.txt')
  })

  test('R17.8, R35.1: a line that a person may not read now is not there', async () => {
    const { id: since } = await createRoom(olga, { historyVisibility: 'since_membership' })
    await createMessage(olga, since, 'Before')
    await makeMember(rooms, since, mia)
    const { id: fleeting } = await createRoom(olga, { historyVisibility: 'none' })
    await createMessage(olga, fleeting, 'Fleeting')
    const { id: week } = await createRoom(olga, { retention: 7 })
    await createMessage(olga, week, 'Last week')
    const visitor = await member(rooms, 'Vera')
    const gus = await guest(rooms)
    for (const person of [mia, visitor, gus]) {
      expect([await lineFor(person, since), await lineFor(person, fleeting)]).toEqual([undefined, undefined])
      expect(await lineFor(person, week)).toBe('Last week')
    }
    await createMessage(olga, since, 'After')
    expect([await lineFor(mia, since), await lineFor(visitor, since)]).toEqual(['After', undefined])
    rooms.clock.ms += 7 * DAY
    const again = await member(rooms, 'Later')
    expect(await lineFor(again, week)).toBeUndefined()
  })

  test('R17.2, R35.1d: rooms that a person may not enter show neither people nor lines, to administrators either', async () => {
    const owner = await member(rooms, 'Ottilie')
    const { id } = await createRoom(owner, { visibility: 'private' })
    await createMessage(owner, id, 'Private')
    await enter(owner, id)
    const { id: open } = await createRoom(owner)
    await createMessage(owner, open, 'Public')
    const [root, outsider] = [await admin(rooms), await member(rooms, 'Oz')]
    await ban(rooms, open, outsider)
    await ban(rooms, open, root)
    expect([await previewFor(outsider, id), await previewFor(outsider, open)]).toEqual([undefined, undefined])
    expect([await previewFor(root, id), await previewFor(root, open)]).toEqual([undefined, null])
    expect(await lineFor(owner, id)).toBe('Private')
  })
})
