import { afterAll, describe, expect, test } from 'bun:test'
import { chmodSync, chownSync, linkSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ArchiveWriter } from '../../src/backup/archive-writer.ts'
import {
  HEAD,
  MANIFEST,
  type Manifest,
  SUMS,
  contentEntry,
  createHead,
  tableEntry,
} from '../../src/backup/manifest.ts'
import { END_OF_TAR, InvalidBackup, paddingOf, tarHeader } from '../../src/backup/tar.ts'
import { sumLine, verifyArchive } from '../../src/backup/verify.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-archive-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const sha256 = (text: string) => Bun.SHA256.hash(text, 'hex')
const head = createHead('0.1.0', [{ name: 'rooms', engine: 'postgres' }])
const contents = ['a plan', 'a picture '.repeat(100)]
const manifest: Manifest = {
  created_at: 1,
  services: [
    {
      name: 'rooms',
      engine: 'postgres',
      migrations: ['0001-schema'],
      tables: { users: { rows: 2, columns: ['id'] } },
      sequences: {},
      files: { count: 2, bytes: 1006, lost: 0, unused: [] },
    },
  ],
  settings: ['ROOMS_PORT'],
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000)
}

const verify = (bytes: Uint8Array) => verifyArchive(piecesOf(bytes), () => {})

async function problemOf(bytes: Uint8Array): Promise<string> {
  const error = await verify(bytes).then(
    () => new Error('none'),
    (reason: unknown) => reason,
  )
  return error instanceof InvalidBackup
    ? error.message.replace('The backup cannot be used: ', '')
    : `not refused: ${String(error)}`
}

/** A tar file of these entries. The sums are those of all others. */
function tarOf(entries: readonly (readonly [name: string, text: string])[]): Buffer {
  const blocks = entries.flatMap(([name, text]) => {
    const content = Buffer.from(text)
    return [tarHeader({ name, bytes: content.length }, 1), content, Buffer.alloc(paddingOf(content.length))]
  })
  return Buffer.concat([...blocks, END_OF_TAR])
}

const withSums = (entries: readonly (readonly [string, string])[]) =>
  tarOf([...entries, [SUMS, entries.map(([name, text]) => sumLine(sha256(text), name)).join('')]])

const sound = [
  [HEAD, JSON.stringify(head)],
  ...contents.map((text) => [contentEntry(sha256(text)), text] as const),
  [tableEntry('rooms', 'users'), '{"id":1}\n{"id":2}\n'],
  [MANIFEST, JSON.stringify(manifest)],
] as const

describe('an archive', () => {
  test('O4.4: is a tar file that is refused after the change of any byte, and at any shorter length', async () => {
    const path = join(folder, 'sound.tar')
    const writer = await ArchiveWriter.open(path, head)
    for (const text of contents) await writer.addContent(sha256(text), piecesOf(Buffer.from(text)))
    await writer.addText(tableEntry('rooms', 'users'), '{"id":1}\n{"id":2}\n')
    await writer.finish(manifest)
    await writer.close()
    const bytes = Buffer.from(await Bun.file(path).arrayBuffer())
    expect((await verify(bytes)).manifest).toEqual(manifest)
    const listed = Bun.spawnSync(['tar', 'tf', path])
    expect(listed.stdout.toString().trimEnd().split('\n')).toEqual([...sound.map(([name]) => name), SUMS])

    for (let at = 0; at < bytes.length; at++) {
      bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
      expect([at, await problemOf(bytes)]).toEqual([at, expect.not.stringContaining('not refused')])
      bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
    }
    for (let length = 0; length < bytes.length; length += 100)
      expect([length, await problemOf(bytes.subarray(0, length))]).toEqual([length, 'it ends too early'])
    expect(await problemOf(Buffer.concat([bytes, Buffer.alloc(1)]))).toBe('it goes on after its end')
  })

  test('O4.4: is refused if it names other entries than those of a backup, whatever their content', async () => {
    expect((await verify(withSums(sound))).manifest).toEqual(manifest)
    const [first, ...rest] = sound
    for (const [entries, problem] of [
      [
        [first, ['../../etc/passwd', 'x'], ...rest],
        /^it has "\.\.\/\.\.\/etc\/passwd", which no backup has$/,
      ],
      [[first, ['/etc/passwd', 'x'], ...rest], /^it has "\/etc\/passwd"/],
      [[first, ['rooms/files/ab/../../x', 'x'], ...rest], /which no backup has$/],
      [[first, [tableEntry('links', 'link'), '{}\n'], ...rest], /^it has an entry that its manifest lacks$/],
      [[first, ...rest, ['rooms/rooms.db', 'x']], /where it must not have it$/],
      [[first, ...rest.slice(0, -1), rest[2] ?? first, ...rest.slice(-1)], /where it must not have it$/],
      [[first, ...rest.slice(0, -1)], /must not have it$/],
      [
        [first, ...rest.filter(([name]) => !name.includes('tables'))],
        /^it lacks rooms\/tables\/users\.ndjson$/,
      ],
      [[first, ...rest.slice(1)], /^it has 1 files instead of 2$/],
      [[...rest, first], /^it is not a backup of Latchkey$/],
      [[[HEAD, '{"format":"other"}'], ...rest], /^it is not a backup of Latchkey$/],
      [
        [[HEAD, JSON.stringify({ ...head, version: 2 })], ...rest],
        /of format 2 \(made by Latchkey 0\.1\.0\)/,
      ],
      [[first, ...rest.slice(0, -1), [MANIFEST, ' '.repeat(1024 ** 2 + 1)]], /^manifest\.json is too large$/],
      [[first, ...rest.slice(0, -1), [MANIFEST, '{}']], /^manifest\.json is damaged$/],
    ] as const)
      expect(await problemOf(withSums(entries))).toMatch(problem)
  })

  test('O4.4: that declares more bytes than it has, or a link, is refused before they are read', async () => {
    for (const bytes of [2 ** 33, Number.MAX_SAFE_INTEGER]) {
      const header = tarHeader({ name: HEAD, bytes }, 1)
      expect(await problemOf(header)).toMatch(/too large$|too early$/)
    }
    const beyond = tarHeader({ name: HEAD, bytes: 2 ** 40 }, 1)
    beyond.fill(0xff, 124, 136)
    expect(await problemOf(beyond)).toMatch(/damaged$/)
    const link = tarOf([[HEAD, '']])
    link.write('2', 156)
    expect(await problemOf(link)).toMatch(/damaged$/)
  })

  test('O4.4: has sizes from 8 GiB on in the form that GNU tar reads', () => {
    const header = tarHeader({ name: 'large', bytes: 9 * 1024 ** 3 }, 1)
    const listed = Bun.spawnSync(['tar', 'tvf', '-'], { stdin: header })
    expect(listed.stdout.toString()).toContain(String(9 * 1024 ** 3))
  })
})

