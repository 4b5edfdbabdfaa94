import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, openDatabase } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { eachDialect } from '@latchkey/database/testing'
import { InvalidArchive } from '@latchkey/database/archive/reader'
import { DatabaseNotEmpty } from '@latchkey/database/archive/restore'
import { sql } from 'kysely'
import { migrations } from '../../src/db/migrations.ts'
import type { Tables } from '../../src/db/tables.ts'
import { openStorage } from '../../src/files/storage/open.ts'
import type { FileStorage } from '../../src/files/storage/storage.ts'
import { findHits } from '../../src/messages/search/store.ts'
import { exportRooms, importRooms } from '../../src/transfer/instance-archive.ts'
import { omittedTables, readFormat } from '../../src/transfer/tables.ts'
import { PLAN, fileContents, fill, rows, sha256 } from './every-row.ts'

async function open(url: string): Promise<Database<Tables>> {
  const database = openDatabase<Tables>(url)
  await migrate(database, migrations)
  return database
}

const folder = mkdtempSync(join(tmpdir(), 'latchkey-archive-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const newStorage = () => openStorage({ folder: mkdtempSync(join(folder, 'files-')) })

/** Storage with the contents of the files in `fill`. */
async function fullStorage(): Promise<FileStorage> {
  const storage = newStorage()
  for (const [key, text] of Object.entries(fileContents)) await putText(storage, key, text)
  return storage
}

async function putText(storage: FileStorage, key: string, text: string): Promise<void> {
  await Bun.write(join(folder, 'content'), text)
  await storage.put(key, join(folder, 'content'))
}

async function contentsOf(storage: FileStorage): Promise<Record<string, string>> {
  const contents: Record<string, string> = {}
  for await (const { key, bytes } of storage.list())
    contents[key] = await new Response(await storage.read(key, { start: 0, end: bytes - 1 })).text()
  return contents
}

async function exportText(database: Database<Tables>, storage = newStorage()): Promise<string> {
  let text = ''
  await exportRooms({ database, storage }, 1, async (piece) => void (text += piece.text))
  return text
}

async function* fileOf(text: string): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; at += 101) yield bytes.subarray(at, at + 101)
}

eachDialect((from, newFrom) =>
  eachDialect((to, newTo) => {
    if (from === to) return
    test(`R32.2c: all data of Rooms on ${from} is the same on ${to} after export and import, except connections`, async () => {
      const source = await open(await newFrom())
      await fill(source)
      const contents = await fullStorage()
      const text = await exportText(source, contents)
      const url = await newTo()
      await (await open(url)).close()
      const storage = newStorage()
      const counts = await importRooms({ databaseUrl: url, storage, source: fileOf(text), dryRun: false })
      expect(await contentsOf(storage)).toEqual(await contentsOf(contents))
      expect(counts).toMatchObject({ users: 3, rooms: 3, room_messages: 3, audit_events: 2 })
      const target = await open(url)
      for (const table of Object.keys(rows)) {
        const all = async ({ read }: Database<Tables>) =>
          (await sql`select * from ${sql.table(table)} order by 1, 2`.execute(read)).rows
        const isLeft = omittedTables.some((each) => each === table)
        expect([table, await all(target)]).toEqual([table, isLeft ? [] : await all(source)])
        expect(await all(source)).toHaveLength(rows[table]?.length ?? -1)
      }
      expect(await exportText(target, storage)).toBe(text)
      const scope = { range: { roomId: 'r', afterSeq: 0, retainedAfterMs: 0 } }
      const page = { cursor: undefined, limit: 5, maxScanned: 0 }
      const hits = await findHits(target, scope, { words: ['line', 'en'] }, page)
      expect(hits.map(({ id }) => id)).toEqual(['m0', 'm1'])
      await Promise.all([source.close(), target.close()])
    })
  }),
)

