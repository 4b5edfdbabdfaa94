import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { eachDialect } from '@latchkey/database/testing'
import sharp from 'sharp'
import {
  type TestUser,
  createMessage,
  createRoom,
  eraseAccount,
  guest,
  member,
  readMessages,
  readPerson,
  refusal,
  setPicture,
  succeed,
} from '../actions.ts'
import { filesIn } from '../files/files.ts'
import { animation, bytesOf, photo, picture } from '../files/images.ts'
import { type TestRooms, openRooms } from '../rooms.ts'

const HOUR = 3_600_000

eachDialect((_dialect, newUrl, testOnSqlite) => {
  let rooms: TestRooms
  let eva: TestUser
  beforeAll(async () => {
    rooms = await openRooms({ url: await newUrl(), limits: { picture_bytes: 2_000_000 } })
    eva = await member(rooms, 'Eva')
  })
  afterAll(() => rooms.close())

  const set = async (who: TestUser, content: Uint8Array<ArrayBuffer>) =>
    (await succeed<{ avatarUrl: string }>(setPicture(who, content))).avatarUrl
  const read = ({ browser }: TestUser, url: string) => browser.send(url)

  test('R37.1e: a picture is stored as a square of 256 pixels without metadata, and shown wherever its person is', async () => {
    const { id } = await createRoom(eva)
    const url = await set(eva, await photo())
    const gustav = await guest(rooms)
    const response = await read(gustav, url)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/webp',
      'content-security-policy': 'sandbox',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, max-age=3600',
      'x-content-type-options': 'nosniff',
    })
    const { format, width, height, exif } = await sharp(await response.bytes()).metadata()
    expect([format, width, height, exif]).toEqual(['webp', 256, 256, undefined])
    for (const path of filesIn(rooms))
      expect(readFileSync(`${rooms.filesFolder}/${path}`).includes('Telephone')).toBe(false)
    expect((await readPerson(eva, eva.user.id)).avatarUrl).toBe(url)
    await createMessage(eva, id)
    expect(await readMessages(gustav, id)).toMatchObject({ messages: [{ avatarUrl: url }] })
    expect(await eva.browser.json('/api/session')).toMatchObject({ user: { avatarUrl: url } })
    expect((await rooms.browser().send(url)).status).toBe(401)
  })

  test('R37.1f: another picture has another address, and the content of what no one shows any more is deleted', async () => {
    const sam = await member(rooms, 'Sam')
    const first = await set(sam, await animation())
    const second = await set(sam, await bytesOf(picture({ width: 40, height: 30 }).negate().png()))
    expect(second).not.toBe(first)
    expect((await read(sam, first)).status).toBe(404)
    const before = filesIn(rooms).length
    rooms.clock.ms += 3 * HOUR
    await rooms.rooms.fileJobs.runDue()
    expect(filesIn(rooms).length).toBe(before - 1)
    expect((await read(sam, second)).status).toBe(200)
    await succeed(sam.browser.send('/api/profile/picture', { method: 'DELETE' }))
    expect((await readPerson(eva, sam.user.id)).avatarUrl).toBeNull()
    const third = await set(sam, await photo())
    expect((await eraseAccount(sam)).status).toBe(200)
    expect((await read(eva, third)).status).toBe(404)
    rooms.clock.ms += 3 * HOUR
    await rooms.rooms.fileJobs.runDue()
    // Eva shows the same photo.
    expect(filesIn(rooms).length).toBe(before - 2)
  })

  testOnSqlite('R37.1g: what is no image, damaged or too large is refused, and changes nothing', async () => {
    const url = await set(eva, await photo())
    const cases: [string, Uint8Array<ArrayBuffer>][] = [
      ['file_type_refused', new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg"/>')],
      ['file_type_refused', (await photo()).slice(0, 400)],
      ['file_too_large', new Uint8Array(2_000_001)],
      ['invalid_request', new Uint8Array()],
      [
        'image_too_large',
        await bytesOf(picture({ width: 16_000, height: 16_000 }).png({ compressionLevel: 9 })),
      ],
    ]
    for (const [code, content] of cases)
      expect([code, (await refusal(await setPicture(eva, content)))[1]]).toEqual([code, code])
    expect((await refusal(await setPicture(await guest(rooms), await photo())))[1]).toBe(
      'guest_not_permitted',
    )
    expect((await readPerson(eva, eva.user.id)).avatarUrl).toBe(url)
  })
})
