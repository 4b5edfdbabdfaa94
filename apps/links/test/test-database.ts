import { afterAll, afterEach } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, openDatabase } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { type Insertable, type RawBuilder, sql } from 'kysely'
import { type ClassifiedClick, type JournalledClick, classifyClick } from '../src/clicks/click.ts'
import { migrations } from '../src/db/migrations.ts'
import type { Tables } from '../src/db/tables.ts'
import { recordChanges } from '../src/record-changes.ts'
import { parseSlugKey } from '../src/urls/slug.ts'

/** A Tuesday, half past ten, UTC. */
export const NOW = 1_795_516_200

/** A migrated database with links, for suites below the API. */
export class TestDatabase {
  readonly url: string
  readonly database: Database<Tables>
  /** The database for writes of links and bundles. */
  readonly recorded: Database<Tables>

  private constructor(url: string) {
    this.url = url
    this.database = openDatabase<Tables>(url)
    this.recorded = recordChanges(this.database, { identity: 'ann@example.com', via: 'api', now: NOW })
  }

  /** Opens a database with these migrations. */
  static async open(url: string, applied = migrations): Promise<TestDatabase> {
    const stored = new TestDatabase(url)
    await migrate(stored.database, applied)
    return stored
  }

  close(): Promise<void> {
    return this.database.close()
  }

  /** Creates a link with the slugs of these keys, the first of which is its automatic one. */
  async createLink(...slugs: [string, ...string[]]): Promise<number> {
    return this.database.write(async (tx) => {
      const url = `https://example.com/${slugs[0]}`
      const { id } = await tx
        .insertInto('link')
        .values({
          url,
          url_key: 1,
          host: 'example.com',
          label: null,
          expires_at: null,
          disabled_at: null,
          created_via: 'api',
          created_by: 'ann@example.com',
          created_at: NOW,
          primary_slug: slugs[0],
          domain: parseSlugKey(slugs[0]).domain ?? null,
          search_text: url,
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      const rows = slugs.map((slug, index) => ({
        slug,
        link_id: id,
        is_custom: index === 0 ? 0 : 1,
        created_at: NOW,
        disabled_at: null,
      }))
      await tx.insertInto('slug').values(rows).execute()
      return id
    })
  }

  async run(statement: RawBuilder<unknown>): Promise<void> {
    await this.database.write((tx) => statement.execute(tx))
  }

  async rows<Row>(statement: string): Promise<Row[]> {
    return (await sql.raw<Row>(statement).execute(this.database.read)).rows
  }

  /**
   * Clicks of a slug from three sources: its total, its hours and its raw clicks. They must agree.
   */
  async countClicks(slug: string): Promise<[sum: number, hours: number, raw: number]> {
    const [row] = await this.rows<{ sum: number; hours: number; raw: number }>(`select
      coalesce((select clicks from counted_slug where slug = '${slug}'), 0) as sum,
      coalesce((select sum(clicks) from click_hour where slug = '${slug}'), 0) as hours,
      (select count(*) from click where slug = '${slug}') as raw`)
    return [row?.sum ?? -1, row?.hours ?? -1, row?.raw ?? -1]
  }

  async readJournalCursors(): Promise<{ journal_id: string; seq: number }[]> {
    return this.rows('select journal_id, seq from journal_cursor order by journal_id')
  }
}

const CHROME =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

/** A click of a person, as the redirect writes it to the journal. */
export function visit(linkId: number, slug: string, fields: Partial<JournalledClick> = {}): JournalledClick {
  return {
    slug,
    linkId,
    clickedAt: NOW,
    host: 'go.example.com',
    query: null,
    referrer: null,
    userAgent: CHROME,
    country: null,
    visitorFp: null,
    ...fields,
  }
}

export function click(linkId: number, slug: string, fields: Partial<JournalledClick> = {}): ClassifiedClick {
  return classifyClick(visit(linkId, slug, fields))
}

export const BOT = { userAgent: 'Googlebot/2.1 (+http://www.google.com/bot.html)' }
export const SELF_REFERRER = { referrer: 'https://go.example.com/other' }

interface Closable {
  close(): void | Promise<void>
}

/**
 * Closes resources after each test, the last one first. The returned `close` closes one earlier.
 */
export function closeAfterEach() {
  const open: Closable[] = []
  afterEach(async () => {
    for (const one of open.splice(0).toReversed()) await one.close()
  })
  return {
    closeLater: <One extends Closable>(one: One): One => {
      open.push(one)
      return one
    },
    close: async (one: Closable): Promise<void> => {
      open.splice(open.indexOf(one), 1)
      await one.close()
    },
  }
}

/** Returns the message of the error. Throws if there is none. */
export async function messageOf(failing: unknown): Promise<string> {
  try {
    await failing
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  throw new Error('That was expected to fail')
}

/** A folder for the tests of a file, deleted after them. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-test-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Returns URLs of new SQLite databases, which are deleted after the tests of the calling file. */
export function newSqliteUrls(): () => Promise<string> {
  const folder = testFolder()
  return async () => `sqlite:${join(folder, `${crypto.randomUUID()}.db`)}`
}

/** Polls until the condition holds. Throws at the deadline. */
export async function until(
  condition: string,
  holds: () => boolean | Promise<boolean>,
  timeoutMs = 20_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Not within ${timeoutMs} ms: ${condition}`)
    await Bun.sleep(5)
  }
}

/**
 * Inserts slugs of one link, more than a link may have. The word index is left out: on SQLite it is
 * written after each slug, and all slugs of a link are one document.
 */
export async function insertSlugs(
  database: Database<Tables>,
  rows: readonly Insertable<Tables['slug']>[],
): Promise<void> {
  const trigger = sql<{ sql: string }>`select sql from sqlite_master where name = 'link_search_slug_insert'`
  const size = 5_000
  await database.write(async (tx) => {
    const isSqlite = database.dialect === 'sqlite'
    const [definition] = isSqlite ? (await trigger.execute(tx)).rows : []
    if (definition) await sql`drop trigger link_search_slug_insert`.execute(tx)
    for (let from = 0; from < rows.length; from += size)
      await tx
        .insertInto('slug')
        .values(rows.slice(from, from + size))
        .execute()
    if (definition) await sql.raw(definition.sql).execute(tx)
  })
}
