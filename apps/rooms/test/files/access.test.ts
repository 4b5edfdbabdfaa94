// Who may read the file of a message, in every state of a room, against who may read its message.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import {
  type FileJson,
  type TestUser,
  admin,
  ban,
  changeSettings,
  createRoom,
  deleteMessage,
  deleteRoom,
  guest,
  join,
  leave,
  makeMember,
  member,
  postFiles,
  readMessages,
  removeMember,
  succeed,
  uploadFile,
} from '../actions.ts'
import { type Browser, type TestRooms, openRooms } from '../rooms.ts'
import { bytesOf, picture } from './images.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

eachDialect((dialect, newUrl) => {
  let rooms: TestRooms
  let owner: TestUser
  beforeAll(async () => {
    rooms = await openRooms({ url: await newUrl(), limits: { rooms_per_hour: 100, messages_per_10s: 1000 } })
    owner = await member(rooms, 'Olga')
  })
  afterAll(() => rooms.close())

  /** A room with a message that has an image. */
  async function withFile(settings: Record<string, unknown> = {}) {
    const { id } = await createRoom(owner, settings)
    const image = await bytesOf(picture({ width: 20, height: 10 }).png())
    const file = await uploadFile(owner, id, image, 'a.png')
    const message = await postFiles(owner, id, [file.id])
    return { id, file, messageId: message.id }
  }

  /** Statuses of the file and its thumbnail, also for a browser that has them already. */
  async function statuses({ browser }: { browser: Browser }, file: FileJson): Promise<number[]> {
    const sent = [file.url, file.thumbnail ?? ''].flatMap((url) => [
      browser.send(url),
      browser.send(url, { headers: { 'if-none-match': '*' } }),
      browser.send(url, { headers: { range: 'bytes=0-0' } }),
    ])
    return Promise.all(sent.map(async (answer) => (await answer).status))
  }
  const READABLE = [200, 304, 206, 200, 304, 206]
  const HIDDEN = [404, 404, 404, 404, 404, 404]

  test('R31.3: a file is 404 from the moment its reader is kicked, banned, or without the room', async () => {
    const { id, file } = await withFile()
    const [kicked, banned, left, visitor] = await Promise.all([1, 2, 3, 4].map(() => member(rooms)))
    if (!kicked || !banned || !left || !visitor) throw new Error('missing')
    for (const who of [kicked, banned, left]) await makeMember(rooms, id, who)
    for (const who of [kicked, banned, left, visitor]) expect(await statuses(who, file)).toEqual(READABLE)
    await succeed(removeMember(owner, id, kicked, { action: 'kick', cooldownMinutes: 10 }))
    await succeed(removeMember(owner, id, banned, { action: 'ban' }))
    for (const who of [kicked, banned]) expect(await statuses(who, file)).toEqual(HIDDEN)
    const { browser } = kicked
    const refused = await browser.send(file.url)
    expect([await refused.json(), refused.headers.get('cache-control'), refused.headers.get('etag')]).toEqual(
      [{ error: 'Not found', code: 'not_found' }, 'no-store', null],
    )
    rooms.clock.ms += 11 * MINUTE
    expect(await statuses(kicked, file)).toEqual(READABLE)
    await succeed(changeSettings(owner, id, { visibility: 'private' }))
    expect(await statuses(visitor, file)).toEqual(HIDDEN)
    expect(await statuses(left, file)).toEqual(READABLE)
    // Ends the visit, not the membership.
    await succeed(leave(left, id))
    expect(await statuses(left, file)).toEqual(READABLE)
    await left.browser.json(`/api/rooms/${id}/membership`, { method: 'DELETE' })
    expect(await statuses(left, file)).toEqual(HIDDEN)
    expect(await statuses(owner, file)).toEqual(READABLE)
    await succeed(deleteRoom(owner, id))
    expect(await statuses(owner, file)).toEqual(HIDDEN)
  })

  if (dialect === 'postgres') return

  test('R17.8, R31.3: a file is readable to exactly those who read its message, in every kind of room', async () => {
    const settings = ['public', 'unlisted', 'private'].flatMap((visibility) =>
      ['all', 'since_membership', 'none'].flatMap((historyVisibility) =>
        [true, false].map((allowGuests) => ({ visibility, historyVisibility, allowGuests })),
      ),
    )
    let compared = 0
    for (const each of settings) {
      const { id, file, messageId } = await withFile(each)
      const [early, late] = [await member(rooms, 'Early'), await member(rooms, 'Late')]
      await makeMember(rooms, id, late)
      for (const who of [owner, early, late, await guest(rooms), await admin(rooms)]) {
        await join(who, id)
        const answer = await who.browser.send(`/api/rooms/${id}/messages`)
        const reads =
          answer.ok && (await readMessages(who, id)).messages.some((message) => message.id === messageId)
        const expected = reads ? READABLE : HIDDEN
        expect([each, who.user.nickname, await statuses(who, file)]).toEqual([
          each,
          who.user.nickname,
          expected,
        ])
        if (reads) compared++
      }
    }
    // Neither all nor none of them.
    expect([compared > 20, compared < 85]).toEqual([true, true])
  }, 120_000)

  test('R31.3: without a session, and after the session, a file is 401', async () => {
    const { file } = await withFile()
    const ada = await member(rooms, 'Ada')
    expect(await statuses(ada, file)).toEqual(READABLE)
    await ada.browser.json('/api/auth/logout', { body: {} })
    expect(new Set(await statuses(ada, file))).toEqual(new Set([401]))
    expect(new Set(await statuses({ browser: rooms.browser() }, file))).toEqual(new Set([401]))
  })

  test('R31.3, R31.5: a file is 404 with its message deleted or past its retention, also to its uploader', async () => {
    const first = await withFile()
    await succeed(deleteMessage(owner, first.id, first.messageId))
    expect(await statuses(owner, first.file)).toEqual(HIDDEN)
    const second = await withFile({ retention: 7 })
    rooms.clock.ms += 7 * DAY - 1
    expect(await statuses(owner, second.file)).toEqual(READABLE)
    rooms.clock.ms += 1
    expect(await statuses(owner, second.file)).toEqual(HIDDEN)
  })

  test('R17.5b, R31.3: a ban by address hides files from guests of that address', async () => {
    const { id, file } = await withFile()
    const gus = await guest(rooms, 'Gus', '192.0.2.99')
    expect(await statuses(gus, file)).toEqual(READABLE)
    await ban(rooms, id, gus, { guestPrefix: '192.0.2.99/32' })
    expect(await statuses(gus, file)).toEqual(HIDDEN)
  })
})
