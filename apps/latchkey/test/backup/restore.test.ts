import { Database as SqliteFile } from 'bun:sqlite'
import { beforeAll, describe, expect, test } from 'bun:test'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { sqlitePath } from '@latchkey/database/url'
import { newSqliteUrl } from '@latchkey/database/testing'
import { VERSION } from '@latchkey/links/api/version'
import { sha256 } from '../../../rooms/test/transfer/every-row.ts'
import { ArchiveWriter } from '../../src/backup/archive-writer.ts'
import { createHead } from '../../src/backup/manifest.ts'
import { type Instance, contentPath, instancesOn, putContents } from './services.ts'

const instances = instancesOn(newSqliteUrl())
let source: Instance
let archive = ''
beforeAll(async () => {
  source = await instances.createFilled()
  expect((await source.workspace.run(['backup', 'all.tar'])).code).toBe(0)
  archive = source.workspace.path('all.tar')
}, 60_000)

const restoreInto = ({ workspace }: Instance, ...options: string[]) =>
  workspace.run(['restore', archive, ...options])

/** The hashes of both databases. */
const databasesOf = ({ links, rooms }: Instance) =>
  [links, rooms].map((url) =>
    existsSync(sqlitePath(url)) ? sha256(readFileSync(sqlitePath(url)).toString('base64')) : null,
  )

async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

function changeRows(url: string, ...statements: string[]): void {
  const file = new SqliteFile(sqlitePath(url), { readwrite: true, strict: true })
  for (const statement of statements) file.run(statement)
  file.close()
}

/** What a trigger of a hostile archive could do. */
const GRAB = `after insert on link begin update api_key set scope = 'create'; end`

/** Exit code and message of a restore of this instance's backup, which must change nothing. */
async function restoreOf({ workspace }: Instance): Promise<[number, string]> {
  expect((await workspace.run(['backup', 'hostile.tar'])).code).toBe(0)
  const target = await instances.createEmpty()
  const { code, err } = await target.workspace.run(['restore', workspace.path('hostile.tar')])
  expect(databasesOf(target)).toEqual([null, null])
  return [code, err]
}

