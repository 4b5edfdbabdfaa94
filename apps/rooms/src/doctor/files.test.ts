import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eachDialect } from '@latchkey/database/testing'
import { createRoom, member, postFiles, uploadFile } from '../../test/actions.ts'
import { filesIn, storedFiles } from '../../test/files/files.ts'
import { openRooms } from '../../test/rooms.ts'
import { s3Program, s3Server } from '../../test/files/s3-server.ts'
import type { FileLocation } from '../files/storage/location.ts'
import { checkFiles } from './files.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-rooms-doctor-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function lines(
  databaseUrl: string,
  files: FileLocation,
  busUrl: string | null = null,
): Promise<string[]> {
  const findings = await Array.fromAsync(checkFiles({ databaseUrl, files, busUrl }))
  return findings.map(({ level, sentence }) => `${level}: ${sentence}`)
}

eachDialect((_dialect, newUrl) => {
  test('R31.5: doctor finds files without content, and contents without files, and changes neither', async () => {
    const url = await newUrl()
    const rooms = await openRooms({ url })
    const files = { folder: rooms.filesFolder }
    const owner = await member(rooms)
    const { id } = await createRoom(owner)
    const { id: fileId } = await uploadFile(owner, id, 'content')
    await postFiles(owner, id, [fileId])
    expect(await lines(url, files)).toEqual(['ok: File contents: 1, 1 MB in total, all in use'])
    const [file] = await storedFiles(rooms, id)
    const key = file?.sha256 ?? ''
    const surplus = 'ab'.repeat(32)
    await Bun.write(join(files.folder, 'ab', surplus), 'text')
    rmSync(join(files.folder, key.slice(0, 2), key))
    const before = filesIn(rooms)
    expect(await lines(url, files)).toEqual([
      `fail: File contents lost: 1, such as ${key}. Restore ROOMS_FILES`,
      `warn: File contents of no file: 1, such as ${surplus}. Delete them`,
    ])
    expect(filesIn(rooms)).toEqual(before)
    await rooms.close()
  })
})

describe('the storage of files', () => {
  const url = `sqlite:${join(folder, 'rooms.db')}`

  test('R31.2: doctor warns that nodes must share a folder', async () => {
    const files = { folder: join(folder, 'files') }
    expect(await lines(url, files, 'redis://bus.internal')).toEqual([
      `warn: All nodes need the same folder ${files.folder}: share it, or set ROOMS_FILES to s3://…`,
    ])
  })

  test.skipIf(s3Program === null)(
    'R31.2: doctor reports storage that refuses or does not answer',
    async () => {
      const rooms = await openRooms({ url })
      const s3 = await s3Server()
      expect(await lines(url, s3.location)).toEqual(['ok: File contents: 0, 0 MB in total, all in use'])
      const wrong = { ...s3.location, secretAccessKey: 'hush-hush' }
      expect(await lines(url, wrong)).toEqual([
        expect.stringMatching(/^fail: S3: SignatureDoesNotMatch .*: check ROOMS_FILES$/),
      ])
      await s3.close()
      expect(await lines(url, s3.location)).toEqual([
        expect.stringMatching(/^fail: S3: .*: check ROOMS_FILES$/),
      ])
      await rooms.close()
    },
  )
})
