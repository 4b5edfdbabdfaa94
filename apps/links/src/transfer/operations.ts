import { Failure } from '@latchkey/http/failure'
import { z } from 'zod'
import { operation } from '../api/context.ts'
import type { Context } from '../api/context.ts'
import { requireDomain } from '../domains/find.ts'
import { DomainQuery } from '../domains/schema.ts'
import { failure } from '../api/failures.ts'
import { exportFormats, writeExport } from './export.ts'
import { importFormats } from './formats.ts'
import type { ImportJob } from './import-job.ts'
import { inspectFile } from './inspect.ts'
import { legacyModes } from './legacy-paths.ts'
import { MappingPairs, mappableFields, mappingOf } from './mapping.ts'
import { conflictPolicies, sameUrlPolicies, STRICT_POLICY } from './plan.ts'
import { CodedReason } from './reason.ts'
import type { ImportDomains } from './row-domain.ts'
import type { RunningImport } from './running-imports.ts'
import { type ImportReport, type RowOutcome, newReport, reasonFields } from './report.ts'
import { streamText } from '../api/stream.ts'
import { MAX_INSPECTED_BYTES, MAX_UPLOAD_BYTES } from './upload-limit.ts'

/**
 * Rows in a report that is one JSON object. Clients that want all rows of a longer file request
 * NDJSON.
 */
const MAX_ROWS = 1_000
const ROWS_PER_PROGRESS = 500

const Report = z.object({
  dry_run: z.boolean(),
  imported: z.int(),
  skipped: z.int(),
  conflicts: z.int(),
  bad: z.int(),
  bundles: z.int().meta({ description: 'Bundles created from tags.' }),
  legacy_paths: z.int().meta({ description: 'Imported rows whose code is a legacy path.' }),
  click_totals: z.int().nullable().meta({
    description:
      'Clicks that the file contains only as totals, which cannot be imported; null without such a column.',
  }),
  notes: z.record(z.string(), z.int()).meta({
    description: 'Imported rows that differ from the file, by the code of their note.',
  }),
  case_conflicts: z.int().meta({
    description: 'Short URLs of the file that differ from another one only in case.',
  }),
  first_case_conflicts: z
    .array(z.object({ line: z.int(), slug: z.string(), other_slug: z.string(), url: z.string() }))
    .meta({
      description: 'The first 1,000 of them: the visitors of `slug` land at `url`, as those of `other_slug`.',
    }),
})
type Report = z.output<typeof Report>

const Row = z.object({
  line: z.int(),
  result: z.enum(['imported', 'skipped', 'conflict', 'bad']),
  slug: z.string().optional().meta({ description: 'Off the default domain with its host.' }),
  legacy_path: z.string().optional().meta({
    description: 'The code of the row that its link answers exactly, as a legacy path.',
  }),
  url: z.string().optional(),
  reason: z.string().optional().meta({ description: 'The reasons in English.' }),
  reasons: z.array(CodedReason).optional(),
})

const FullReport = Report.extend({
  rows: z.array(Row).max(MAX_ROWS),
  rows_omitted: z.int().meta({ description: 'Rows that are counted but not listed.' }),
})

function toReport(
  { clickTotals, caseConflicts, legacyPaths, ...counts }: ImportReport,
  dryRun: boolean,
): Report {
  return {
    dry_run: dryRun,
    ...counts,
    legacy_paths: legacyPaths,
    click_totals: clickTotals,
    case_conflicts: caseConflicts.count,
    first_case_conflicts: caseConflicts.first,
  }
}

type Job = Omit<ImportJob, 'owner' | 'databaseUrl' | 'fd'>

/** Returns the whole report at the end of the import. */
async function readFullReport(running: RunningImport, job: Job): Promise<z.output<typeof FullReport>> {
  const rows: RowOutcome[] = []
  let [last, count] = [newReport(), 0]
  for await (const batch of running.batches(job)) {
    const rowLines = batch.lines.split('\n').slice(0, Math.min(batch.rows, MAX_ROWS - rows.length))
    rows.push(...rowLines.map((line) => (JSON.parse(line) as { row: RowOutcome }).row))
    last = batch.report
    count += batch.rows
  }
  return { ...toReport(last, job.dryRun), rows, rows_omitted: count - rows.length }
}

/**
 * Yields one JSON object per line: `row` for each row, `progress` at intervals, and `report` or
 * `error` at the end.
 */
async function* streamLines(context: Context, running: RunningImport, job: Job): AsyncGenerator<string> {
  let [last, count, reportedCount] = [newReport(), 0, 0]
  try {
    for await (const { lines: text, rows, report, bytes } of running.batches(job)) {
      yield text
      last = report
      count += rows
      if (count - reportedCount < ROWS_PER_PROGRESS) continue
      reportedCount = count
      yield `${JSON.stringify({ progress: { rows: count, bytes, of_bytes: running.size } })}\n`
    }
    yield `${JSON.stringify({ report: toReport(last, job.dryRun) })}\n`
  } catch (error) {
    const isFailure = error instanceof Failure
    if (!isFailure) context.reportError(error)
    const { code, message } = isFailure ? error : failure('internal')
    yield `${JSON.stringify({ error: message, code, report: toReport(last, job.dryRun) })}\n`
  }
}

