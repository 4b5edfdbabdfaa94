import type { Bulk, Rows } from '@latchkey/database/archive/bulk-types'
import type { Value } from '@latchkey/database/archive/reader'
import { type RestoreOptions, restoreArchive } from '@latchkey/database/archive/restore'
import { hourOf } from '../../time/window.ts'
import { invalidateRollups } from '../../clicks/changed-hours.ts'
import { foldForSearch, searchText } from '../../links/search.ts'
import { urlColumns } from '../../urls/destination-url.ts'
import { type InstanceTable, instanceFormat } from './tables.ts'

type InstanceImportOptions = Pick<
  RestoreOptions<InstanceTable>,
  'databaseUrl' | 'source' | 'dryRun' | 'onRows'
> & {
  /** Unix seconds. */
  now: number
  /** Called with the name of work that has no countable progress. */
  onStep?: (step: string) => void
}

/**
 * Imports a file of `exportInstance` into an empty instance on SQLite or PostgreSQL, as
 * `restoreArchive` does.
 */
export function importInstance({
  now,
  onStep,
  ...options
}: InstanceImportOptions): Promise<Record<InstanceTable, number>> {
  return restoreArchive({
    ...options,
    format: instanceFormat,
    // Secrets above all: a service creates its own when it first starts.
    replaced: ['instance', 'preference', 'journal_cursor'],
    complete: addDerivedColumns,
    async begin(bulk) {
      const rebuild = await dropIndexes(bulk)
      return async () => {
        onStep?.('building indexes and rollups')
        await rebuild()
        await buildRollups(bulk, now)
      }
    },
  })
}

/**
 * Drops the indexes of clicks and words, which are cheaper to build at the end, and returns a
 * function that restores them. On PostgreSQL it also disables the notifications of every row: no
 * node runs on this instance yet.
 */
async function dropIndexes(bulk: Bulk): Promise<() => Promise<void>> {
  const isSqlite = bulk.dialect === 'sqlite'
  const rows = isSqlite
    ? `sqlite_master where sql is not null
        and (type = 'index' and tbl_name = 'click' or type = 'trigger' and tbl_name = 'link_search')`
    : `pg_index where indrelid in ('click'::regclass, 'link_search'::regclass) and not indisprimary`
  const definitions = await bulk.column(
    isSqlite ? `select sql from ${rows}` : `select pg_get_indexdef(indexrelid) from ${rows}`,
  )
  const drops = await bulk.column(
    isSqlite
      ? `select 'drop ' || type || ' ' || name from ${rows}`
      : `select 'drop index ' || indexrelid::regclass from ${rows}`,
  )
  const triggerStatements = isSqlite
    ? []
    : await bulk.column(`select format('alter table %s %%s trigger %I', tgrelid::regclass, tgname) from pg_trigger
        join pg_proc on pg_proc.oid = tgfoid join pg_class on pg_class.oid = tgrelid
        where proname like 'announce%' and relnamespace = current_schema()::regnamespace and not tgisinternal`)
  const triggers = (action: 'disable' | 'enable') =>
    bulk.run(...triggerStatements.map((statement) => String(statement).replace('%s', action)))
  await bulk.run(...drops.map(String))
  await triggers('disable')
  return async () => {
    await bulk.run(...definitions.map(String))
    if (isSqlite) await bulk.run(`insert into link_trigram (link_trigram) values ('rebuild')`)
    // PostgreSQL checks constraints at the commit, but alters no table with pending checks.
    if (!isSqlite) await bulk.run('set constraints all immediate')
    await triggers('enable')
  }
}

/** Adds the search columns to links and bundles. */
function addDerivedColumns(batch: Rows): Rows {
  const at = (name: string) => batch.columns.indexOf(name)
  if (batch.table === 'bundle') {
    const name = at('name')
    return addColumns(batch, { search_text: 'text' }, (row) => [foldForSearch(String(row[name]))])
  }
  if (batch.table !== 'link') return batch
  const [url, label, owner] = [at('url'), at('label'), at('created_by')]
  return addColumns(batch, { url_key: 'int', host: 'text', search_text: 'text' }, (row) => {
    const link = { url: String(row[url]), label: asText(row[label]), created_by: String(row[owner]) }
    const { url_key, host } = urlColumns(link.url)
    return [url_key, host, searchText(link)]
  })
}

function addColumns(
  batch: Rows,
  columns: Readonly<Record<string, 'int' | 'text'>>,
  valuesOf: (row: Rows['rows'][number]) => Value[],
): Rows {
  return {
    table: batch.table,
    columns: [...batch.columns, ...Object.keys(columns)],
    types: [...batch.types, ...Object.values(columns)],
    rows: batch.rows.map((row) => [...row, ...valuesOf(row)]),
  }
}

function asText(value: Value | undefined): string | null {
  return value === null || value === undefined ? null : String(value)
}

const COUNT_COLUMNS = ['clicks', 'bots', 'self_referrers', 'bot_self_referrers'] as const
const SUMMED_COLUMNS = COUNT_COLUMNS.map((sum) => `sum(${sum}) as ${sum}`).join(', ')
/**
 * Counts raw clicks, and those that remain only as hourly rollups: every click has one link mode.
 */
const SELECT_HOURS = `select link_id, slug, hour, ${SUMMED_COLUMNS} from (
    select link_id, slug, clicked_at - clicked_at % 3600 as hour, count(*) as clicks, sum(is_bot) as bots,
      sum(is_self_referrer) as self_referrers, sum(is_bot * is_self_referrer) as bot_self_referrers
    from click group by 1, 2, 3
    union all select link_id, slug, hour, ${COUNT_COLUMNS.join(', ')} from click_forgotten where dimension = 'link_mode'
  ) as counted group by link_id, slug, hour`

/**
 * Builds the rollups by hour and slug. Those by period are marked as due, and the service builds
 * them in the background.
 */
async function buildRollups(bulk: Bulk, now: number): Promise<void> {
  const columns = `link_id, slug, hour, ${COUNT_COLUMNS.join(', ')}`
  await bulk.run(
    `insert into click_hour_closed (${columns}) ${SELECT_HOURS}`,
    `insert into click_hour_open (${columns}) select ${columns} from click_hour_closed where hour >= ${hourOf(now)}`,
    `delete from click_hour_closed where hour >= ${hourOf(now)}`,
    `update slug set ${COUNT_COLUMNS.map((sum) => `closed_${sum} = total.${sum}`).join(', ')}
      from (select link_id, slug, ${SUMMED_COLUMNS} from click_hour_closed group by link_id, slug) as total
      where slug.slug = total.slug and slug.link_id = total.link_id`,
    `update link_clicks set last_hour = closed.hour
      from (select link_id, max(hour) as hour from click_hour_closed group by link_id) as closed
      where link_clicks.link_id = closed.link_id`,
    // No link has rollups of these periods yet.
    ...invalidateRollups(bulk.dialect, 'select distinct 0 as link_id, hour from click_hour_closed'),
  )
}