describe('the archive of Rooms', () => {
  eachDialect((dialect, newUrl) => {
    if (dialect === 'postgres') return
    test('has every column of every table, except derived columns and tables that are left out on purpose', async () => {
      const database = await open(await newUrl())
      const { rows: columns } = await sql<{ table: string; column: string; type: string; notnull: number }>`
        select m.name as "table", c.name as "column", lower(c.type) as type, c."notnull" from sqlite_master as m, pragma_table_info(m.name) as c
        where m.type = 'table' and m.name not like 'sqlite_%' and m.name <> 'migration'
          and m.name not like 'message_words%'`.execute(database.read)
      const left: readonly string[] = omittedTables
      const expected = columns
        .filter(({ table, column }) => !left.includes(table) && `${table}.${column}` !== 'users.skeleton')
        .map(({ table, column, type, notnull }) => `${table}.${column} ${type}${notnull ? '' : ' or null'}`)
      const archived = Object.entries((await readFormat()).tables).flatMap(([table, format]) =>
        Object.entries(format.columns).map(
          ([column, { type, nullable }]) =>
            `${table}.${column} ${type === 'int' ? 'integer' : type}${nullable ? ' or null' : ''}`,
        ),
      )
      expect(archived.toSorted()).toEqual(expected.toSorted())
      await database.close()
    })

    test('is refused with the line number if a line is nested too deep or longer than any row', async () => {
      const databaseUrl = await newUrl()
      const database = await open(databaseUrl)
      const [header = ''] = (await exportText(database)).split('\n')
      await database.close()
      for (const [line, problem] of [
        ['['.repeat(1e6), 'line 2: is nested more than 32 levels deep'],
        [`["${'x'.repeat(2 * 1024 ** 2)}"]`, 'line 2: is longer than 2 MiB'],
      ] as const) {
        const source = new Blob([`${header}\n${line}\n`]).stream()
        const refused = importRooms({ databaseUrl, storage: newStorage(), source, dryRun: false })
        expect(await refused.catch((error: unknown) => error)).toEqual(new InvalidArchive(problem))
      }
    })

    test('R36.2: the retention of rooms in an archive of an earlier version is read, and none of it is lost', async () => {
      const source = await open(await newUrl())
      await fill(source)
      const [first] = await source.read.selectFrom('rooms').select('id').orderBy('id').limit(1).execute()
      const id = first?.id ?? ''
      const lines = (await exportText(source)).split('\n')
      const at = lines.findIndex((line) => line.startsWith('{"table":"rooms"'))
      const { columns } = JSON.parse(lines[at] ?? '') as { columns: string[] }
      const isNew = (column: string) => /^(topic|archived_at|is_default|max_ret.*)$/.test(column)
      const earlier = (values: readonly unknown[]) =>
        values.filter((_, index) => !isNew(columns[index] ?? ''))
      const names = columns.map((column) => (column === 'retention_days' ? 'retention' : column))
      lines[at] = JSON.stringify({ table: 'rooms', columns: earlier(names) })
      for (let row = at + 1; lines[row]?.startsWith('['); row++) {
        const values = JSON.parse(lines[row] ?? '') as unknown[]
        const retention = values[columns.indexOf('id')] === id ? '30' : 'forever'
        lines[row] = JSON.stringify(earlier(values.with(columns.indexOf('retention_days'), retention)))
      }
      const url = await newUrl()
      await (await open(url)).close()
      await importRooms({
        databaseUrl: url,
        storage: newStorage(),
        source: fileOf(lines.join('\n')),
        dryRun: false,
      })
      const target = await open(url)
      const rooms = await target.read
        .selectFrom('rooms')
        .select(['id', 'retention_days', 'search_name', 'topic'])
        .execute()
      expect(rooms.map((room) => [room.id === id, room.retention_days, room.topic])).toContainEqual([
        true,
        30,
        null,
      ])
      expect(rooms.filter((room) => room.id !== id).map((room) => room.retention_days)).toEqual([null, null])
      expect(rooms.filter((room) => room.search_name.includes('undefined'))).toEqual([])
      await source.close()
      await target.close()
    })

    test('R31.5: an export names the contents that the storage has lost, and the rest can be imported', async () => {
      const database = await open(await newUrl())
      await fill(database)
      const storage = await fullStorage()
      await storage.delete(sha256(PLAN))
      let text = ''
      const lost = await exportRooms({ database, storage }, 1, async (piece) => void (text += piece.text))
      await database.close()
      expect(lost).toEqual([sha256(PLAN)])
      const url = await newUrl()
      await (await open(url)).close()
      const target = newStorage()
      await importRooms({ databaseUrl: url, storage: target, source: fileOf(text), dryRun: false })
      expect(await contentsOf(target)).toEqual(await contentsOf(storage))
    })

    test('R31.5: a content that is damaged, cut off, or has a path for a key is refused, and no row is stored', async () => {
      const database = await open(await newUrl())
      await fill(database)
      const text = await exportText(database, await fullStorage())
      await database.close()
      const plan = Buffer.from(PLAN).toString('base64')
      const url = await newUrl()
      await (await open(url)).close()
      const storage = newStorage()
      for (const [from, to, problem] of [
        [plan, Buffer.from('the ruse').toString('base64'), /^The content [0-9a-f]{64} is damaged$/],
        [`"${plan}"`, '"dGhl"', /the content [0-9a-f]{64} ends too early$/],
        [`"${plan}"`, `"${plan}"\n"dGhl"`, /^line \d+: is neither a row nor a table nor the end$/],
        [`{"content":"${sha256(PLAN)}"`, '{"content":"../../etc/passwd"', /is not the key of a content$/],
      ] as const) {
        const source = fileOf(text.replace(from, to))
        const refused = importRooms({ databaseUrl: url, storage, source, dryRun: false })
        const error = (await refused.catch((reason: unknown) => reason)) as Error
        expect(error).toBeInstanceOf(InvalidArchive)
        expect(error.message).toMatch(problem)
      }
      const after = await open(url)
      expect(await after.read.selectFrom('users').select('id').execute()).toEqual([])
      await after.close()
      expect(Object.values(await contentsOf(storage))).not.toContain('the ruse')
    })

    test('is refused by an instance that has users', async () => {
      const database = await open(await newUrl())
      await fill(database)
      const text = await exportText(database)
      await database.close()
      const url = await newUrl()
      const other = await open(url)
      await other.write((tx) =>
        tx
          .insertInto('users')
          .values({ ...rows['users']?.[1], id: 'eve' } as never)
          .execute(),
      )
      await other.close()
      const refused = importRooms({
        databaseUrl: url,
        storage: newStorage(),
        source: fileOf(text),
        dryRun: false,
      })
      expect(await refused.catch((error: unknown) => error)).toBeInstanceOf(DatabaseNotEmpty)
    })
  })
})
