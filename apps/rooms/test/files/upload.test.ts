import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { eachDialect } from '@latchkey/database/testing'
import {
  type FileJson,
  type TestUser,
  ban,
  createRoom,
  guest,
  makeMember,
  member,
  refusal,
  sendFile,
  uploadFile,
} from '../actions.ts'
import { sumFileBytes } from '../../src/files/store.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { until } from '../until.ts'
import { filesIn, storedFiles } from './files.ts'
import { bytesOf, picture } from './images.ts'

const KIB = 1024
const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

eachDialect((dialect, newUrl) => {
  let rooms: TestRooms
  let owner: TestUser
  let roomId: string
  beforeAll(async () => {
    const limits = { file_bytes: 100 * KIB, files_per_hour: 40, room_bytes: 250 * KIB, rooms_per_hour: 100 }
    rooms = await openRooms({ url: await newUrl(), limits })
    owner = await member(rooms, 'Olga')
    roomId = (await createRoom(owner)).id
  })
  afterAll(() => rooms.close())

  const code = async (sent: Promise<Response>) => refusal(await sent)

  test('R31.1: a file is stored with its name, recognised type and size, and its uploader can read it', async () => {
    const file = await uploadFile(owner, roomId, '<script>alert(1)</script>', 'sida ett.html')
    expect(file).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'sida ett.html',
      type: 'application/octet-stream',
      bytes: 25,
      width: null,
      height: null,
      url: `/api/files/${file.id}/sida%20ett.html`,
      thumbnail: null,
    })
    const answer = await owner.browser.send(file.url)
    expect([answer.status, await answer.text()]).toEqual([200, '<script>alert(1)</script>'])
  })

  test('R31.1e: the files of a room take at most room_bytes together, however many arrive at once', async () => {
    const { id } = await createRoom(owner)
    const sent = await Promise.all(
      Array.from({ length: 6 }, (_, index) => sendFile(owner, id, `${index}`.repeat(90 * KIB))),
    )
    const codes = await Promise.all(sent.map(refusal))
    expect(codes.filter(([status]) => status === 201)).toHaveLength(2)
    expect(codes.filter(([, refused]) => refused === 'room_storage_full')).toHaveLength(4)
    expect(codes.find(([, refused]) => refused === 'room_storage_full')).toEqual([409, 'room_storage_full'])
    expect(await storedFiles(rooms, id)).toHaveLength(2)
    await uploadFile(owner, id, 'z'.repeat(70 * KIB))
    expect(await code(sendFile(owner, id, 'z'.repeat(1)))).toEqual([409, 'room_storage_full'])
  })

  test('R31.1e: the files of a person take at most user_bytes, in all rooms and however many arrive at once', async () => {
    const node = await rooms.node({
      limits: { ...rooms.limits, room_bytes: 1000 * KIB, user_bytes: 200 * KIB },
    })
    const ada = await member(node, 'Ada')
    const [one, other] = [await createRoom(ada), await createRoom(ada)]
    const sent = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        sendFile(ada, index % 2 ? one.id : other.id, `${index}`.repeat(90 * KIB)),
      ),
    )
    const codes = await Promise.all(sent.map(refusal))
    expect(codes.filter(([status]) => status === 201)).toHaveLength(2)
    expect(codes.filter(([status]) => status !== 201)).toEqual(
      Array.from({ length: 4 }, () => [409, 'user_storage_full']),
    )
    const bea = await member(node, 'Bea')
    await uploadFile(bea, one.id, 'z'.repeat(90 * KIB))
    await node.close()
  })

  test('R31.1e: the files of the instance take at most total_bytes, and deleted ones give their space back', async () => {
    const { read } = rooms.rooms.database
    const totalBytes = await sumFileBytes(read, {})
    const node = await rooms.node({ limits: { ...rooms.limits, total_bytes: totalBytes + 100 * KIB } })
    const people = await Promise.all(['Cem', 'Dua', 'Eva'].map((name) => member(node, name)))
    const sent = await Promise.all(
      people.map(async (person) =>
        sendFile(person, (await createRoom(person)).id, person.user.id.repeat(2000)),
      ),
    )
    const codes = (await Promise.all(sent.map(refusal))).toSorted(([one], [other]) => one - other)
    expect(codes).toEqual([
      [201, undefined],
      [409, 'total_storage_full'],
      [409, 'total_storage_full'],
    ])
    const [cem] = people
    if (!cem) throw new Error('No one is there')
    await rooms.rooms.database.write((tx) => tx.deleteFrom('files').where('bytes', '=', 72_000).execute())
    await uploadFile(cem, (await createRoom(cem)).id, cem.user.id.repeat(2000))
    await node.close()
  })

  if (dialect === 'postgres') return

  test('R31.1: equal contents are stored once, under the SHA-256 of their bytes', async () => {
    const [one, two] = [
      await uploadFile(owner, roomId, 'the same', 'a.txt'),
      await uploadFile(owner, roomId, 'the same', 'b.txt'),
    ]
    expect(one.id).not.toBe(two.id)
    const sha256 = new Bun.CryptoHasher('sha256').update('the same').digest('hex')
    const stored = filesIn(rooms).filter((path) => path.includes(sha256))
    expect(stored).toEqual([`${sha256.slice(0, 2)}/${sha256}`])
  })

  test('R31.1: a file that is too large is refused with 413, empty files, other forms and other bodies with 400 or 415', async () => {
    const before = filesIn(rooms)
    expect(await code(sendFile(owner, roomId, 'x'.repeat(100 * KIB + 1)))).toEqual([413, 'file_too_large'])
    expect(await code(sendFile(owner, roomId, 'x'.repeat(500 * KIB)))).toEqual([413, 'file_too_large'])
    expect(await code(sendFile(owner, roomId, ''))).toEqual([400, 'invalid_request'])
    const form = new FormData()
    form.append('other', new Blob(['x']), 'a.txt')
    const path = `/api/rooms/${roomId}/files`
    expect(await code(owner.browser.send(path, { body: form }))).toEqual([400, 'invalid_request'])
    for (const body of [{ file: 'x' }, undefined])
      expect(await code(owner.browser.send(path, { method: 'POST', body }))).toEqual([
        415,
        'unsupported_media_type',
      ])
    expect(filesIn(rooms)).toEqual(before)
  })

  test('R11.2, R17.2: a file needs the CSRF token and the right to enter; outsiders of private rooms get 404', async () => {
    const form = new FormData()
    form.append('file', new Blob(['x']), 'a.txt')
    const headers = { 'x-csrf-token': 'wrong' }
    const path = `/api/rooms/${roomId}/files`
    expect(await code(owner.browser.send(path, { body: form, headers }))).toEqual([403, 'csrf_failed'])
    expect(await code(rooms.browser().send(path, { body: form }))).toEqual([401, 'unauthenticated'])
    const secret = await createRoom(owner, { visibility: 'private' })
    const outsider = await member(rooms, 'Otto')
    expect(await code(sendFile(outsider, secret.id, 'x'))).toEqual([404, 'not_found'])
    await makeMember(rooms, secret.id, outsider)
    await uploadFile(outsider, secret.id, 'x')
    await ban(rooms, roomId, outsider)
    expect(await code(sendFile(outsider, roomId, 'x'))).toEqual([403, 'banned'])
  })

  test('R34: guests send no files, or only images that are recognised by their bytes', async () => {
    const gustav = await guest(rooms)
    expect(await code(sendFile(gustav, roomId, PNG))).toEqual([403, 'guest_not_permitted'])
    const node = await rooms.node({ guestFiles: 'images' })
    const visitor = await guest(node, 'Vera')
    for (const [content, name] of [
      ['<svg xmlns="http://www.w3.org/2000/svg"/>', 'a.png'],
      ['%PDF-1.7', 'a.jpg'],
    ] as const)
      expect(await code(sendFile(visitor, roomId, content, name))).toEqual([400, 'file_type_refused'])
    const png = await bytesOf(picture().png())
    expect((await uploadFile(visitor, roomId, png, 'x.txt')).type).toBe('image/png')
    await node.close()
  })

  test('R31.2: an upload that breaks off leaves nothing', async () => {
    const before = [filesIn(rooms), await storedFiles(rooms, roomId)]
    const start = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf of'
    const broken = new ReadableStream({
      start: (controller) => controller.enqueue(Buffer.from(start)),
      pull: (controller) => controller.error(new Error('connection reset')),
    })
    const headers = { 'content-type': 'multipart/form-data; boundary=b' }
    const cut = new Response(`${start} it\r\n`).body
    for (const body of [broken, cut])
      expect(await code(owner.browser.send(`/api/rooms/${roomId}/files`, { body, headers }))).toEqual([
        400,
        'invalid_request',
      ])
    expect([filesIn(rooms), await storedFiles(rooms, roomId)]).toEqual(before)
  })

  test('R31.2: storage that cannot be used is 503 with Retry-After, leaves no row, and is logged', async () => {
    const folder = filesIn(rooms).length > 0 ? rooms.filesFolder : ''
    rmSync(`${folder}/uploads`, { recursive: true })
    writeFileSync(`${folder}/uploads`, '')
    const before = await storedFiles(rooms, roomId)
    const response = await sendFile(owner, roomId, 'no disk')
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await storedFiles(rooms, roomId)).toEqual(before)
    expect(rooms.logLines.some((line) => line.includes('files: storage cannot be used'))).toBe(true)
    rmSync(`${folder}/uploads`)
    mkdirSync(`${folder}/uploads`)
    await uploadFile(owner, roomId, 'disk again')
    expect(readdirSync(`${folder}/uploads`)).toEqual([])
  })

  test('R22: uploads at once are limited for each person and for the guests of a prefix, and one that ends makes place', async () => {
    const node = await rooms.node({ limits: { ...rooms.limits, uploads_person: 2 }, guestFiles: 'images' })
    const uploads = () => readdirSync(`${node.filesFolder}/uploads`).length
    /** Uploads whose ends never come, until they are cut off. */
    const hang = ({ browser }: TestUser) => {
      const cut = Promise.withResolvers<void>()
      const start = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf of'
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(Buffer.from(start)),
        pull: async (controller) => {
          await cut.promise
          controller.error(new Error('connection reset'))
        },
      })
      const headers = { 'content-type': 'multipart/form-data; boundary=b' }
      const answer = browser.send(`/api/rooms/${roomId}/files`, { body, headers })
      return { answer, cut: () => cut.resolve() }
    }
    const [ann, bo, greta, gus] = [
      await member(node, 'Ann'),
      await member(node, 'Bo'),
      await guest(node, 'Greta', '192.0.2.1'),
      await guest(node, 'Gus', '192.0.2.1'),
    ]
    const before = uploads()
    const hanging = [ann, ann, greta, gus].map(hang)
    await until(() => uploads() === before + 4)
    for (const person of [ann, greta, gus]) {
      const refused = await sendFile(person, roomId, PNG)
      expect([refused.headers.get('retry-after'), await refusal(refused)]).toEqual([
        '5',
        [429, 'rate_limited'],
      ])
    }
    await uploadFile(bo, roomId, 'not waiting')
    for (const { cut } of hanging) cut()
    for (const { answer } of hanging) expect((await answer).status).toBe(400)
    await uploadFile(ann, roomId, 'place again')
    await node.close()
  })

  test('R22: files are limited per person and hour', async () => {
    const ada = await member(rooms, 'Ada')
    const { id } = await createRoom(ada)
    const files: FileJson[] = []
    for (let count = 0; count < 40; count++) files.push(await uploadFile(ada, id, `${count}`))
    const refused = await sendFile(ada, id, 'one more')
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect(await storedFiles(rooms, id)).toHaveLength(files.length)
  })
})
