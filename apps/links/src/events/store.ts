import { type Kysely, sql } from 'kysely'
import type { Tables } from '../db/tables.ts'
import type { Changes } from './changes.ts'

type Db = Kysely<Tables>

/** How far a reader has come on SQLite. */
export interface Mark {
  /** Of the file: differs after every commit of any other connection or process. */
  version: number
  change: number
  click: number
}

/** Changes and clicks read at once; after more of them everything counts as changed. */
const MOST_CHANGES = 1_000
const MOST_CLICKS = 5_000

/** Asked every second, so it must cost next to nothing while nobody writes. */
export async function findVersion(db: Db): Promise<number> {
  const { rows } = await sql<{ data_version: number }>`pragma data_version`.execute(db)
  return rows[0]?.data_version ?? 0
}

export async function findMark(db: Db): Promise<Mark> {
  const version = await findVersion(db)
  const { rows } = await sql<{ change: number | null; click: number | null }>`select
    (select max(seq) from change) as change, (select max(id) from click) as click`.execute(db)
  return { version, change: rows[0]?.change ?? 0, click: rows[0]?.click ?? 0 }
}

/** What is newer than the mark, which moves on. */
export async function changesSince(db: Db, mark: Mark): Promise<Partial<Changes>> {
  const { rows } = await sql<{ seq: number; link_id: number | null; bundle_id: number | null }>`
    select seq, link_id, bundle_id from change where seq > ${mark.change} order by seq limit ${MOST_CHANGES}`.execute(
    db,
  )
  const [first] = rows
  // Older ones make room for newer ones, whether they were read or not.
  const missed = first !== undefined && first.seq > mark.change + 1
  mark.change = rows.at(-1)?.seq ?? mark.change
  const clicked = await clickedSince(db, mark)
  const ids = (name: 'link_id' | 'bundle_id') => rows.flatMap((row) => row[name] ?? [])
  return {
    links: [...ids('link_id'), ...clicked.links],
    bundles: ids('bundle_id'),
    more: missed || rows.length === MOST_CHANGES || clicked.more,
  }
}

async function clickedSince(db: Db, mark: Mark): Promise<{ links: number[]; more: boolean }> {
  const { newest } = await db
    .selectFrom('click')
    .select((eb) => eb.fn.max<number | null>('id').as('newest'))
    .executeTakeFirstOrThrow()
  const after = mark.click
  if (newest === null || newest <= after) return { links: [], more: false }
  mark.click = newest
  if (newest - after > MOST_CLICKS) return { links: [], more: true }
  const rows = await db.selectFrom('click').select('link_id').distinct().where('id', '>', after).execute()
  return { links: rows.map((row) => row.link_id), more: false }
}
