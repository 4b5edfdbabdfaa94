import { afterAll, beforeAll, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import {
  type FileJson,
  type TestUser,
  admin,
  ban,
  createRoom,
  eraseAccount,
  makeMember,
  member,
  uploadFile,
} from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { filesIn } from './files.ts'

const CONTENT = '0123456789abcdefghij'

let rooms: TestRooms
let owner: TestUser
let roomId: string
let file: FileJson
beforeAll(async () => {
  rooms = await openRooms({ limits: { rooms_per_hour: 100, messages_per_10s: 1000 } })
  owner = await member(rooms, 'Olga')
  roomId = (await createRoom(owner)).id
  file = await uploadFile(owner, roomId, CONTENT, 'r\u00e4ka "1".txt')
})
afterAll(() => rooms.close())

const get = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
  owner.browser.send(url, { headers, method })

test('R31.3a: a file is an attachment under its own name, revalidated before every use, in a sandbox', async () => {
  const { headers } = await get(file.url)
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-length': '20',
    'content-disposition': `attachment; filename="r_ka _1_.txt"; filename*=UTF-8''r%C3%A4ka%20%221%22.txt`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': 'sandbox',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'private, no-cache',
    'accept-ranges': 'bytes',
    etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
  })
})

test('R31.3: HEAD answers the same headers without the file', async () => {
  const [whole, head] = [await get(file.url), await get(file.url, {}, 'HEAD')]
  const ofBoth = (response: Response) => [
    response.status,
    ...['content-length', 'content-type', 'etag', 'content-disposition'].map((name) =>
      response.headers.get(name),
    ),
  ]
  expect(ofBoth(head)).toEqual(ofBoth(whole))
  expect(await head.text()).toBe('')
})

test('R31.3b: a matching ETag gives 304 without content, and only after the check', async () => {
  const etag = (await get(file.url)).headers.get('etag') ?? ''
  for (const match of [etag, `"x", W/${etag}`, '*']) {
    const response = await get(file.url, { 'if-none-match': match })
    expect([match, response.status, await response.text()]).toEqual([match, 304, ''])
    expect(response.headers.get('cache-control')).toBe('private, no-cache')
    expect(response.headers.get('content-security-policy')).toBe('sandbox')
  }
  expect((await get(file.url, { 'if-none-match': '"x"' })).status).toBe(200)
  const other = await member(rooms, 'Otto')
  const unchanged = await other.browser.send(file.url, { headers: { 'if-none-match': etag } })
  expect([unchanged.status, unchanged.headers.get('cache-control')]).toEqual([404, 'no-store'])
})

test('R31.3c: ranges work, and an outdated one gets the whole file', async () => {
  const etag = (await get(file.url)).headers.get('etag') ?? ''
  const sent: [range: string, status: number, text: string, contentRange: string | null, ifRange?: string][] =
    [
      ['bytes=0-4', 206, '01234', 'bytes 0-4/20'],
      ['bytes=15-', 206, 'fghij', 'bytes 15-19/20'],
      ['bytes=-3', 206, 'hij', 'bytes 17-19/20'],
      ['bytes=-99', 206, CONTENT, 'bytes 0-19/20'],
      ['bytes=18-99', 206, 'ij', 'bytes 18-19/20'],
      ['bytes=0-4', 206, '01234', 'bytes 0-4/20', etag],
      ['bytes=0-4', 200, CONTENT, null, '"x"'],
      ['bytes=0-4', 200, CONTENT, null, `W/${etag}`],
      ['bytes=4-2', 200, CONTENT, null],
      ['bytes=0-1,4-5', 200, CONTENT, null],
      ['bytes=a-', 200, CONTENT, null],
      ['items=0-4', 200, CONTENT, null],
    ]
  for (const [range, status, text, contentRange, ifRange] of sent) {
    const response = await get(file.url, { range, ...(ifRange !== undefined && { 'if-range': ifRange }) })
    const { headers } = response
    expect([range, response.status, await response.text(), headers.get('content-range')]).toEqual([
      range,
      status,
      text,
      contentRange,
    ])
    expect(headers.get('content-length')).toBe(String(text.length))
  }
  for (const range of ['bytes=20-', 'bytes=99-100', 'bytes=-0']) {
    const response = await get(file.url, { range })
    expect([response.status, response.headers.get('content-range')]).toEqual([416, 'bytes */20'])
    expect(await response.json()).toMatchObject({ code: 'range_not_satisfiable' })
  }
})

test('R31.1a, R31.3: before a message has it, only its uploader reads a file: not the owner, not an administrator', async () => {
  const ada = await member(rooms, 'Ada')
  const own = await uploadFile(ada, roomId, 'mine')
  const others = [owner, await member(rooms, 'Otto'), await admin(rooms)]
  for (const { browser } of others) expect((await browser.send(own.url)).status).toBe(404)
  expect((await rooms.browser().send(own.url)).status).toBe(401)
  expect((await ada.browser.send(own.url)).status).toBe(200)
  await ban(rooms, roomId, ada)
  const refused = await ada.browser.send(own.url)
  expect([refused.status, await refused.json()]).toEqual([404, { error: 'Not found', code: 'not_found' }])
})

test('R31.3: a file has one address: another name, and an id that does not exist, are 404', async () => {
  for (const url of [
    `/api/files/${file.id}/evil.html`,
    `/api/files/${file.id}`,
    file.url.replace(file.id, crypto.randomUUID()),
    file.url.replace(file.id, 'x'),
  ])
    expect([url, (await get(url)).status]).toEqual([url, 404])
})

test('R31.3: a file whose uploader was erased, whose room was deleted, or whose content is lost, is 404', async () => {
  const ada = await member(rooms, 'Ada')
  const room = await createRoom(owner)
  await makeMember(rooms, room.id, ada)
  const [first, second] = [await uploadFile(owner, room.id, 'one'), await uploadFile(ada, roomId, 'two')]
  await owner.browser.send(`/api/rooms/${room.id}`, { method: 'DELETE' })
  expect((await get(first.url)).status).toBe(404)
  expect((await eraseAccount(ada)).status).toBe(200)
  expect((await get(second.url)).status).toBe(404)
  const third = await uploadFile(owner, roomId, 'three')
  const sha256 = new Bun.CryptoHasher('sha256').update('three').digest('hex')
  const path = filesIn(rooms).find((each) => each.includes(sha256)) ?? ''
  rmSync(`${rooms.filesFolder}/${path}`)
  expect((await get(third.url)).status).toBe(404)
  expect(rooms.logLines.some((line) => line.includes('files: content is missing'))).toBe(true)
})
