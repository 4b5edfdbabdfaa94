import type { Database } from '@latchkey/database/database'
import type { Tables } from '../db/tables.ts'
import type { ImportFormat } from './formats.ts'
import type { Source } from './lines.ts'
import type { LegacyMode } from './legacy-paths.ts'
import type { ColumnMapping } from './mapping.ts'
import type { Policy } from './plan.ts'
import type { ImportReport, RowOutcome } from './report.ts'
import type { ImportDomains } from './row-domain.ts'

export interface ImportOptions {
  database: Database<Tables>
  source: Source
  format: ImportFormat
  /** Owner of the rows that name none. Its preferred slug length applies to all rows. */
  owner: string
  /** If false, `owner` owns all rows, including those that name another owner. */
  ownedByFile?: boolean
  /** Without domains, all rows belong to the default domain. */
  domains?: ImportDomains
  /**
   * Runs in a process that also redirects: on SQLite it pauses after each batch for as long as the
   * batch took.
   */
  isBackground?: boolean
  /** Stores nothing, but reports the results of a run. */
  dryRun?: boolean
  /** With `csv`: fields and the columns they are read from. */
  columnOf?: ColumnMapping
  policy?: Policy
  /** Without it, no code becomes a legacy path. */
  legacy?: LegacyMode
  /** Each tag becomes one bundle of `owner`, with the links of all rows that have it as members. */
  bundlesFromTags?: boolean
  /** Unix seconds. */
  now: number
  /** Called with every slug that is stored, except in a dry run. */
  onSlug?: (slug: string) => void
  /** Called with every row, in the order of the file, once its batch is stored. */
  onRow?: (outcome: RowOutcome) => void | Promise<void>
}

/** An import of the admin side, which a thread runs. */
export interface ImportJob extends Pick<
  ImportOptions,
  'format' | 'owner' | 'now' | 'columnOf' | 'policy' | 'legacy' | 'bundlesFromTags' | 'domains'
> {
  databaseUrl: string
  /** File descriptor, which stays open until the thread is closed. */
  fd: number
  dryRun: boolean
}

/** Rows that were stored together, as lines of JSON: `{"row": …}`. */
export interface ImportedBatch {
  lines: string
  rows: number
  /** Slugs that were stored. */
  slugs: string[]
  /** Line of the last row. */
  line: number
  /** Report on everything up to here. */
  report: ImportReport
  /** Number of bytes read from the file. */
  bytes: number
  /** Whether the file ends with these rows. */
  isLast: boolean
}

export type ImportRequest = { open: ImportJob } | 'next' | 'close'
/** A reply without a batch means the end of the file. */
export type ImportReply =
  | { batch: ImportedBatch | undefined }
  | { error: { message: string; isUnavailable: boolean } }
  | 'closed'
