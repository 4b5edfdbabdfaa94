import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import {
  type FileJson,
  type TestUser,
  createRoom,
  guest,
  member,
  refusal,
  sendFile,
  uploadFile,
} from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { filesIn, storedFiles } from './files.ts'
import { animation, bytesOf, photo, picture } from './images.ts'

// Images do not depend on the engine of the database.
let rooms: TestRooms
let owner: TestUser
let roomId: string
beforeAll(async () => {
  rooms = await openRooms({ limits: { image_pixels: 600_000 } })
  owner = await member(rooms, 'Olga')
  roomId = (await createRoom(owner)).id
})
afterAll(() => rooms.close())

const read = async (url: string) => Uint8Array.from(await (await owner.browser.send(url)).bytes())

test('R31.4: a photo loses its position and all other metadata, stands upright, and has its size in pixels', async () => {
  const sent = await photo()
  expect(Buffer.from(sent).includes('Telephone')).toBe(true)
  const file = await uploadFile(owner, roomId, sent, 'IMG_1.jpg')
  expect(file).toMatchObject({ name: 'IMG_1.jpg', type: 'image/jpeg', width: 600, height: 900 })
  const stored = await read(file.url)
  const { exif, icc, xmp, iptc, orientation, width, height } = await sharp(stored).metadata()
  expect([exif, icc, xmp, iptc, orientation, width, height]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    600,
    900,
  ])
  // Nowhere in the storage, not even in the thumbnail or what the upload left.
  for (const path of filesIn(rooms))
    expect([path, readFileSync(`${rooms.filesFolder}/${path}`).includes('Telephone')]).toEqual([path, false])
})

test('R31.4: every image has a thumbnail, which is read with the same right and headers as the image', async () => {
  const file = await uploadFile(owner, roomId, await photo(), 'IMG_1.jpg')
  expect(file.thumbnail).toBe(`${file.url}/thumbnail`)
  const response = await owner.browser.send(file.thumbnail ?? '')
  const { format, width, height, exif } = await sharp(await response.bytes()).metadata()
  expect([format, width, height, exif]).toEqual(['webp', 427, 640, undefined])
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'image/webp',
    'content-disposition': `inline; filename="IMG_1.jpg.webp"; filename*=UTF-8''IMG_1.jpg.webp`,
    'content-security-policy': 'sandbox',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'private, no-cache',
    'x-content-type-options': 'nosniff',
  })
  const etag = response.headers.get('etag') ?? ''
  expect(etag).not.toBe((await owner.browser.send(file.url)).headers.get('etag'))
  const again = await owner.browser.send(file.thumbnail ?? '', { headers: { 'if-none-match': etag } })
  expect(again.status).toBe(304)
  const other = await member(rooms, 'Otto')
  const refused = await other.browser.send(file.thumbnail ?? '', { headers: { 'if-none-match': etag } })
  expect(refused.status).toBe(404)
  const { url } = await uploadFile(owner, roomId, 'text')
  expect((await owner.browser.send(`${url}/thumbnail`)).status).toBe(404)
})

test('R31.4: PNG, WebP, GIF and AVIF lose their metadata as well, and animations keep their frames', async () => {
  const marked = { IFD0: { Make: 'Telephone' } }
  const images = {
    'image/png': await bytesOf(picture().png().withExif(marked)),
    'image/webp': await bytesOf(picture().webp({ lossless: true }).withExif(marked)),
    'image/avif': await bytesOf(picture().avif({ effort: 0 }).withExif(marked)),
    'image/gif': await animation(),
  }
  for (const [type, content] of Object.entries(images)) {
    const file = await uploadFile(owner, roomId, content, 'picture')
    const stored = await read(file.url)
    expect([type, file.type, Buffer.from(stored).includes('Telephone')]).toEqual([type, type, false])
    const { pages = 1, delay, exif } = await sharp(stored, { animated: true }).metadata()
    const isGif = type === 'image/gif'
    expect([type, file.width, file.height, exif]).toEqual([
      type,
      ...(isGif ? [300, 200] : [900, 600]),
      undefined,
    ])
    if (isGif) expect([pages, delay]).toEqual([3, [100, 200, 300]])
    const thumbnail = await sharp(await read(file.thumbnail ?? '')).metadata()
    expect([thumbnail.format, thumbnail.width, thumbnail.pages ?? 1]).toEqual(['webp', isGif ? 300 : 640, 1])
  }
})

