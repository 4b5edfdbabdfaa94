import { hourOf } from '../../analytics/window.ts'
import { invalidateSums } from '../../clicks/changed-hours.ts'
import { searchText } from '../../links/store.ts'
import { urlKey } from '../../links/target-url.ts'
import type { Source } from '../lines.ts'
import { type Bulk, openBulk } from './bulk.ts'
import { type Batch, UnusableFile, type Value, readInstance } from './reader.ts'
import { type InstanceTable, type LastIds, instanceTableNames, numberedTables } from './tables.ts'

export type InstanceCounts = Record<InstanceTable, number>

interface InstanceImport {
  /** Migrated, and empty: no links, bundles, keys or clicks. */
  databaseUrl: string
  source: Source
  /** Only reads and checks the file. */
  dryRun: boolean
  /** Unix seconds. */
  now: number
  /** Told after every batch. */
  onRows?: (rows: number, of: number) => void
  /** Told of work that cannot be counted. */
  onWork?: (what: string) => void
}

export class InstanceNotEmpty extends Error {
  override readonly name = 'InstanceNotEmpty'

  constructor(table: string) {
    super(`The instance is not empty, it has rows of ${table}: everything is imported into an empty one only`)
  }
}

/**
 * Imports a file of `exportInstance` into an empty instance of either engine, all or nothing: what is interrupted has
 * changed nothing and is run again. Throws `UnusableFile`, `InstanceNotEmpty` and, on SQLite, `DatabaseInUse`.
 */
export async function importInstance(options: InstanceImport): Promise<InstanceCounts> {
  if (options.dryRun) return (await readAll(options, async () => {})).counts
  const bulk = await openBulk(options.databaseUrl)
  try {
    await requireEmpty(bulk)
    const rebuild = await prepare(bulk)
    const { counts, lastIds } = await readAll(options, (batch) => bulk.insert(...completed(batch)))
    options.onWork?.('building indexes and sums')
    await rebuild()
    await makeSums(bulk, options.now)
    await keepIds(bulk, lastIds)
    await bulk.commit()
    return counts
  } catch (error) {
    throw explained(error)
  } finally {
    await bulk.close()
  }
}

/** Hands the file on batch by batch. */
async function readAll(
  { source, onRows }: InstanceImport,
  use: (batch: Batch) => Promise<void>,
): Promise<{ counts: InstanceCounts; lastIds: LastIds }> {
  const counts = Object.fromEntries(instanceTableNames.map((table) => [table, 0])) as InstanceCounts
  const batches = readInstance(source)
  let rows = 0
  for (;;) {
    const { done, value } = await batches.next()
    if (done) return { counts, lastIds: value }
    await use(value)
    counts[value.table] += value.rows.length
    rows += value.rows.length
    onRows?.(rows, value.of)
  }
}

/** What an instance may have when it was started once: secrets of its own, which the file's take the place of. */
const REPLACED = ['instance', 'preference', 'journal_cursor'] as const

async function requireEmpty(bulk: Bulk): Promise<void> {
  for (const table of instanceTableNames) {
    const isReplaced = REPLACED.some((each) => each === table)
    if (isReplaced) await bulk.run(`delete from ${table}`)
    else if ((await bulk.column(`select 1 from ${table} limit 1`)).length > 0)
      throw new InstanceNotEmpty(table)
  }
}

/**
 * Takes away what costs more row by row than at the end; returns what puts it back. On PostgreSQL also the announcements of
 * every row, which nobody hears: no node works on this instance yet.
 */
async function prepare(bulk: Bulk): Promise<() => Promise<void>> {
  const isSqlite = bulk.dialect === 'sqlite'
  const definitions = await bulk.column(
    isSqlite
      ? `select sql from sqlite_master where type = 'index' and tbl_name = 'click' and sql is not null`
      : `select pg_get_indexdef(indexrelid) from pg_index where indrelid = 'click'::regclass and not indisprimary`,
  )
  const names = await bulk.column(
    isSqlite
      ? `select name from sqlite_master where type = 'index' and tbl_name = 'click' and sql is not null`
      : `select indexrelid::regclass::text from pg_index where indrelid = 'click'::regclass and not indisprimary`,
  )
  const announcing = isSqlite
    ? []
    : await bulk.column(`select format('alter table %s %%s trigger %I', tgrelid::regclass, tgname) from pg_trigger
        join pg_proc on pg_proc.oid = tgfoid join pg_class on pg_class.oid = tgrelid
        where proname like 'announce%' and relnamespace = current_schema()::regnamespace and not tgisinternal`)
  const triggers = (how: 'disable' | 'enable') =>
    bulk.run(...announcing.map((statement) => String(statement).replace('%s', how)))
  await bulk.run(...names.map((name) => `drop index ${String(name)}`))
  await triggers('disable')
  return async () => {
    await bulk.run(...definitions.map(String))
    // PostgreSQL checks them at the commit, but changes no table whose checks are outstanding.
    if (!isSqlite) await bulk.run('set constraints all immediate')
    await triggers('enable')
  }
}

