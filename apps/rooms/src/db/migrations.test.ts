import { expect, test } from 'bun:test'
import { openDatabase } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { eachDialect } from '@latchkey/database/testing'
import { sql } from 'kysely'
import { migrationNotes } from './migration-notes.ts'
import { migrations } from './migrations.ts'
import type { Tables } from './tables.ts'

/**
 * Foreign keys and indexes of each table, with their columns in order, separated by commas. `only`
 * is the condition of a partial index.
 */
const QUERIES = {
  sqlite: {
    keys: sql<{ child: string; columns: string }>`
      select s.name as child, group_concat(k."from") as columns
      from sqlite_schema as s, pragma_foreign_key_list(s.name) as k
      where s.type = 'table' group by s.name, k.id`,
    indexes: sql<{ child: string; columns: string; only: string | null }>`
      select s.name as child,
        (select group_concat(name) from (select name from pragma_index_info(i.name) order by seqno)) as columns,
        (select substr(sql, instr(sql, ' where ') + 7) from sqlite_schema where name = i.name and i.partial) as only
      from sqlite_schema as s, pragma_index_list(s.name) as i where s.type = 'table'`,
  },
  postgres: {
    keys: sql<{ child: string; columns: string }>`
      select conrelid::regclass::text as child, (
        select string_agg(attname, ',') from pg_attribute where attrelid = conrelid and attnum = any (conkey)
      ) as columns
      from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`,
    indexes: sql<{ child: string; columns: string; only: string | null }>`
      select indrelid::regclass::text as child, (
        select string_agg(attname, ',' order by place) from unnest(indkey) with ordinality as k (number, place)
        join pg_attribute on attrelid = indrelid and attnum = number
      ) as columns, trim(both '()' from pg_get_expr(indpred, indrelid)) as only
      from pg_index join pg_class on pg_class.oid = indexrelid
      where relnamespace = current_schema()::regnamespace`,
  },
}