test('R31.4b: an image with more than image_pixels is scaled down; one that cannot be, and frames together, are refused', async () => {
  const large = await bytesOf(picture({ width: 3000, height: 2000 }).png())
  const scaled = await uploadFile(owner, roomId, large)
  expect([scaled.width, scaled.height]).toEqual([948, 632])
  const before = [filesIn(rooms), await storedFiles(rooms, roomId)]
  const bomb = await bytesOf(picture({ width: 16_000, height: 16_000 }).png({ compressionLevel: 9 }))
  expect(bomb.length).toBeLessThan(2_000_000)
  // A header that declares more pixels than the data has.
  const liar = Uint8Array.from(await bytesOf(picture().png()))
  new DataView(liar.buffer).setUint32(16, 0x7fff_ffff)
  const frame = sharp({ create: { width: 500, height: 500, channels: 3, background: 'red' } }).png()
  const frames = await Promise.all([bytesOf(frame), bytesOf(frame.clone().negate()), bytesOf(frame)])
  const film = await bytesOf(
    sharp(
      frames.map((each) => Buffer.from(each)),
      { join: { animated: true } },
    ).gif(),
  )
  expect(await refusal(await sendFile(owner, roomId, bomb))).toEqual([400, 'image_too_large'])
  expect(await refusal(await sendFile(owner, roomId, film))).toEqual([400, 'image_too_large'])
  expect((await sendFile(owner, roomId, liar)).status).toBe(400)
  expect([filesIn(rooms), await storedFiles(rooms, roomId)]).toEqual(before)
})

test('R31.4c: a small file whose image would be stored with more than file_bytes is refused, and leaves nothing', async () => {
  const noise = { type: 'gaussian', mean: 128, sigma: 50 } as const
  const create = { width: 300, height: 300, channels: 3, background: 'grey', noise } as const
  const small = await bytesOf(sharp({ create }).jpeg({ quality: 5 }))
  const own = await openRooms({ limits: { file_bytes: 2 * small.length } })
  const person = await member(own)
  const { id } = await createRoom(person)
  expect(await refusal(await sendFile(person, id, small))).toEqual([400, 'image_too_large'])
  expect([filesIn(own), await storedFiles(own, id)]).toEqual([[], []])
  await own.close()
})

test('R31.4d: an image that is too large to show is sent as a file on request: as it is, for download only', async () => {
  const sent = await photo()
  const asFile = `/api/rooms/${roomId}/files?as=file`
  const form = () => {
    const body = new FormData()
    body.append('file', new Blob([sent]), 'IMG_1.jpg')
    return body
  }
  const { file } = (await (await owner.browser.send(asFile, { body: form() })).json()) as { file: FileJson }
  expect(file).toMatchObject({ type: 'application/octet-stream', width: null, thumbnail: null })
  const answer = await owner.browser.send(file.url)
  expect(answer.headers.get('content-disposition')).toStartWith('attachment')
  expect(await answer.bytes()).toEqual(sent)
  const other = `/api/rooms/${roomId}/files?as=image`
  expect(await refusal(await owner.browser.send(other, { body: form() }))).toEqual([400, 'invalid_request'])
  const node = await rooms.node({ guestFiles: 'images' })
  const visitor = await guest(node, 'Greta')
  expect(await refusal(await visitor.browser.send(asFile, { body: form() }))).toEqual([
    400,
    'file_type_refused',
  ])
  await node.close()
})

