import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { s3Storage } from '../../src/files/storage/s3.ts'
import { FileStorageUnavailable } from '../../src/files/storage/storage.ts'
import {
  type TestUser,
  createRoom,
  deleteRoom,
  member,
  postFiles,
  refusal,
  sendFile,
  succeed,
  uploadFile,
} from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { bytesOf, picture } from './images.ts'
import { canMeasureMemory, memoryOfTransfer, startProcess } from './process.ts'
import { type S3Server, s3Program, s3Server } from './s3-server.ts'

const HOUR = 3_600_000

describe.skipIf(s3Program === null)('files in S3-compatible storage', () => {
  let s3: S3Server
  let rooms: TestRooms
  let owner: TestUser
  beforeAll(async () => {
    s3 = await s3Server()
    rooms = await openRooms({ settings: { files: s3.location } })
    owner = await member(rooms)
  }, 30_000)
  afterAll(async () => {
    await rooms.close()
    await s3.close()
  })

  const keys = async (storage = s3Storage(s3.location)) => {
    const stored = await Array.fromAsync(storage.list())
    return stored.map(({ key }) => key)
  }

  test('R31.2: an image and its thumbnail are stored, served whole and in parts, and deleted with the room', async () => {
    const { id } = await createRoom(owner)
    const file = await uploadFile(owner, id, await bytesOf(picture().png()), 'garden.png')
    await postFiles(owner, id, [file.id])
    const whole = await (await owner.browser.send(file.url)).bytes()
    expect([whole.length, whole.slice(1, 4)]).toEqual([file.bytes, new TextEncoder().encode('PNG')])
    const part = await owner.browser.send(file.url, { headers: { range: 'bytes=1-3' } })
    expect([part.status, await part.text()]).toEqual([206, 'PNG'])
    expect((await owner.browser.send(file.thumbnail ?? '')).headers.get('content-type')).toBe('image/webp')
    const sha256 = Bun.SHA256.hash(whole, 'hex')
    expect((await keys()).toSorted()).toEqual([sha256, `${sha256}-thumbnail`])
    await succeed(deleteRoom(owner, id))
    rooms.clock.ms += 3 * HOUR
    await rooms.rooms.jobs.runDue()
    await rooms.rooms.fileJobs.runDue()
    expect(await keys()).toEqual([])
  })

  test('R31.2: while the storage is away, uploads and downloads are 503, and work again when it is back', async () => {
    const { id } = await createRoom(owner)
    const { url } = await uploadFile(owner, id, 'before')
    await s3.kill()
    expect(await refusal(await sendFile(owner, id, 'meanwhile'))).toEqual([503, 'unavailable'])
    expect(await refusal(await owner.browser.send(url))).toEqual([503, 'unavailable'])
    await s3.start()
    expect(await (await owner.browser.send(url)).text()).toBe('before')
    await uploadFile(owner, id, 'meanwhile')
  })

  test.skipIf(!canMeasureMemory)(
    'R31.1b: an upload of 25 MiB to the storage, and its download, cost at most 8 MiB of memory',
    async () => {
      const service = await startProcess(s3.settings)
      const bytes = 25 * 1024 ** 2
      const memory = await memoryOfTransfer(service, bytes)
      await service.close()
      expect(memory).toBeLessThanOrEqual(8 * 1024 ** 2)
    },
    60_000,
  )

  test('R31.2: a wrong secret is reported without the secret', async () => {
    const storage = s3Storage({ ...s3.location, secretAccessKey: 'hush-hush' })
    const path = join(s3.folder, '..', 'content')
    writeFileSync(path, 'text')
    for (const attempt of [
      () => storage.put('0'.repeat(64), path),
      () => storage.read('0'.repeat(64), { start: 0, end: 3 }),
      () => storage.delete('0'.repeat(64)),
      () => keys(storage),
    ]) {
      const error = (await attempt().catch((reason: unknown) => reason)) as Error
      expect(error).toBeInstanceOf(FileStorageUnavailable)
      expect(error.message).toMatch(/SignatureDoesNotMatch/)
      expect(error.message).not.toContain('hush')
    }
  })

  test('R31.5: all contents are listed, however many there are, and other objects are not', async () => {
    const storage = s3Storage({ ...s3.location, prefix: 'many/' })
    const names = Array.from({ length: 1_100 }, (_, at) => Bun.SHA256.hash(String(at), 'hex'))
    const path = join(s3.folder, '..', 'content')
    writeFileSync(path, 'text')
    await storage.put(names[0] ?? '', path)
    for (const name of [...names.slice(1), 'README']) writeFileSync(join(s3.folder, 'many', name), 'text')
    expect((await keys(storage)).toSorted()).toEqual(names.toSorted())
  })
})
