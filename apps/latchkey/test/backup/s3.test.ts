import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { newSqliteUrl } from '@latchkey/database/testing'
import { type S3Server, s3Server } from '../../../rooms/test/files/s3-server.ts'
import { sha256 } from '../../../rooms/test/transfer/every-row.ts'
import { until } from '../../../rooms/test/until.ts'
import { findObject } from '../../src/backup/s3/read-object.ts'
import { findS3Object } from '../../src/backup/s3/settings.ts'
import { type Instance, contentPath, exportsOf, instancesOn } from './services.ts'

const instances = instancesOn(newSqliteUrl())
let server: S3Server
let source: Instance
let settings: Record<string, string> = {}

beforeAll(async () => {
  server = await s3Server()
  const { endpoint, accessKeyId, secretAccessKey } = server.location
  settings = {
    BACKUP_S3_ENDPOINT: endpoint ?? '',
    BACKUP_S3_ACCESS_KEY_ID: accessKeyId,
    BACKUP_S3_SECRET_ACCESS_KEY: secretAccessKey,
  }
  source = await instances.createFilled()
}, 60_000)
afterAll(() => server.close())

const run = ({ workspace }: Instance, words: readonly string[]) => workspace.run(words, { env: settings })

/** A content that takes several parts to upload. */
async function addLargeContent({ workspace, rooms }: Instance): Promise<void> {
  const bytes = Buffer.alloc(40 * 1024 ** 2, 'large ')
  const key = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
  const path = contentPath(workspace, key)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, bytes)
  const { Database } = await import('bun:sqlite')
  const file = new Database(rooms.slice('sqlite:'.length))
  file.run(
    `insert into file_contents (sha256, type, claimed_at, may_be_unused) values (?, 'text/plain', 1, 0)`,
    [key],
  )
  file.run(
    `insert into files (id, room_id, user_id, message_id, position, sha256, name, bytes, created_at)
      values (?, 'r', 'ann', 'm1', 0, ?, 'large.txt', ?, 1)`,
    [key, key, bytes.length],
  )
  file.close()
}

