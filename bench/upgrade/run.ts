// How long migrations take on large tables: each table of these has ROWS rows in an early version.
//   npx bun bench/upgrade/run.ts [ROWS] [links|rooms]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@latchkey/database/database'
import { type Migration, migrate } from '@latchkey/database/migrate'
import { migrations as linksMigrations } from '@latchkey/links/db/migrations'
import { migrations as roomsMigrations } from '@latchkey/rooms/db/migrations'
import { sql } from 'kysely'

const ROWS = Number(process.argv[2] ?? 1_000_000)
const ONLY = process.argv[3]
const JSON_TEXT = JSON.stringify({ label: 'x'.repeat(200), behaviour: { split: [] } })

interface Tested {
  readonly service: string
  readonly migrations: Readonly<Record<string, Migration>>
  /** The last migration of the early version. */
  readonly early: string
  /** Columns and values of row `i`, by table. */
  readonly tables: Readonly<Record<string, string>>
}

const services: readonly Tested[] = [
  {
    service: 'links',
    migrations: linksMigrations,
    early: '0001-schema',
    tables: {
      'history (changed_at, identity, via, kind, link_id, before_values, after_values)': `i, 'ann', 'api',
        'link.updated', i % 1000 + 1, '${JSON_TEXT}', '${JSON_TEXT}'`,
      'plan (state, identity, via, created_at, expires_at, op_count, change_count, ops, diff, warnings, versions)': `'open',
        'ann', 'api', i, i, 1, 1, '${JSON_TEXT}', '${JSON_TEXT}', '[]', '{}'`,
      'event (type, at, data)': `'link.updated', i, '${JSON_TEXT}'`,
    },
  },
  {
    service: 'rooms',
    migrations: roomsMigrations,
    early: '0003-folded-text',
    tables: {
      'users (id, nickname, search_name, avatar_color, disabled, is_guest, created_at, last_seen_at)': `'u' || i,
        'Person ' || i, 'person ' || i, '#123456', 0, 0, i, i`,
      'rooms (id, name, search_name, owner_id, owner_since, max_participants, visibility, allow_guests, default_role, history_visibility, retention, voice, voice_screen, voice_guests, created_at, active_at)': `'r' || i,
        'Room ' || i, 'room ' || i, 'u' || i, 1, 50, 'public', 1, 'speaker', 'all', '30', 'video', 1, 'listen', i, i`,
      'room_members (room_id, user_id, role, joined_at, joined_seq)': `'r' || i, 'u' || (i % 1000 + 1), 'speaker', 1, 5`,
      'room_user_states (room_id, user_id, last_read_seq)': `'r' || i, 'u' || (i % 1000 + 1), i % 10`,
      'room_events (room_id, seq, type, data, created_at)': `'r' || (i % 1000), i, 'message.created', '{"id":"x"}', i`,
    },
  },
]

async function measure(url: string, { service, migrations, early, tables }: Tested): Promise<void> {
  const names = Object.keys(migrations)
  const until = (last: string) =>
    Object.fromEntries(Object.entries(migrations).slice(0, names.indexOf(last) + 1))
  const database = openDatabase<unknown>(url)
  await migrate(database, until(early))
  for (const [columns, values] of Object.entries(tables))
    await database.write((tx) =>
      sql
        .raw(
          `insert into ${columns}
          with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${ROWS})
          select ${values} from numbers`,
        )
        .execute(tx),
    )
  let totalMs = 0
  for (const name of names.slice(names.indexOf(early) + 1)) {
    const startMs = performance.now()
    await migrate(database, until(name))
    const ms = performance.now() - startMs
    totalMs += ms
    console.log(`| ${service} | ${database.dialect} | ${name} | ${(ms / 1000).toFixed(2)} s |`)
  }
  console.log(`| ${service} | ${database.dialect} | all | ${(totalMs / 1000).toFixed(2)} s |`)
  await database.close()
}

const folder = mkdtempSync(join(tmpdir(), 'latchkey-upgrade-'))
const server = process.env['LATCHKEY_TEST_POSTGRES']
for (const tested of services) {
  if (ONLY !== undefined && ONLY !== tested.service) continue
  await measure(`sqlite:${join(folder, `${tested.service}.db`)}`, tested)
  if (server === undefined) continue
  const name = `bench_upgrade_${process.pid}`
  const admin = openDatabase<unknown>(server)
  await sql`create database ${sql.id(name)}`.execute(admin.writer)
  await measure(new URL(name, server).href, tested)
  await sql`drop database ${sql.id(name)} with (force)`.execute(admin.writer)
  await admin.close()
}
rmSync(folder, { recursive: true })
