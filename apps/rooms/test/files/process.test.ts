import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import sharp from 'sharp'
import { openReader } from '@latchkey/database/database'
import type { Tables } from '../../src/db/tables.ts'
import { until } from '../until.ts'
import { filesIn } from './files.ts'
import {
  type RoomsProcess,
  canMeasureMemory,
  childrenOf,
  memoryOf,
  memoryOfTransfer,
  sendTo,
  startProcess,
  uploadTo,
} from './process.ts'

const MIB = 1024 ** 2

let rooms: RoomsProcess
beforeAll(async () => {
  rooms = await startProcess()
})
afterAll(() => rooms.close())

const upload = (content: BlobPart) => uploadTo(rooms, content)

test('R31.3: a download has its length and its parts over the wire, and so has HEAD', async () => {
  const content = crypto.getRandomValues(new Uint8Array(65_536))
  const { url } = await upload(content)
  const whole = await rooms.send(url)
  expect([whole.headers.get('content-length'), await whole.bytes()]).toEqual(['65536', content])
  const part = await rooms.send(url, { headers: { range: 'bytes=1000-1999' } })
  expect([part.status, part.headers.get('content-length'), await part.bytes()]).toEqual([
    206,
    '1000',
    content.slice(1000, 2000),
  ])
  // Bun would answer ranges of files itself, whatever If-Range says.
  const outdated = await rooms.send(url, { headers: { range: 'bytes=0-4', 'if-range': '"x"' } })
  expect([outdated.status, (await outdated.bytes()).length]).toEqual([200, 65_536])
  const head = await rooms.send(url, { method: 'HEAD' })
  expect([head.status, head.headers.get('content-length')]).toEqual([200, '65536'])
  const etag = whole.headers.get('etag') ?? ''
  const same = await rooms.send(url, { headers: { 'if-none-match': etag } })
  expect([same.status, same.headers.get('etag')]).toEqual([304, etag])
})

test('R31.2: after a kill in the middle of an upload, nothing of it is served or referred to, and its rest is deleted', async () => {
  const before = filesIn({ filesFolder: rooms.files })
  let isSending = true
  const body = new ReadableStream<Uint8Array>({
    start: (controller) =>
      controller.enqueue(
        Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'),
      ),
    async pull(controller) {
      if (isSending) controller.enqueue(new Uint8Array(100_000))
      else await new Promise(() => {})
    },
  })
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  const sent = rooms
    .send(`/api/rooms/${rooms.roomId}/files`, { method: 'POST', body, headers })
    .catch(() => 'cut off')
  const uploads = () => filesIn({ filesFolder: rooms.files }).filter((path) => path.startsWith('uploads/'))
  await until(() => uploads().some((path) => statSync(join(rooms.files, path)).size > MIB))
  isSending = false
  await rooms.service.kill()
  expect(await sent).toBe('cut off')
  const [left = ''] = uploads()
  const anHourAgo = Date.now() / 1000 - 3601
  utimesSync(dirname(join(rooms.files, left)), anHourAgo, anHourAgo)
  await rooms.restart()
  await until(() => uploads().length === 0)
  const after = filesIn({ filesFolder: rooms.files })
  expect(after.filter((path) => !path.startsWith('uploads/'))).toEqual(before)
  const database = openReader<Tables>(rooms.databaseUrl)
  const rows = await database.read.selectFrom('files').select('bytes').execute()
  const contents = await database.read.selectFrom('file_contents').select('sha256').execute()
  await database.close()
  expect([rows, contents.length]).toEqual([[{ bytes: 65_536 }], 1])
})

test.skipIf(!canMeasureMemory)(
  'R31.4: images of one person cost the service no memory, and another picture is answered beside them',
  async () => {
    // 36 bytes that are 20 million pixels.
    const large = sharp({ create: { width: 5000, height: 4000, channels: 3, background: 'teal' } })
    const hostile = await large.webp({ lossless: true, effort: 0 }).toBuffer()
    const { pid } = rooms.service
    const small = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
    await sendTo(rooms, rooms.sendAsOther, small)
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
    const before = memoryOf(pid, 'VmRSS')
    const attack = Array.from({ length: 5 }, () => sendTo(rooms, rooms.send, hostile))
    await until(() => childrenOf(pid).length > 0)
    const startedMs = performance.now()
    expect((await sendTo(rooms, rooms.sendAsOther, small)).status).toBe(201)
    expect(performance.now() - startedMs).toBeLessThan(20_000)
    const answers = await Promise.all(attack)
    expect(answers.map(({ status }) => status).filter((status) => status !== 201 && status !== 429)).toEqual(
      [],
    )
    expect(memoryOf(pid, 'VmHWM') - before).toBeLessThan(100 * MIB)
    // Their processes have ended, and with them their memory.
    await until(() => childrenOf(pid).length === 0)
  },
)

test.skipIf(!canMeasureMemory)(
  'R31.4a: a service that stops or is killed leaves no process of an image',
  async () => {
    const large = sharp({ create: { width: 5000, height: 4000, channels: 3, background: 'teal' } })
    const slow = await large.webp({ lossless: true, effort: 0 }).toBuffer()
    for (const end of ['stop', 'kill'] as const) {
      const sent = sendTo(rooms, rooms.send, slow).catch(() => 'cut off')
      let children: number[] = []
      await until(() => (children = childrenOf(rooms.service.pid)).length > 0)
      await rooms.service[end]()
      await sent
      await until(() => children.every((child) => !existsSync(`/proc/${child}`)))
      await rooms.restart()
    }
  },
)

test.skipIf(!canMeasureMemory)(
  'R31.1b: an upload of 25 MiB, and its download, cost at most 8 MiB of memory',
  async () => {
    expect(await memoryOfTransfer(rooms, 25 * MIB)).toBeLessThanOrEqual(8 * MIB)
  },
)
