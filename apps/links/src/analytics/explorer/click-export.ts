import { inList } from '@latchkey/database/database'
import { csvHeader, csvRecord } from '@latchkey/http/csv'
import { sql } from 'kysely'
import type { Db } from '../../db/tables.ts'
import type { ViewerFilters } from '../../clicks/filters.ts'
import { type BlockColumn, type BlockValue, viewerConditions } from '../../rollups/index.ts'
import { hasLegacyPaths } from '../../links/legacy/store.ts'
import type { Window } from '../../time/window.ts'
import { type ClickFilter, conditionsOf, findLinkCondition } from './filtered-source.ts'

const ROWS_PER_BATCH = 2_000

/** The columns of the file. No column identifies a visitor. */
const COLUMNS = [
  'clicked_at',
  'link_id',
  'slug',
  'country',
  'channel',
  'referrer',
  'device_type',
  'os',
  'browser',
  'link_mode',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'variant',
  'is_bot',
  'is_self_referrer',
] as const
type Column = (typeof COLUMNS)[number] | 'legacy_path'
type Row = Record<BlockColumn, BlockValue> & {
  id: number
  clicked_at: number
  link_id: number
  slug: string
  legacy_path: string | null
}

/**
 * Yields the raw clicks of a window that pass the filter as CSV, oldest first, in chunks. Each batch
 * is read for itself: a slow reader holds no snapshot.
 */
export async function* exportClicks(
  db: Db,
  filter: ClickFilter,
  { window, filters }: { window: Window; filters: ViewerFilters },
): AsyncGenerator<string> {
  // Files of instances without legacy paths keep their columns.
  const columns: Column[] = (await hasLegacyPaths(db.read)) ? [...COLUMNS, 'legacy_path'] : [...COLUMNS]
  yield csvHeader(columns)
  const conditions = Object.entries({ ...viewerConditions(filters), ...conditionsOf(filter) })
  const passesLink = (await findLinkCondition(db, filter)) ?? (() => true)
  const { slugs } = filter
  const passes = (row: Row) =>
    passesLink(row.link_id) &&
    (!slugs || slugs.includes(row.slug)) &&
    conditions.every(([column, isWanted]) => isWanted(row[column as BlockColumn]))
  let after = { clicked_at: window.from, id: 0 }
  for (;;) {
    const rows = await readBatch(db, filter, after, window.to)
    const text = rows.filter(passes).map((row) => csvRecord(columns.map((column) => cellOf(row, column))))
    if (text.length > 0) yield text.join('')
    const last = rows.at(-1)
    if (rows.length < ROWS_PER_BATCH || !last) return
    after = last
  }
}

async function readBatch(
  { read, dialect }: Db,
  { linkIds }: ClickFilter,
  after: { clicked_at: number; id: number },
  to: number,
): Promise<Row[]> {
  const ofLinks = linkIds ? inList(dialect, 'link_id', linkIds) : sql`1 = 1`
  const { rows } = await sql<Row>`select * from click
    where (clicked_at, id) > (${after.clicked_at}, ${after.id}) and clicked_at <= ${to} and ${ofLinks}
    order by clicked_at, id limit ${sql.lit(ROWS_PER_BATCH)}`.execute(read)
  return rows
}

function cellOf(row: Row, column: Column): string | number | null {
  return column === 'clicked_at' ? new Date(row.clicked_at * 1000).toISOString() : row[column]
}