describe('an archive that was interrupted', () => {
  const text = 'content '.repeat(100)

  async function interrupted(name: string): Promise<string> {
    const path = join(folder, name)
    const writer = await ArchiveWriter.open(path, head)
    for (const content of contents) await writer.addContent(sha256(content), piecesOf(Buffer.from(content)))
    await writer.addText(tableEntry('rooms', 'users'), text)
    await writer.close()
    return path
  }

  test('O4.4: continues after its last whole content, at whatever byte it ended', async () => {
    const path = await interrupted('whole.tar')
    const [bytes, sums] = [
      Buffer.from(await Bun.file(path).arrayBuffer()),
      await Bun.file(`${path}.sums`).text(),
    ]
    for (let length = 0; length < bytes.length; length += 64) {
      const cut = join(folder, 'cut.tar')
      await Bun.write(cut, bytes.subarray(0, length))
      await Bun.write(`${cut}.sums`, sums)
      const writer = await ArchiveWriter.open(cut, head)
      for (const content of contents.slice(writer.files.count))
        await writer.addContent(sha256(content), piecesOf(Buffer.from(content)))
      await writer.addText(tableEntry('rooms', 'users'), '{"id":1}\n{"id":2}\n')
      await writer.finish(manifest)
      await writer.close()
      expect((await verifyArchive(Bun.file(cut).stream(), () => {})).manifest).toEqual(manifest)
    }
  })

  test('O4.4: keeps its contents, of which none is read again, and begins again for other services', async () => {
    const path = await interrupted('kept.tar')
    const writer = await ArchiveWriter.open(path, head)
    expect([writer.files, writer.lastKey]).toEqual([{ count: 2, bytes: 1006 }, sha256(contents[1] ?? '')])
    await writer.close()
    const other = await ArchiveWriter.open(path, createHead('0.1.0', [{ name: 'links', engine: 'sqlite' }]))
    expect(other.files).toEqual({ count: 0, bytes: 0 })
    await other.close()
  })

  test('O4.4b: does not continue in a link or a file of another user, who could read all of it', async () => {
    const victim = join(folder, 'victim')
    const refusalOf = (path: string) =>
      ArchiveWriter.open(path, head).then(
        () => 'none',
        (error: unknown) => (error as Error).message,
      )
    const refused = (path: string) => `${path} is not a file of this user alone: move it away`
    await Bun.write(victim, 'as it was')
    for (const [name, plant] of [
      ['symbolic.tar', symlinkSync],
      ['hard.tar', linkSync],
    ] as const)
      for (const end of ['', '.sums']) {
        const path = join(folder, end + name)
        plant(victim, path + end)
        expect(await refusalOf(path)).toBe(refused(path + end))
        rmSync(path + end)
      }
    expect(await Bun.file(victim).text()).toBe('as it was')
    chmodSync(victim, 0o666)
    await (await ArchiveWriter.open(victim, head)).close()
    expect((statSync(victim).mode & 0o777).toString(8)).toBe('600')
    if (process.getuid?.() !== 0) return
    chownSync(victim, 65_534, 65_534)
    expect(await refusalOf(victim)).toBe(refused(victim))
  })
})