describe('latchkey restore', () => {
  test('O4.4d: refuses a service that runs, and changes nothing of the other one either', async () => {
    const target = await instances.createEmpty()
    const service = await target.workspace.start(['links'], /"listening"/)
    const { code, out, err } = await restoreInto(target)
    expect([code, out, err]).toEqual([
      1,
      '',
      'Links runs on the database in LINKS_DATABASE_URL: stop it on every node first\n',
    ])
    expect([existsSync(sqlitePath(target.rooms)), existsSync(target.workspace.path('data/files'))]).toEqual([
      false,
      false,
    ])
    expect(await service.stop()).toBe(0)
    // The service has created an empty database, which is no data.
    expect((await restoreInto(target)).code).toBe(0)
  }, 60_000)

  test('O4.4d: refuses a service that has data, without --replace', async () => {
    const target = await instances.createEmpty()
    await target.workspace.run(['keys', 'create', '--identity', 'a', '--scope', 'read', '--title', 'New'])
    const before = databasesOf(target)
    expect(await restoreInto(target)).toEqual({
      code: 1,
      out: '',
      err: 'Links has data in LINKS_DATABASE_URL, and a restore would replace it. Back it up, then use --replace\n',
    })
    expect(databasesOf(target)).toEqual(before)
    expect((await restoreInto(target, '--service', 'rooms')).code).toBe(0)
    expect((await restoreInto(target, '--replace')).code).toBe(0)
    const { out } = await target.workspace.run(['keys', 'list'])
    expect([out.includes('Old'), out.includes('New')]).toEqual([true, false])
  }, 60_000)

  // Only root can give a folder to another user.
  if (process.getuid?.() === 0)
    test('O4.4d: refuses root where another user runs the service, who could not read the files', async () => {
      const target = await instances.createEmpty()
      const folder = target.workspace.path('owned')
      mkdirSync(folder)
      chownSync(folder, 65_532, 65_532)
      const env = { LINKS_DATABASE_URL: 'sqlite:./owned/links.db' }
      expect(await target.workspace.run(['restore', archive], { env })).toEqual({
        code: 1,
        out: '',
        err: `${folder} belongs to the user 65532: restore Links as that user (sudo -u '#65532' latchkey restore …)\n`,
      })
      expect(readdirSync(folder)).toEqual([])
    }, 60_000)

  test('O4.4e: lists what it brings back to life, as lines of JSON too', async () => {
    const target = await instances.createEmpty()
    expect((await restoreInto(target)).code).toBe(0)
    await target.workspace.run(['keys', 'revoke', '1'])
    changeRows(target.links, `update link set disabled_at = 5 where id = 1`)
    changeRows(
      target.rooms,
      `delete from room_messages where id = 'm1'`,
      `insert into room_bans (room_id, user_id, kind, created_at) values ('e', 'ann', 'ban', 1)`,
      `update users set disabled = 1 where id = 'ann'`,
      `update users set nickname = 'New' || char(27) || '[31m' where id = 'bob'`,
    )
    const { code, out, err } = await restoreInto(target, '--replace', '--list', 'list.ndjson')
    expect([code, err]).toEqual([0, ''])
    expect(out).toContain('  API keys that were revoked: 1\n    key 1 of ada: Old\n')
    expect(out).toContain('  links that were disabled: 1\n    one of ada@example.com\n')
    expect(out).toMatch(/ {2}accounts that were disabled: 1\n.*\(ann\)\n/)
    expect(out).toMatch(/ {2}bans and kicks that are missing: 1\n.* in Everyone\n/)
    expect(out).toMatch(/ {2}messages that were deleted: 1\n {4}1 in /)
    expect(out).not.toMatch(/erased|links that were deleted|rooms that/)
    const lines = readFileSync(target.workspace.path('list.ndjson'), 'utf8').trimEnd().split('\n')
    expect(lines).toHaveLength(5)
    expect(lines[0]).toBe(
      JSON.stringify({ service: 'links', what: 'API keys that were revoked', name: 'key 1 of ada: Old' }),
    )
    const again = await restoreInto(target, '--replace')
    expect(again.out).toMatch(/^Links: nothing was ended since .*\nRooms: nothing was ended since /m)
  }, 60_000)

  test('O4.4f: killed at any moment, it leaves each database as it was or restored, and can be run again', async () => {
    const target = await instances.createEmpty()
    await target.workspace.run(['keys', 'create', '--identity', 'a', '--scope', 'read', '--title', 'New'])
    for (const delayMs of [150, 250, 350, 450, 550, 650]) {
      const child = target.workspace.spawn(['restore', archive, '--replace'])
      await Bun.sleep(delayMs)
      child.kill('SIGKILL')
      await child.exited
      // The first connection that may write rolls back what was not committed.
      const file = new SqliteFile(sqlitePath(target.links))
      const titles = file.query<{ title: string }, []>('select title from api_key').all()
      expect(file.query('pragma integrity_check').values()).toEqual([['ok']])
      file.close()
      expect(['New', 'Old']).toContain(titles.map(({ title }) => title).join())
    }
    expect((await restoreInto(target, '--replace')).code).toBe(0)
    const left = readdirSync(dirname(sqlitePath(target.links)))
    expect(left.filter((name) => name.includes('restored'))).toEqual([])
  }, 60_000)

  test('O4.4f: a damaged archive, or one of a newer version, changes nothing', async () => {
    const target = await instances.createEmpty()
    const bytes = readFileSync(archive)
    for (const at of [0, 600, 3_000, bytes.length >> 1, bytes.length - 2_000, bytes.length - 1]) {
      const damaged = Buffer.from(bytes)
      damaged.writeUInt8(damaged.readUInt8(at) ^ 0x10, at)
      await Bun.write(target.workspace.path('damaged.tar'), damaged)
      const { code, out, err } = await target.workspace.run(['restore', 'damaged.tar'])
      expect([at, code, out, err]).toEqual([at, 1, '', expect.stringMatching(/^The backup cannot be used: /)])
    }
    expect(databasesOf(target)).toEqual([null, null])
    expect(existsSync(target.workspace.path('data'))).toBe(false)
  }, 60_000)

  test('O4.4f: a database with a trigger of its own is refused: it would run with the first write', async () => {
    const hostile = await instances.createFilled()
    changeRows(hostile.links, `create trigger grab ${GRAB}`)
    expect(await restoreOf(hostile)).toEqual([
      1,
      expect.stringContaining('another schema than its version: trigger grab'),
    ])
  }, 60_000)

  test('O4.4f: a trigger with a name that SQLite reserves for itself is refused, too', async () => {
    const hostile = await instances.createFilled()
    changeRows(hostile.links, 'pragma journal_mode = delete', `create trigger sqlitexgrab ${GRAB}`)
    const path = sqlitePath(hostile.links)
    const bytes = readFileSync(path, 'latin1').replaceAll('sqlitexgrab', 'sqlite_grab')
    writeFileSync(path, bytes, 'latin1')
    expect(await restoreOf(hostile)).toEqual([
      1,
      expect.stringContaining('another schema than its version: trigger sqlite_grab'),
    ])
  }, 60_000)

  test('O4.4d: an engine or address that does not fit is named', async () => {
    const target = await instances.createEmpty()
    const env = { LINKS_DATABASE_URL: 'postgres://links:hunter2@127.0.0.1:1/links' }
    const { code, err } = await target.workspace.run(['restore', archive], { env })
    expect([code, err]).toEqual([
      1,
      'The backup has Links on SQLite, and LINKS_DATABASE_URL names PostgreSQL: restore it there, and move with `links export`\n',
    ])
    expect((await target.workspace.run(['restore', 'missing.tar'])).err).toBe('missing.tar does not exist\n')
  })
})

