import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, openDatabase } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { eachDialect } from '@latchkey/database/testing'
import { InvalidArchive } from '@latchkey/database/archive/reader'
import { DatabaseNotEmpty } from '@latchkey/database/archive/restore'
import { foldText } from '@latchkey/http/fold'
import { sql } from 'kysely'
import { migrations } from '../../src/db/migrations.ts'
import type { Tables } from '../../src/db/tables.ts'
import { openStorage } from '../../src/files/storage/open.ts'
import { type FileStorage, thumbnailKey } from '../../src/files/storage/storage.ts'
import { findHits } from '../../src/messages/search/store.ts'
import { exportRooms, importRooms } from '../../src/transfer/instance-archive.ts'
import { omittedTables, readFormat } from '../../src/transfer/tables.ts'
import { namesOf } from '../../src/users/names.ts'

async function open(url: string): Promise<Database<Tables>> {
  const database = openDatabase<Tables>(url)
  await migrate(database, migrations)
  return database
}

const NOW = 1_795_516_200_000
const ODD = `Åsa "🔑" \\ line\nend 'q' \u2028`
const people = ['ann', 'bob', 'guest'] as const

const [PLAN, PICTURE, THUMBNAIL] = ['the plan', 'not really '.repeat(50_000), 'smaller'] as const
const sha256 = (text: string) => Bun.SHA256.hash(text, 'hex')