const Flag = z
  .enum(['true', 'false'])
  .optional()
  .transform((value) => value === 'true')

const ImportQuery = z
  .object({
    format: z.enum(importFormats),
    dry_run: Flag,
    on_conflict: z.enum(conflictPolicies).default(STRICT_POLICY.onConflict),
    same_url: z.enum(sameUrlPolicies).default(STRICT_POLICY.sameUrl),
    legacy: z.enum(legacyModes).default('auto').meta({
      description:
        '`auto` keeps codes that cannot be slugs as legacy paths, and those with upper-case letters of programs that distinguish case; `exact` keeps the latter of every file; `off` none.',
    }),
    bundles_from_tags: Flag,
    domain: DomainQuery.meta({ description: 'The domain of rows that name none.', maxLength: 1_000 }),
    map: MappingPairs.optional(),
  })
  .refine(({ format, map }) => map === undefined || format === 'csv', {
    path: ['map'],
    error: 'requires the format csv',
  })

function domainsOf({ sites, origin }: Context): ImportDomains {
  return { hosts: sites.hosts, defaultHost: new URL(origin).hostname, target: null }
}

function toJob(context: Context, query: z.output<typeof ImportQuery>): Job {
  const { now } = context
  return {
    now,
    domains: {
      ...domainsOf(context),
      target: query.domain === undefined ? null : requireDomain(context, query.domain),
    },
    format: query.format,
    dryRun: query.dry_run,
    policy: { onConflict: query.on_conflict, sameUrl: query.same_url },
    legacy: query.legacy,
    bundlesFromTags: query.bundles_from_tags,
    ...(query.map && { columnOf: mappingOf(query.map) }),
  }
}

const importLinks = operation({
  id: 'importLinks',
  methods: ['POST'],
  path: '/import',
  scope: 'admin',
  tag: 'Import and export',
  summary: 'Import links from a file as your own',
  query: ImportQuery,
  upload: { limitBytes: MAX_UPLOAD_BYTES },
  lasting: true,
  result: FullReport,
  failures: ['import_stopped', 'import_running', 'imports_full', 'domain_not_found'],
  async handler(context, { query, upload = emptyUpload() }) {
    const job = toJob(context, query)
    const running = await context.startImport()
    try {
      await running.receive(upload)
      if (!context.acceptsNdjson) return await readFullReport(running, job)
    } catch (error) {
      await running.close()
      throw error
    }
    return streamText(streamLines(context, running, job), {
      onError: (error) => context.reportError(error),
      onCancel: () => running.close(),
    })
  },
  answer: (result) => ({
    body: result,
    headers: result instanceof ReadableStream ? LINES : {},
  }),
})

const LINES = { 'Content-Type': 'application/x-ndjson', 'X-Accel-Buffering': 'no' }

async function* emptyUpload(): AsyncGenerator<Uint8Array> {}

const inspectImport = operation({
  id: 'inspectImport',
  methods: ['POST'],
  path: '/import/inspect',
  scope: 'admin',
  tag: 'Import and export',
  summary: 'Recognise the format and the columns of a file by its beginning',
  upload: { limitBytes: MAX_INSPECTED_BYTES },
  result: z.object({
    format: z.enum(importFormats),
    columns: z
      .array(
        z.object({
          name: z.string(),
          samples: z.array(z.string()).meta({ description: 'The first values, shortened.' }),
          field: z.enum(mappableFields).nullable().meta({
            description: 'The field that the name suggests; null for an unknown name.',
          }),
        }),
      )
      .meta({ description: 'The columns that can be mapped; empty for JSON.' }),
    problem: Row.pick({ reason: true, reasons: true })
      .nullable()
      .meta({ description: 'Why no import can read the file.' }),
  }),
  async handler(context, { upload = emptyUpload() }) {
    const { problem, ...file } = await inspectFile(upload, domainsOf(context))
    return { ...file, problem: problem && reasonFields([problem]) }
  },
})

const contentTypes = { ndjson: 'application/x-ndjson', csv: 'text/csv; charset=utf-8' } as const

const exportLinks = operation({
  id: 'exportLinks',
  methods: ['GET'],
  path: '/export',
  scope: 'admin',
  tag: 'Import and export',
  summary: 'Export all links of the instance as a file, with raw click totals',
  query: z.object({ format: z.enum(exportFormats).default('ndjson') }),
  result: z.unknown(),
  media: { 'application/x-ndjson': 'A Link object a line', 'text/csv': 'The same as a table' },
  lasting: true,
  async handler(context, { query: { format } }) {
    await context.flushClicks()
    const chunks = writeExport(context.database.offThread, format, context.now)
    const day = new Date(context.now * 1000).toISOString().slice(0, 10)
    return {
      body: streamText(chunks, { onError: (error) => context.reportError(error) }),
      headers: {
        'Content-Type': contentTypes[format],
        'Content-Disposition': `attachment; filename="latchkey-links-${day}.${format}"`,
      },
    }
  },
  answer: (file) => file,
})

/** Imports and exports of links; admin side only (L17). */
export const transferOperations = [importLinks, inspectImport, exportLinks]
