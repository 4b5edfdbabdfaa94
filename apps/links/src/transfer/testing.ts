import { type Database, openDatabase } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { migrations } from '../db/migrations.ts'
import type { Tables } from '../db/tables.ts'
import { writeExport } from './export.ts'
import type { ImportFormat } from './formats.ts'
import { importLinks } from './import.ts'
import type { LegacyMode } from './legacy-paths.ts'
import type { Policy } from './plan.ts'
import type { ImportReport, RowOutcome } from './report.ts'
import type { ColumnMapping } from './mapping.ts'
import type { Source } from './lines.ts'
import type { ImportDomains } from './row-domain.ts'

export const NOW = 1_795_000_000
export const OWNER = 'ada@example.com'

export async function openMigrated(url: string): Promise<Database<Tables>> {
  const database = openDatabase<Tables>(url)
  await migrate(database, migrations)
  return database
}

/** Yields a file in chunks of this many bytes, which do not align with lines or characters. */
export async function* fileOf(text: string | Uint8Array, pieceBytes = 7): Source {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

export interface ImportResult extends ImportReport {
  rows: RowOutcome[]
}

export async function importText(
  database: Database<Tables>,
  text: string | Uint8Array,
  options: {
    format?: ImportFormat
    dryRun?: boolean
    owner?: string
    pieceBytes?: number
    columnOf?: ColumnMapping
    domains?: ImportDomains
    legacy?: LegacyMode
    policy?: Policy
  } = {},
): Promise<ImportResult> {
  const {
    format = 'csv',
    dryRun = false,
    owner = OWNER,
    pieceBytes,
    columnOf,
    domains,
    legacy,
    policy,
  } = options
  const rows: RowOutcome[] = []
  const source = fileOf(text, pieceBytes)
  const onRow = (row: RowOutcome) => void rows.push(row)
  const report = await importLinks({
    database,
    source,
    format,
    owner,
    dryRun,
    now: NOW,
    onRow,
    ...(columnOf && { columnOf }),
    ...(domains && { domains }),
    ...(legacy && { legacy }),
    ...(policy && { policy }),
  })
  return { ...report, rows }
}

export async function exportText(
  database: Database<Tables>,
  format: 'ndjson' | 'csv' = 'ndjson',
): Promise<string> {
  let text = ''
  for await (const piece of writeExport(database, format, NOW)) text += piece
  return text
}

/** The fields of a link that an import stores, without ids. */
export interface ExportedLink {
  url: string
  label: string | null
  created_at: number
  expires_at: number | null
  disabled_at: number | null
  created_by: string
  created_via: string | null
  slugs: {
    slug: string
    is_custom: number
    is_primary: number
    created_at: number
    disabled_at: number | null
  }[]
}

export async function readExportedLinks(database: Database<Tables>): Promise<ExportedLink[]> {
  const lines = (await exportText(database)).split('\n').filter((line) => line !== '')
  return lines.map((line) => {
    const link = JSON.parse(line) as ExportedLink & { id?: number; total_clicks?: number }
    delete link.id
    delete link.total_clicks
    const slugs = link.slugs.map(({ slug, is_custom, is_primary, created_at, disabled_at }) => ({
      slug,
      is_custom,
      is_primary,
      created_at,
      disabled_at,
    }))
    return { ...link, slugs }
  })
}

/** The slugs of a link by their role. */
export function rolesOf(link: ExportedLink | undefined) {
  const slugNames = (chosen: ExportedLink['slugs'] | undefined) => chosen?.map(({ slug }) => slug) ?? []
  return {
    auto: slugNames(link?.slugs.filter((slug) => slug.is_custom === 0)),
    custom: slugNames(link?.slugs.filter((slug) => slug.is_custom === 1)),
    primary: slugNames(link?.slugs.filter((slug) => slug.is_primary === 1)),
  }
}

/** Returns the error that the work throws. */
export async function failureOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'Nothing went wrong',
    (error: unknown) => String(error),
  )
}