/** The batch with the columns that only this program needs. */
function completed({ table, columns, rows }: Batch): [InstanceTable, readonly string[], Value[][]] {
  if (table !== 'link') return [table, columns, rows]
  const at = (name: string) => columns.indexOf(name)
  const [url, label, owner] = [at('url'), at('label'), at('created_by')]
  const full = rows.map((row) => {
    const link = { url: String(row[url]), label: asText(row[label]), created_by: String(row[owner]) }
    return [...row, urlKey(link.url), searchText(link)]
  })
  return [table, [...columns, 'url_key', 'search_text'], full]
}

function asText(value: Value | undefined): string | null {
  return value === null || value === undefined ? null : String(value)
}

const SUMS = ['clicks', 'bots', 'self_referrers', 'bot_self_referrers'] as const
const ADDED = SUMS.map((sum) => `sum(${sum}) as ${sum}`).join(', ')
/** Of clicks that are kept, and of those whose sums by hour alone are left: every click has one link mode. */
const HOURS = `select link_id, slug, hour, ${ADDED} from (
    select link_id, slug, clicked_at - clicked_at % 3600 as hour, count(*) as clicks, sum(is_bot) as bots,
      sum(is_self_referrer) as self_referrers, sum(is_bot * is_self_referrer) as bot_self_referrers
    from click group by 1, 2, 3
    union all select link_id, slug, hour, ${SUMS.join(', ')} from click_forgotten where dimension = 'link_mode'
  ) as counted group by link_id, slug, hour`

/** Sums by hour and slug; those by period are due and made by the service in the background. */
async function makeSums(bulk: Bulk, now: number): Promise<void> {
  const columns = `link_id, slug, hour, ${SUMS.join(', ')}`
  await bulk.run(
    `insert into click_hour_closed (${columns}) ${HOURS}`,
    `insert into click_hour_open (${columns}) select ${columns} from click_hour_closed where hour >= ${hourOf(now)}`,
    `delete from click_hour_closed where hour >= ${hourOf(now)}`,
    `update slug set ${SUMS.map((sum) => `closed_${sum} = total.${sum}`).join(', ')}
      from (select link_id, slug, ${ADDED} from click_hour_closed group by link_id, slug) as total
      where slug.slug = total.slug and slug.link_id = total.link_id`,
    // Every link of these periods is without sums as yet.
    ...invalidateSums(bulk.dialect, 'select distinct 0 as link_id, hour from click_hour_closed'),
  )
}

/** The next ids are those that the other instance would have given next. */
async function keepIds(bulk: Bulk, lastIds: LastIds): Promise<void> {
  for (const table of numberedTables) {
    const last = `greatest(${lastIds[table]}, (select coalesce(max(id), 0) from ${table}))`
    if (bulk.dialect === 'postgres')
      await bulk.run(`select setval(pg_get_serial_sequence('${table}', 'id'), last) from (select ${last}) as given (last)
        where last > 0`)
    else
      await bulk.run(
        `delete from sqlite_sequence where name = '${table}'`,
        `insert into sqlite_sequence (name, seq) values ('${table}', ${last.replace('greatest', 'max')})`,
      )
  }
}

/** What the engine says about a value that the file may not have. */
function explained(error: unknown): unknown {
  const code = String((error as { code?: unknown }).code)
  // SQLSTATE classes 22 and 23: data that cannot be, or breaks a constraint.
  if (!/^SQLITE_(CONSTRAINT|MISMATCH|RANGE)|^2[23]...$/.test(code)) return error
  return new UnusableFile(`The file is refused by the database: ${(error as Error).message}`)
}
