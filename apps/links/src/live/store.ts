import { type Kysely, sql } from 'kysely'
import type { Tables } from '../db/tables.ts'
import type { Changes } from './changes.ts'

type Db = Kysely<Tables>

/** The position of a reader on SQLite. */
export interface ChangePosition {
  /** The version of the file, which differs after each commit of another connection or process. */
  version: number
  change: number
  click: number
}

/** Changes and clicks per read. If there are more, everything counts as changed. */
const MAX_CHANGES = 1_000
const MAX_CLICKS = 5_000

/** Read every second, so it must cost next to nothing without writes. */
export async function findVersion(db: Db): Promise<number> {
  const { rows } = await sql<{ data_version: number }>`pragma data_version`.execute(db)
  return rows[0]?.data_version ?? 0
}

export async function findChangePosition(db: Db): Promise<ChangePosition> {
  const version = await findVersion(db)
  const { rows } = await sql<{ change: number | null; click: number | null }>`select
    (select max(seq) from change) as change, (select max(id) from click) as click`.execute(db)
  return { version, change: rows[0]?.change ?? 0, click: rows[0]?.click ?? 0 }
}

/** The changes since this position, which advances. */
export async function readChangesSince(db: Db, position: ChangePosition): Promise<Partial<Changes>> {
  const { rows } = await sql<{ seq: number; link_id: number | null; bundle_id: number | null }>`
    select seq, link_id, bundle_id from change where seq > ${position.change} order by seq limit ${MAX_CHANGES}`.execute(
    db,
  )
  const [first] = rows
  // Older changes are deleted to limit the table, whether they were read or not.
  const hasMissed = first !== undefined && first.seq > position.change + 1
  position.change = rows.at(-1)?.seq ?? position.change
  const clickedLinks = await readClickedLinksSince(db, position)
  const ids = (name: 'link_id' | 'bundle_id') => rows.flatMap((row) => row[name] ?? [])
  return {
    links: [...ids('link_id'), ...clickedLinks.links],
    bundles: ids('bundle_id'),
    more: hasMissed || rows.length === MAX_CHANGES || clickedLinks.more,
  }
}

async function readClickedLinksSince(
  db: Db,
  position: ChangePosition,
): Promise<{ links: number[]; more: boolean }> {
  const { newest } = await db
    .selectFrom('click')
    .select((eb) => eb.fn.max<number | null>('id').as('newest'))
    .executeTakeFirstOrThrow()
  const after = position.click
  if (newest === null || newest <= after) return { links: [], more: false }
  position.click = newest
  if (newest - after > MAX_CLICKS) return { links: [], more: true }
  const rows = await db.selectFrom('click').select('link_id').distinct().where('id', '>', after).execute()
  return { links: rows.map((row) => row.link_id), more: false }
}
