import { NO_FILTERS } from '../clicks/filters.ts'
import type { Database } from '@latchkey/database/database'
import { escapeFormulas } from '@latchkey/http/csv'
import { stringify } from 'csv-stringify/sync'
import type { Tables } from '../db/tables.ts'
import { type StoredLink, readLinks } from '../links/read-model.ts'
import type { Behaviour } from '../links/behaviour/schema.ts'
import { listBehaviours } from '../links/behaviour/store.ts'
import { hasFurtherLinks } from '../domains/store.ts'
import { hasLegacyPaths } from '../links/legacy/store.ts'
import { listLinkIdsAfter } from './store.ts'

export const exportFormats = ['ndjson', 'csv'] as const
export type ExportFormat = (typeof exportFormats)[number]

const PAGE_SIZE = 500

const COLUMNS = ['url', 'slug', 'auto_slug', 'custom_slugs', 'disabled_slugs', 'label'].concat([
  'created_at',
  'expires_at',
  'disabled_at',
  'created_by',
  'behaviour',
])

/**
 * Exports all links, oldest id first, in chunks of text. NDJSON contains everything that an import
 * reads; CSV lacks the times at which slugs were created or disabled. `now` in Unix seconds.
 */
export async function* writeExport(
  database: Database<Tables>,
  format: ExportFormat,
  now: number,
): AsyncGenerator<string> {
  // Files of instances with one domain and without legacy paths keep their columns.
  const extra = format === 'csv' ? await findExtraColumns(database) : []
  if (format === 'csv') yield stringify([[...COLUMNS, ...extra]])
  for (let after = 0; ;) {
    const ids = await listLinkIdsAfter(database.read, after, PAGE_SIZE)
    const last = ids.at(-1)
    if (last === undefined) return
    after = last
    const links = await readLinks(database, ids, { now, filters: NO_FILTERS })
    const behaviours = await listBehaviours(database, ids)
    const exported = links.map((link) => ({ ...link, behaviour: behaviours.get(link.id) }))
    yield format === 'csv'
      ? stringify(exported.map((link) => cellsOf(link, extra)))
      : exported.map((link) => `${JSON.stringify(link)}\n`).join('')
  }
}

type ExtraColumn = 'domain' | 'legacy_paths'

async function findExtraColumns({ read }: Database<Tables>): Promise<ExtraColumn[]> {
  return [
    ...((await hasFurtherLinks(read)) ? (['domain'] as const) : []),
    ...((await hasLegacyPaths(read)) ? (['legacy_paths'] as const) : []),
  ]
}

interface ExportedLink extends StoredLink {
  behaviour: Behaviour | undefined
}

function joinSlugs(slugs: StoredLink['slugs']): string {
  return slugs.map(({ slug }) => slug).join(' ')
}

function cellsOf(link: ExportedLink, extra: readonly ExtraColumn[]): string[] {
  const cells = [
    link.url,
    joinSlugs(link.slugs.filter((slug) => slug.is_primary)),
    joinSlugs(link.slugs.filter((slug) => !slug.is_custom)),
    joinSlugs(link.slugs.filter((slug) => slug.is_custom)),
    joinSlugs(link.slugs.filter((slug) => slug.disabled_at !== null)),
    link.label,
    link.created_at,
    link.expires_at,
    link.disabled_at,
    link.created_by,
    link.behaviour && JSON.stringify(link.behaviour),
    ...extra.map((column) =>
      column === 'domain' ? link.domain : link.legacy_paths && JSON.stringify(link.legacy_paths),
    ),
  ]
  return cells.map((cell) => escapeFormulas(String(cell ?? '')))
}
