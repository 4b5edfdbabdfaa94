// Fills a database with links, directly in the tables of the migrations.
import { Database as SqliteFile } from 'bun:sqlite'
import { openDatabase } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { migrations } from '@latchkey/links/db/migrations'
import type { Tables } from '@latchkey/links/db/tables'
import { urlKey } from '@latchkey/links/urls/destination-url'

const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789'
const CREATED_AT = 1_780_000_000
/** More than wrk needs to touch every part of the index; its interpreter holds no more. */
const SAMPLED = 500_000

/**
 * Returns a different slug of seven characters for every number: multiplication by an odd number is
 * a bijection on 32 bits.
 */
export function slugOf(index: number): string {
  let bits = Math.imul(index, 0x9e3779b1) >>> 0
  let slug = ''
  for (let position = 0; position < 7; position++) {
    slug = ALPHABET[bits & 31] + slug
    bits >>>= 5
  }
  return slug
}

export function targetOf(index: number): string {
  return `https://example.com/articles/${index}?ref=${index % 97}`
}

export async function seed(path: string, count: number): Promise<void> {
  const database = openDatabase<Tables>(`sqlite:${path}`)
  await migrate(database, migrations)
  await database.close()
  const file = new SqliteFile(path)
  file.run('pragma synchronous = off')
  file.run('pragma cache_size = -1000000')
  const link = file.prepare(
    `insert into link (id, url, url_key, label, created_via, created_by, created_at, primary_slug, search_text)
     values (?, ?, ?, null, 'api', 'bench@example.com', ${CREATED_AT}, ?, ?)`,
  )
  // Searches are not measured, and their index is slow to fill in the order of slugs.
  file.run('drop trigger link_search_begin')
  file.run('create temp table made (slug text not null, link_id integer not null)')
  const insertCreated = file.prepare('insert into made values (?, ?)')
  // The two tables refer to each other, so one transaction fills both.
  file.transaction(() => {
    for (let id = 1; id <= count; id++) {
      const url = targetOf(id)
      link.run(id, url, urlKey(url), slugOf(id), `\n${url}\nbench@example.com`)
      insertCreated.run(slugOf(id), id)
    }
    file.run(
      `insert into slug (slug, link_id, is_custom, created_at) select slug, link_id, 0, ${CREATED_AT} from made order by slug`,
    )
  })()
  file.run('pragma wal_checkpoint(truncate)')
  file.close()
}

export async function writeSample(path: string, count: number): Promise<void> {
  const step = Math.max(1, Math.floor(count / SAMPLED))
  const writer = Bun.file(path).writer()
  for (let id = 1; id <= count; id += step) void writer.write(`${slugOf(id)}\n`)
  await writer.end()
}