eachDialect((dialect, newUrl) => {
  test('R20: every foreign key has an index that finds the referring rows', async () => {
    const database = openDatabase(await newUrl('empty'))
    await migrate(database, migrations)
    const { rows: keys } = await QUERIES[dialect].keys.execute(database.read)
    const { rows: indexes } = await QUERIES[dialect].indexes.execute(database.read)
    await database.close()
    expect(keys.length).toBeGreaterThan(20)
    const unindexed = keys.filter(({ child, columns }) => {
      const referring = columns.split(',')
      return !indexes.some(
        (index) =>
          index.child === child &&
          index.columns
            .split(',')
            .slice(0, referring.length)
            .every((column) => referring.includes(column)) &&
          (index.only === null ||
            referring.some((column) => `${column} is not null` === index.only?.toLowerCase())),
      )
    })
    expect(unindexed).toEqual([])
  })

  test('R20: each filter of the audit log has an index in the order of the log', async () => {
    const database = openDatabase(await newUrl('empty'))
    await migrate(database, migrations)
    const { rows } = await QUERIES[dialect].indexes.execute(database.read)
    await database.close()
    const ofLog = rows.filter(({ child }) => child === 'audit_events').map(({ columns }) => columns)
    for (const filter of ['action', 'actor_user_id', 'target_type', 'target_id'])
      expect(ofLog).toContain(`${filter},created_at`)
    expect(ofLog).toContain('created_at,id')
  })

  test('R20: messages and events stay when their room and its users are deleted', async () => {
    const database = openDatabase<Tables>(await newUrl('empty'))
    await migrate(database, migrations)
    const readMessages = () => sql`select * from room_messages order by id`.execute(database.read)
    const run = (...statements: string[]) =>
      database.write(async (tx) => {
        for (const statement of statements) await sql.raw(statement).execute(tx)
      })
    await run(
      `insert into users (id, nickname, search_name, avatar_color, disabled, is_guest, created_at, last_seen_at)
        values ('u', 'Ada', 'ada', '#000000', 0, 0, 1, 1)`,
      `insert into rooms (id, name, search_name, owner_id, owner_since, max_participants, visibility, allow_guests,
        default_role, history_visibility, retention_days, voice, voice_screen, voice_guests, created_at, active_at)
        values ('r', 'Lounge', 'lounge', 'u', 1, 50, 'public', 1, 'speaker', 'all', 30, 'video', 1, 'listen', 1, 1)`,
      `insert into room_messages (id, room_id, seq, user_id, author_name, author_guest, content, client_id, created_at,
        deleted_at, deleted_by) values ('a', 'r', 1, 'u', '#u', 0, 'Words', 'c', 1, null, null),
        ('b', 'r', 2, 'u', '#u', 0, null, null, 2, 3, 'u')`,
      `insert into room_events values ('r', 1, 'message.created', '{}', 1)`,
    )
    const { rows } = await readMessages()
    expect(rows).toHaveLength(2)
    await run(`delete from rooms`, `delete from users`)
    expect((await readMessages()).rows).toEqual(
      rows.map((row) => ({ ...(row as object), user_id: null, deleted_by: null })),
    )
    const { rows: events } = await sql`select seq from room_events`.execute(database.read)
    expect(events).toHaveLength(1)
    await database.close()
  })

  test('R20: rooms of an earlier version keep their limits, their retention and everything in them', async () => {
    const database = openDatabase<Tables>(await newUrl('empty'))
    const earlier = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0004'))
    await migrate(database, earlier)
    await database.write(async (tx) => {
      for (const statement of [
        `insert into users (id, nickname, search_name, avatar_color, disabled, is_guest, created_at, last_seen_at)
          values ('u', 'Ada', 'ada', '#000000', 0, 0, 1, 1), ('v', 'Bob', 'bob', '#000000', 0, 0, 1, 1)`,
        ...['7', '30', 'forever'].map(
          (
            retention,
          ) => `insert into rooms (id, name, search_name, owner_id, owner_since, max_participants, visibility,
            allow_guests, default_role, history_visibility, retention, voice, voice_screen, voice_guests, created_at,
            active_at) values ('r${retention}', 'Lounge', 'lounge', 'u', 1, 1, 'public', 1, 'speaker', 'all',
            '${retention}', 'video', 1, 'listen', 1, 1)`,
        ),
        `insert into room_members values ('r7', 'v', 'speaker', 1, 0)`,
        `insert into room_user_states (room_id, user_id, last_read_seq) values ('r7', 'v', 1)`,
        `insert into room_members values ('r30', 'v', 'speaker', 1, 5)`,
        `insert into room_user_states (room_id, user_id, last_read_seq) values ('r30', 'v', 2)`,
        `insert into room_events values ('r7', 1, 'message.created', '{}', 1)`,
      ])
        await sql.raw(statement).execute(tx)
    })
    await migrate(database, migrations)
    expect(
      await database.read
        .selectFrom('rooms')
        .select(['id', 'kind', 'max_participants', 'retention_days'])
        .orderBy('id')
        .execute(),
    ).toEqual([
      { id: 'r30', kind: 'room', max_participants: 1, retention_days: 30 },
      { id: 'r7', kind: 'room', max_participants: 1, retention_days: 7 },
      { id: 'rforever', kind: 'room', max_participants: 1, retention_days: null },
    ])
    expect(await database.read.selectFrom('room_members').selectAll().execute()).toHaveLength(2)
    expect(await database.read.selectFrom('room_events').selectAll().execute()).toHaveLength(1)
    // New messages of a member begin at joining, whatever they marked as a visitor.
    const marks = database.read.selectFrom('room_user_states').select(['room_id', 'last_read_seq'])
    expect(await marks.orderBy('room_id').execute()).toEqual([
      { room_id: 'r30', last_read_seq: 5 },
      { room_id: 'r7', last_read_seq: 1 },
    ])
    await database.write(async (tx) => tx.deleteFrom('rooms').execute())
    expect(await database.read.selectFrom('room_members').selectAll().execute()).toEqual([])
    await database.close()
  })
})

test('O4.3: each migration has a sentence for people who upgrade', () => {
  expect(Object.keys(migrationNotes)).toEqual(Object.keys(migrations))
})