test('R31.4: an image is shown although its bytes were sent as a plain file before', async () => {
  const first = await uploadFile(owner, roomId, await bytesOf(picture({ width: 77 }).png()))
  const body = new FormData()
  body.append('file', new Blob([await read(first.url)]), 'a.png')
  await owner.browser.send(`/api/rooms/${roomId}/files?as=file`, { body })
  const again = await uploadFile(owner, roomId, await read(first.url))
  expect(again).toMatchObject({ type: 'image/png', width: 77 })
  expect((await owner.browser.send(again.thumbnail ?? '')).status).toBe(200)
})

test('R31.1f: a video that one person sends as a plain file is still a video for the next', async () => {
  const vera = await member(rooms, 'Vera')
  const video = Buffer.from(`\0\0\0\x18ftypisom\0\0\0\0isommp42 ${crypto.randomUUID()}`, 'latin1')
  const body = new FormData()
  body.append('file', new Blob([video]), 'a.mp4')
  await owner.browser.send(`/api/rooms/${roomId}/files?as=file`, { body })
  const { url, type } = await uploadFile(vera, roomId, video, 'b.mp4')
  expect(type).toBe('video/mp4')
  const { headers } = await vera.browser.send(url)
  expect([headers.get('content-type'), headers.get('content-disposition')?.slice(0, 6)]).toEqual([
    'video/mp4',
    'inline',
  ])
})

test('R22: the seconds of images are limited per person and hour, and files stay possible', async () => {
  const node = await rooms.node({ limits: { ...rooms.limits, image_seconds_per_hour: 1 } })
  const ann = await member(node, 'Ann')
  const room = (await createRoom(ann)).id
  const image = await bytesOf(picture().png())
  let answer = await sendFile(ann, room, image)
  // Each takes a part of the second.
  for (let sent = 1; answer.status === 201 && sent < 100; sent++) answer = await sendFile(ann, room, image)
  expect(await refusal(answer)).toEqual([429, 'rate_limited'])
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  await uploadFile(ann, room, 'text')
  await uploadFile(await member(node, 'Bea'), (await createRoom(owner)).id, image)
  await node.close()
})

test('R31.4: what follows an image, or hides in it, is removed: no script in a polyglot is served', async () => {
  const script = '<script>alert(1)</script>'
  const png = await bytesOf(picture().png())
  const gif = Buffer.from(await animation())
  const comment = Buffer.concat([
    Buffer.from([0x21, 0xfe, script.length]),
    Buffer.from(script),
    Buffer.from([0]),
  ])
  // After the header and its table of colours.
  const at = 13 + 3 * 2 ** (((gif[10] ?? 0) % 8) + 1)
  for (const [name, content] of [
    ['appended.html', Buffer.concat([png, Buffer.from(script)])],
    ['comment.gif', Buffer.concat([gif.subarray(0, at), comment, gif.subarray(at)])],
  ] as const) {
    expect([name, content.includes(script)]).toEqual([name, true])
    const { url } = await uploadFile(owner, roomId, Uint8Array.from(content), name)
    expect([name, Buffer.from(await read(url)).includes(script)]).toEqual([name, false])
  }
})

test('R31.4f: an image that is cut off, damaged or HEIC is refused, since its metadata would stay', async () => {
  const jpeg = await photo()
  const heic = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1')
  for (const content of [
    jpeg.slice(0, jpeg.length / 2),
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    Buffer.from('GIF89a<svg onload="alert(1)"/>'),
    heic,
  ])
    expect(await refusal(await sendFile(owner, roomId, Uint8Array.from(content), 'a.jpg'))).toEqual([
      400,
      'file_type_refused',
    ])
})

test('R34: guests send PNG, JPEG, WebP and GIF, and no AVIF', async () => {
  const node = await rooms.node({ guestFiles: 'images' })
  const visitor = await guest(node, 'Vera')
  for (const image of [picture().png(), picture().jpeg(), picture().webp()])
    expect((await uploadFile(visitor, roomId, await bytesOf(image), 'a.txt')).width).toBe(900)
  expect((await uploadFile(visitor, roomId, await animation())).type).toBe('image/gif')
  const avif = await bytesOf(picture().avif({ effort: 0 }))
  expect(await refusal(await sendFile(visitor, roomId, avif))).toEqual([400, 'file_type_refused'])
  await node.close()
})