describe('latchkey backup', () => {
  test('O4.4b: killed at any moment, it continues, and copies no file twice', async () => {
    for (const delayMs of [300, 450, 600]) {
      const child = source.workspace.spawn(['backup', `killed-${delayMs}.tar`])
      await Bun.sleep(delayMs)
      child.kill('SIGKILL')
      await child.exited
      const { code, err } = await source.workspace.run(['backup', `killed-${delayMs}.tar`])
      if (code !== 0) expect(err).toMatch(/already exists/)
      const target = await instances.createEmpty()
      const restored = await target.workspace.run(['restore', source.workspace.path(`killed-${delayMs}.tar`)])
      expect([restored.code, restored.err]).toEqual([0, ''])
    }
    const names = readdirSync(source.workspace.folder)
    expect(names.filter((name) => /partial|lock|sums/.test(name))).toEqual([])
  }, 60_000)

  test('O4.4b: one that continues brings back no content that was deleted meanwhile', async () => {
    const { workspace } = source
    const head = createHead(VERSION, [
      { name: 'links', engine: 'sqlite' },
      { name: 'rooms', engine: 'sqlite' },
    ])
    const writer = await ArchiveWriter.open(workspace.path('later.tar.partial'), head)
    await writer.addContent(sha256('a deleted secret'), piecesOf('a deleted secret'))
    await writer.close()
    expect((await workspace.run(['backup', 'later.tar'])).code).toBe(0)
    const target = await instances.createEmpty()
    expect((await target.workspace.run(['restore', workspace.path('later.tar')])).code).toBe(0)
    const stored = (key: string) => existsSync(contentPath(target.workspace, key))
    expect([stored(sha256('a deleted secret')), stored(sha256('the plan'))]).toEqual([false, true])
  }, 60_000)

  test('O4.4b: deletes what another one left in the folder a day ago, and nothing else', async () => {
    const { workspace } = source
    const yesterday = new Date(Date.now() - 25 * 3_600_000)
    for (const name of ['old.tar.partial', 'foreign.partial', 'new.tar.partial']) {
      await workspace.write(name, '')
      if (name !== 'foreign.partial') await workspace.write(`${name}.sums`, '')
      if (name !== 'new.tar.partial') utimesSync(workspace.path(name), yesterday, yesterday)
    }
    expect((await workspace.run(['backup', 'left.tar'])).code).toBe(0)
    const left = readdirSync(workspace.folder).filter((name) => name.includes('partial'))
    expect(left.toSorted()).toEqual(['foreign.partial', 'new.tar.partial', 'new.tar.partial.sums'])
    for (const name of left) rmSync(workspace.path(name))
  }, 60_000)

  test('O4.4b: two of one name do not write into the same archive', async () => {
    const ends = await Promise.all([1, 2].map(() => source.workspace.run(['backup', 'twice.tar'])))
    expect(ends.filter(({ code }) => code === 0)).toHaveLength(1)
    const [refused] = ends.filter(({ code }) => code !== 0)
    expect(refused?.err).toMatch(/^Another process is writing twice\.tar\.partial\n|already exists/)
  }, 60_000)

  test('O4.4a: a content that is lost or damaged is reported, and everything else is in the archive', async () => {
    const damaged = await instances.createFilled()
    const lost = contentPath(damaged.workspace, sha256('the plan'))
    await Bun.write(lost, 'the pl4n')
    const { code, out, err } = await damaged.workspace.run(['backup', 'all.tar'])
    expect([code, err]).toEqual([1, 'file contents lost or damaged in ROOMS_FILES: 1\n'])
    rmSync(lost)
    const again = await damaged.workspace.run(['backup', 'again.tar'])
    expect([again.code, again.err]).toEqual([1, err])
    expect(out).toContain('Backed up and verified: Links (2 links')
    const target = await instances.createEmpty()
    const restored = await target.workspace.run(['restore', damaged.workspace.path('all.tar')])
    expect(restored.out).toContain('File contents that were lost before the backup: 1\n')
    await putContents(damaged.workspace)
  }, 60_000)

  test('O4.4: has the names of settings and none of their values', async () => {
    const env = { LINKS_BASE_URL: 'https://s.example.com', AUTH_CLIENT_SECRET: 'hunter2-of-the-provider' }
    expect((await source.workspace.run(['backup', 'settings.tar'], { env })).code).toBe(0)
    const text = readFileSync(source.workspace.path('settings.tar'), 'latin1')
    const manifest = Bun.spawnSync(['tar', 'xOf', source.workspace.path('settings.tar'), 'manifest.json'])
    expect(JSON.parse(manifest.stdout.toString())).toMatchObject({
      settings: expect.arrayContaining(['AUTH_CLIENT_SECRET', 'LINKS_BASE_URL']),
    })
    expect([text.includes('hunter2'), text.includes('s.example.com')]).toEqual([false, false])
    const target = await instances.createEmpty()
    const { out } = await target.workspace.run(['restore', source.workspace.path('settings.tar')])
    expect(out).toContain('Set when the backup was made, and not here: AUTH_CLIENT_SECRET, LINKS_BASE_URL\n')
    const modes = [sqlitePath(target.links), contentPath(target.workspace, sha256('the plan'))]
    expect(modes.map((path) => statSync(path).mode & 0o077)).toEqual([0, 0])
  }, 60_000)
})
