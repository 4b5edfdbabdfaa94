import { afterAll, beforeAll, expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { openReader } from '@latchkey/database/database'
import type { Tables } from '../../src/db/tables.ts'
import { until } from '../until.ts'
import { filesIn } from './files.ts'
import { type RoomsProcess, canMeasureMemory, memoryOfTransfer, startProcess, uploadTo } from './process.ts'

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

test('R31.2: after a kill in the middle of an upload, nothing of it is served or referred to', async () => {
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
  await rooms.restart()
  const after = filesIn({ filesFolder: rooms.files })
  expect(after.filter((path) => !path.startsWith('uploads/'))).toEqual(before)
  const database = openReader<Tables>(rooms.databaseUrl)
  const rows = await database.read.selectFrom('files').select('bytes').execute()
  const contents = await database.read.selectFrom('file_contents').select('sha256').execute()
  await database.close()
  expect([rows, contents.length]).toEqual([[{ bytes: 65_536 }], 1])
})

test.skipIf(!canMeasureMemory)(
  'R31.1: an upload of 25 MiB, and its download, cost at most 8 MiB of memory',
  async () => {
    expect(await memoryOfTransfer(rooms, 25 * MIB)).toBeLessThanOrEqual(8 * MIB)
  },
)