/** Two rows of each table: one with null in every nullable column, one without nulls. */
const rows: Record<string, Record<string, string | number | null>[]> = {
  file_contents: [
    {
      sha256: sha256(PLAN),
      type: 'application/octet-stream',
      width: null,
      height: null,
      thumbnail_bytes: null,
      claimed_at: 1,
      may_be_unused: 0,
      deleting_at: null,
    },
    {
      sha256: sha256(PICTURE),
      type: 'image/png',
      width: 3,
      height: 2,
      thumbnail_bytes: THUMBNAIL.length,
      claimed_at: 1,
      may_be_unused: 1,
      deleting_at: null,
    },
  ],
  users: people.map((id, at) => ({
    id,
    ...namesOf(`${ODD}${at}`),
    email: at === 0 ? 'ann@example.com' : null,
    avatar_color: '#123456',
    disabled: at === 1 ? 1 : 0,
    is_guest: at === 2 ? 1 : 0,
    created_at: NOW,
    last_seen_at: NOW + at,
    guest_ended_at: at === 2 ? NOW : null,
    ...(at === 0 && {
      title: ODD,
      time_zone: 'Europe/Stockholm',
      picture_id: 'p',
      picture_sha256: sha256(PICTURE),
      picture_bytes: PICTURE.length,
      status_text: ODD,
      status_emoji: '🍜',
      status_until: NOW,
      away: 1,
    }),
  })),
  blocks: [{ user_id: 'bob', blocked_id: 'ann', created_at: 1 }],
  identities: [
    { id: 'i', user_id: 'ann', issuer: 'https://id.example', subject: 's|1', mode: 'oidc', created_at: 1 },
  ],
  sessions: people.map((user_id, at) => ({
    id: `s${at}`,
    user_id,
    token_hash: `hash ${at}`,
    idp_issuer: at === 0 ? 'https://id.example' : null,
    id_token_sealed: at === 0 ? 'sealed' : null,
    login_at: 1,
    created_at: 1,
    last_seen_at: 2,
    idle_expires_at: 3,
    absolute_expires_at: NOW,
    revoked_at: at === 1 ? 9 : null,
    revoke_reason: at === 1 ? 'disabled' : null,
    user_agent: ODD,
    client_ip: '::1',
  })),
  push_subscriptions: [
    {
      id: 'p',
      session_id: 's0',
      endpoint: 'https://push.example/1',
      p256dh: 'key',
      auth: 'auth',
      created_at: 1,
    },
  ],
  login_states: [
    {
      state_hash: 'h',
      redirect_uri: 'u',
      return_path: '/',
      config_fingerprint: 'f',
      browser_hash: 'b',
      client_prefix: 'p',
      created_at: 1,
      expires_at: 2,
    },
  ],
  role_grants: [
    {
      id: 'g',
      user_id: 'ann',
      role: 'platform_admin',
      scope_type: 'platform',
      scope_id: '',
      source: 'manual',
      granted_by: 'bob',
      created_at: 1,
    },
  ],
  platform_state: [{ key: 'setting', value: ODD, updated_at: 1 }],
  logout_tokens: [{ issuer: 'i', jti: 'j', expires_at: 1 }],
  logout_markers: [{ issuer: 'i', kind: 'sid', value: 'v', iat: 1, received_at: 2, expires_at: 3 }],
  audit_events: [
    { id: 'a1', actor_user_id: 'ann', action: 'room.create', metadata: '{"a":"\\n"}', created_at: 1 },
    { id: 'a2', action: 'auth.login', metadata: '{}', target_type: 'user', target_id: 'x', created_at: 2 },
  ],
  rooms: [
    {
      id: 'r',
      name: ODD,
      search_name: foldText(ODD),
      created_by: null,
      owner_id: 'ann',
      owner_since: 1,
      max_participants: 9,
      visibility: 'private',
      allow_guests: 1,
      default_role: 'speaker',
      history_visibility: 'all',
      retention_days: 7,
      voice: 'voice',
      voice_screen: 0,
      voice_guests: 'speak',
      last_seq: 42,
      created_at: 1,
      active_at: 1,
    },
    {
      id: 'd',
      kind: 'direct',
      name: '',
      search_name: '',
      owner_since: 1,
      visibility: 'private',
      allow_guests: 0,
      default_role: 'speaker',
      history_visibility: 'all',
      voice: 'video',
      voice_screen: 1,
      voice_guests: 'off',
      direct_key: 'hash of ann and bob',
      last_seq: 0,
      created_at: 1,
      active_at: 1,
    },
    {
      id: 'e',
      name: 'Everyone',
      search_name: `everyone ${foldText(ODD)}`,
      topic: ODD,
      archived_at: NOW,
      is_default: 1,
      created_by: 'ann',
      owner_id: 'ann',
      owner_since: 1,
      visibility: 'public',
      allow_guests: 1,
      default_role: 'speaker',
      history_visibility: 'all',
      voice: 'video',
      voice_screen: 1,
      voice_guests: 'listen',
      last_seq: 0,
      created_at: 1,
      active_at: 1,
    },
  ],
  room_members: [
    {
      room_id: 'r',
      user_id: 'bob',
      role: 'moderator',
      joined_at: 1,
      joined_seq: 2,
      group_name: ODD,
      own_role: 'listener',
    },
    { room_id: 'd', user_id: 'bob', role: 'speaker', joined_at: 1, joined_seq: 0 },
  ],
  room_groups: [{ room_id: 'r', name: ODD, role: 'speaker' }],
  room_visits: [{ room_id: 'r', user_id: 'guest', started_at: 1, started_seq: 2, ended_at: null }],
  room_messages: [
    {
      id: 'm1',
      room_id: 'r',
      seq: 1,
      user_id: 'ann',
      author_name: 'A',
      author_guest: 0,
      content: ODD,
      created_at: 1,
    },
    {
      id: 'm2',
      room_id: 'r',
      seq: 2,
      author_name: 'B',
      author_guest: 1,
      content: null,
      created_at: 2,
      deleted_at: 3,
      deleted_by: 'ann',
    },
    {
      id: 'm0',
      room_id: 'r',
      seq: 3,
      user_id: 'bob',
      author_name: 'B',
      author_guest: 0,
      content: ODD,
      created_at: 3,
      edited_at: 4,
      reply_to: 'm1',
      reactions: '[{"emoji":"👍","count":1}]',
      pinned_seq: 6,
      group_mention: 'here',
    },
  ],
  room_user_states: [
    { room_id: 'r', user_id: 'ann', last_read_seq: 3, level: 'all', pushed_at: null },
    { room_id: 'r', user_id: 'bob', last_read_seq: 0, level: 'none', pushed_at: 7 },
    { room_id: 'd', user_id: 'bob', last_read_seq: 0, level: 'mentions', hidden_seq: 0 },
    { room_id: 'e', user_id: 'ann', last_read_seq: 0, level: 'mentions', starred: 1 },
    { room_id: 'e', user_id: 'bob', last_read_seq: 0, level: 'mentions', left_at: NOW },
  ],
  room_drafts: [{ user_id: 'ann', room_id: 'r', content: ODD, updated_at: 3 }],
  room_message_versions: [{ message_id: 'm0', seq: 4, content: ODD, created_at: 3 }],
  room_mentions: [{ message_id: 'm0', user_id: 'ann', room_id: 'r', seq: 3 }],
  room_reactions: [{ id: 'x', message_id: 'm0', seq: 5, user_id: 'ann', emoji: '👍', created_at: 5 }],
  room_events: [{ room_id: 'r', seq: 1, type: 'message.created', data: '{"x":"ö"}', created_at: 1 }],
  files: [
    {
      id: 'f0',
      room_id: 'r',
      user_id: 'ann',
      message_id: null,
      position: null,
      sha256: sha256(PLAN),
      name: ODD,
      bytes: PLAN.length,
      created_at: 1,
    },
    {
      id: 'f1',
      room_id: 'r',
      user_id: 'bob',
      message_id: 'm0',
      position: 0,
      sha256: sha256(PICTURE),
      name: 'picture.png',
      bytes: PICTURE.length,
      created_at: 1,
    },
  ],
  room_bans: [{ room_id: 'r', user_id: 'bob', kind: 'ban', reason: ODD, created_at: 1 }],
  room_invitations: [
    {
      id: 'v',
      room_id: 'r',
      token_hash: 't',
      permission: 'listener',
      expires_at: 9,
      max_uses: 5,
      created_by: 'ann',
      created_at: 1,
    },
  ],
  room_invitation_uses: [{ invitation_id: 'v', user_id: 'bob', used_at: 1 }],
  room_manual_roles: [
    { room_id: 'r', user_id: 'bob', role: 'listener', seq: 2, set_at: 1 },
    { room_id: 'r', user_id: 'guest', role: null, seq: 3, set_at: 2 },
  ],
  calls: [{ room_id: 'r', id: 'c', started_at: 1, started_by: 'ann', answer_until: NOW }],
  call_alerts: [{ user_id: 'bob', room_id: 'r', until: NOW }],
  room_ownership_transfers: [
    { room_id: 'r', from_user_id: 'ann', to_user_id: 'bob', expires_at: 9, created_at: 1 },
  ],
}

async function fill(database: Database<Tables>): Promise<void> {
  await database.write(async (tx) => {
    for (const [table, some] of Object.entries(rows))
      for (const row of some)
        await sql`insert into ${sql.table(table)} (${sql.join(Object.keys(row).map((name) => sql.ref(name)))})
          values (${sql.join(Object.values(row))})`.execute(tx)
  })
}

const folder = mkdtempSync(join(tmpdir(), 'latchkey-archive-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const newStorage = () => openStorage({ folder: mkdtempSync(join(folder, 'files-')) })

/** Storage with the contents of the files in `fill`. */
async function fullStorage(): Promise<FileStorage> {
  const storage = newStorage()
  const contents = {
    [sha256(PLAN)]: PLAN,
    [sha256(PICTURE)]: PICTURE,
    [thumbnailKey(sha256(PICTURE))]: THUMBNAIL,
  }
  for (const [key, text] of Object.entries(contents)) await putText(storage, key, text)
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