describe('a backup in S3', () => {
  test('O4.4g: is verified there, leaves nothing here, and is restored with the same data', async () => {
    const address = 's3://files/nightly/all.tar'
    const { code, out, err } = await run(source, ['backup', address])
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/^Backed up and verified: Links .* bytes in s3:\/\/files\/nightly\/all\.tar\n$/)
    expect(readdirSync(source.workspace.folder)).toEqual(['data'])
    const again = await run(source, ['backup', address])
    expect([again.code, again.err]).toEqual([
      1,
      `${address} already exists, and a backup never overwrites it\n`,
    ])
    expect(readdirSync(source.workspace.folder)).toEqual(['data'])

    const target = await instances.createEmpty()
    const restored = await run(target, ['restore', address])
    expect([restored.code, restored.err]).toEqual([0, ''])
    expect(readdirSync(target.workspace.folder)).toEqual(['data'])
    const [, rooms = ''] = await exportsOf(target)
    expect(rooms).toContain(sha256('the plan'))
  }, 60_000)

  test('O4.4: the contents of files in S3 are in it, and are restored from a folder to S3 and back', async () => {
    const { workspace } = source
    expect((await workspace.run(['backup', 'folder.tar'])).code).toBe(0)
    const [remote, local] = [await instances.createEmpty(), await instances.createEmpty()]
    const env = server.settings
    const archive = workspace.path('folder.tar')
    expect(await remote.workspace.run(['restore', archive], { env })).toMatchObject({ code: 0, err: '' })
    expect(readdirSync(remote.workspace.folder)).toEqual([])
    expect(await remote.workspace.run(['backup', 'remote.tar'], { env })).toMatchObject({ code: 0, err: '' })
    const back = remote.workspace.path('remote.tar')
    expect((await local.workspace.run(['restore', back])).code).toBe(0)
    const stored = (folder: string) => [...new Bun.Glob('*/*').scanSync(folder)].toSorted()
    expect(stored(local.workspace.path('data/files'))).toEqual(stored(workspace.path('data/files')))
    rmSync(archive)
  }, 60_000)

  test('O4.4g: whose upload is killed continues with the parts that the storage has', async () => {
    const large = await instances.createFilled()
    await addLargeContent(large)
    const { workspace } = large
    const child = workspace.spawn(['backup', 's3://files/large.tar'], settings)
    const etags = () => {
      const state = workspace.path('large.tar.upload')
      return existsSync(state) ? (JSON.parse(readFileSync(state, 'utf8')) as { etags: string[] }).etags : []
    }
    await until(() => etags().length > 0)
    child.kill('SIGKILL')
    await child.exited
    const sent = etags()
    expect(existsSync(join(server.folder, 'large.tar'))).toBe(false)
    const before = statSync(workspace.path('large.tar')).mtimeMs
    const continuing = workspace.spawn(['backup', 's3://files/large.tar'], settings)
    await until(() => etags().length > sent.length || continuing.exitCode !== null)
    if (continuing.exitCode === null) {
      expect(etags().slice(0, sent.length)).toEqual(sent)
      expect(statSync(workspace.path('large.tar')).mtimeMs).toBe(before)
    }
    expect(await continuing.exited).toBe(0)
    expect(readdirSync(workspace.folder)).toEqual(['data'])

    const target = await instances.createEmpty()
    const downloading = target.workspace.spawn(['restore', 's3://files/large.tar'], settings)
    const download = target.workspace.path('large.tar.download')
    await until(() => (statSync(download, { throwIfNoEntry: false })?.size ?? 0) > 1_000_000)
    downloading.kill('SIGKILL')
    await downloading.exited
    expect(existsSync(target.links.slice('sqlite:'.length))).toBe(false)
    expect((await run(target, ['restore', 's3://files/large.tar'])).code).toBe(0)
    expect(existsSync(download)).toBe(false)
  }, 90_000)

  test('O4.4g: that is damaged in the bucket changes nothing, and is not kept here', async () => {
    expect((await run(source, ['backup', 's3://files/damaged.tar'])).code).toBe(0)
    const path = join(server.folder, 'damaged.tar')
    const bytes = readFileSync(path)
    bytes.writeUInt8(bytes.readUInt8(5_000) ^ 1, 5_000)
    writeFileSync(path, bytes)
    const target = await instances.createEmpty()
    const { code, out, err } = await run(target, ['restore', 's3://files/damaged.tar'])
    expect([code, out, err]).toEqual([1, '', expect.stringMatching(/^The backup cannot be used: /)])
    expect(readdirSync(target.workspace.folder)).toEqual([])
  }, 60_000)

  test('O4.4g: that cannot be reached, found or signed for says so, and a file of that name stays', async () => {
    const target = await instances.createEmpty()
    expect((await run(target, ['restore', 's3://files/none.tar'])).err).toBe(
      'There is no object s3://files/none.tar\n',
    )
    expect((await target.workspace.run(['restore', 's3://files/none.tar'])).err).toBe(
      'Set BACKUP_S3_ACCESS_KEY_ID and BACKUP_S3_SECRET_ACCESS_KEY for s3://files/none.tar\n',
    )
    for (const address of ['s3://files', 's3://files/', 's3://files/../x', 's3://files/a b'])
      expect((await run(target, ['restore', address])).err).toBe(
        'An address in S3 is s3://BUCKET/NAME, where the name may have folders\n',
      )
    const env = { ...settings, BACKUP_S3_SECRET_ACCESS_KEY: 'another secret' }
    const refused = await source.workspace.run(['backup', 's3://files/refused.tar'], { env })
    expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/^S3: status 403 /)])
    expect(refused.err).not.toContain('another secret')
    await source.workspace.write('mine.tar', 'mine')
    const mine = await run(source, ['backup', 's3://files/mine.tar'])
    expect(mine.err).toBe('mine.tar already exists, and a backup never overwrites a file\n')
    expect(readFileSync(source.workspace.path('mine.tar'), 'utf8')).toBe('mine')
    rmSync(source.workspace.path('mine.tar'))
    expect(readdirSync(source.workspace.folder)).toEqual(['data'])
  }, 60_000)

  test('O4.4g: does not continue in a link, with a content that someone else chose', async () => {
    expect((await run(source, ['backup', 's3://files/planted.tar'])).code).toBe(0)
    const object = findS3Object('s3://files/planted.tar', settings)
    const state = object && (await findObject(object))
    const target = await instances.createEmpty()
    const [planted, download] = ['planted', 'planted.tar.download'].map((name) => target.workspace.path(name))
    writeFileSync(planted ?? '', Buffer.alloc(state?.bytes ?? 0))
    linkSync(planted ?? '', download ?? '')
    writeFileSync(`${download}.etag`, state?.etag ?? '')
    expect(await run(target, ['restore', 's3://files/planted.tar'])).toEqual({
      code: 1,
      out: '',
      err: expect.stringContaining('planted.tar.download is not a file of this user alone: move it away'),
    })
  })
})
