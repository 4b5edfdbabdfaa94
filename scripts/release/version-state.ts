// Keeps the state of this version for the tests of upgrades, once, before it is released:
//   bun scripts/release/version-state.ts
// Of each service on each engine, it writes a tar archive with the database (of PostgreSQL its dump in
// SQL), the journal or the files, and the export of this version. No table is empty.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { type Database, openDatabase } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { dialectOf, sqlitePath } from '@latchkey/database/url'
import { Journal } from '@latchkey/links/counting/journal'
import { migrations } from '@latchkey/rooms/db/migrations'
import type { Tables } from '@latchkey/rooms/db/tables'
import { openStorage } from '@latchkey/rooms/files/storage/open'
import { exportRooms } from '@latchkey/rooms/transfer/instance-archive'
import { hashToken } from '@latchkey/tokens/opaque'
import { type Kysely, sql } from 'kysely'
import { TestDatabase, visit } from '../../apps/links/test/test-database.ts'
import { REDIRECT, fillEveryTable } from '../../apps/links/test/transfer/every-row.ts'
import { exportText } from '../../apps/links/test/transfer/filled-database.ts'
import { fileContents, fill } from '../../apps/rooms/test/transfer/every-row.ts'
import { version } from '../../package.json'
import { startPostgres } from '../postgres.ts'

export type Service = 'links' | 'rooms'
type Fill = (url: string, folder: string) => Promise<void>

/** Names in an archive. */
export const STATE = { sqlite: 'stored.db', postgres: 'stored.sql', export: 'export.jsonl' } as const
/** The cookie of a session that lasts until the year 2100. */
export const SESSION_TOKEN = 'a-session-of-an-earlier-version-0123456789_'
const YEAR_2100_MS = 4_102_444_800_000

/** Fills the empty database and writes the state of the service to a tar archive. */
export async function keepState(service: Service, url: string, archive: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-state-'))
  try {
    await fillers[service](url, folder)
    if (dialectOf(url) === 'sqlite') await Bun.write(join(folder, STATE.sqlite), Bun.file(sqlitePath(url)))
    else await dump(url, join(folder, STATE.postgres))
    mkdirSync(dirname(archive), { recursive: true })
    await run(['tar', '-czf', archive, '--owner=0', '--group=0', '-C', folder, '.'])
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const fillers: Readonly<Record<Service, Fill>> = {
  async links(url, folder) {
    const stored = await TestDatabase.open(url)
    await fillEveryTable(stored)
    await requireRows(stored.database.read)
    await Bun.write(join(folder, STATE.export), await exportText(stored.database))
    const { link_id } = await stored.database.read
      .selectFrom('slug')
      .select('link_id')
      .where('slug', '=', REDIRECT.slug)
      .executeTakeFirstOrThrow()
    await stored.close()
    const onLoss = (error: unknown) => {
      throw error
    }
    const journal = new Journal(join(folder, 'journal.db'), { onCommit: () => undefined, onLoss })
    await journal.append(visit(link_id, REDIRECT.slug))
    await journal.close()
  },
  async rooms(url, folder) {
    const database = openDatabase<Tables>(url)
    await migrate(database, migrations)
    await fill(database)
    await addSession(database)
    await requireRows(database.read)
    const storage = openStorage({ folder: join(folder, 'files') })
    for (const [key, text] of Object.entries(fileContents)) {
      await Bun.write(join(folder, 'content'), text)
      await storage.put(key, join(folder, 'content'))
    }
    let exported = ''
    await exportRooms({ database, storage }, 1, async ({ text }) => void (exported += text))
    await Bun.write(join(folder, STATE.export), exported)
    await database.close()
  },
}

async function addSession(database: Database<Tables>): Promise<void> {
  const times = { login_at: 1, created_at: 1, last_seen_at: 1 }
  const end = { idle_expires_at: YEAR_2100_MS, absolute_expires_at: YEAR_2100_MS }
  const session = { id: 'live', user_id: 'ann', token_hash: hashToken(SESSION_TOKEN), ...times, ...end }
  await database.write((tx) =>
    tx
      .insertInto('sessions')
      .values({ ...session, user_agent: '', client_ip: '::1' })
      .execute(),
  )
}

async function requireRows<Schema>(read: Kysely<Schema>): Promise<void> {
  for (const { name } of await read.introspection.getTables()) {
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(read)
    if (rows.length === 0) throw new Error(`${name} has no rows: add some to test/transfer/every-row.ts`)
  }
}

/** Writes statements that any client runs, without those of `psql`. */
async function dump(url: string, file: string): Promise<void> {
  const options = ['--inserts', '--rows-per-insert=100', '--no-owner', '--no-privileges']
  const text = await run(['pg_dump', ...options, url])
  await Bun.write(file, text.replaceAll(/^\\(un)?restrict .*$/gm, ''))
}

async function run(command: readonly string[]): Promise<string> {
  const child = Bun.spawn([...command], { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' })
  const output = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error(`${command[0]} failed`)
  return output
}

async function keepVersion(folder: string): Promise<void> {
  const postgres = await startPostgres()
  if (!postgres) throw new Error('PostgreSQL is not installed')
  const temporary = mkdtempSync(join(tmpdir(), 'latchkey-version-'))
  try {
    for (const service of ['links', 'rooms'] as const) {
      const admin = openDatabase<unknown>(postgres.url)
      await sql`create database ${sql.id(service)}`.execute(admin.writer)
      await admin.close()
      const urls = {
        sqlite: `sqlite:${join(temporary, `${service}.db`)}`,
        postgres: new URL(service, postgres.url).href,
      }
      for (const [engine, url] of Object.entries(urls)) {
        const archive = join(folder, `${service}-${engine}.tar.gz`)
        await keepState(service, url, archive)
        console.log(`${basename(archive)}: ${Bun.file(archive).size} bytes`)
      }
    }
  } finally {
    await postgres.stop()
    rmSync(temporary, { recursive: true })
  }
}

if (import.meta.main)
  await keepVersion(join(import.meta.dirname, '../../apps/latchkey/test/upgrades', version))
