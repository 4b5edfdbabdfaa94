import { isStorageUnavailable } from '@latchkey/database/errors'
import { z } from 'zod'
import { type Context, operation } from '../context.ts'
import { failure } from '../failures.ts'
import { exportFormats, exportLinks } from './export.ts'
import { type ImportFormat, importFormats } from './formats.ts'
import { type ImportReport, type RowOutcome, importRows, newReport } from './import.ts'
import { streamText } from './stream.ts'
import { type Upload, keepUpload } from './upload.ts'

const UPLOAD_LIMIT_BYTES = 32 * 1024 ** 2
/** Rows that a report in one piece names; who wants all of a longer file asks for lines. */
const MOST_ROWS = 1_000
const ROWS_A_LINE_OF_PROGRESS = 500

const Report = z.object({
  dry_run: z.boolean(),
  imported: z.int(),
  skipped: z.int(),
  conflicts: z.int(),
  bad: z.int(),
  click_totals: z.int().nullable().meta({
    description:
      'Clicks that the file gives only as sums, which cannot be imported; null without such a column.',
  }),
})
type Report = z.output<typeof Report>

const Row = z.object({
  line: z.int(),
  result: z.enum(['imported', 'skipped', 'conflict', 'bad']),
  slug: z.string().optional(),
  url: z.string().optional(),
  reason: z.string().optional(),
})

const WholeReport = Report.extend({
  rows: z.array(Row).max(MOST_ROWS),
  rows_omitted: z.int().meta({ description: 'Rows that are counted, but not named.' }),
})

interface Job {
  format: ImportFormat
  dryRun: boolean
}

function wired({ clickTotals, bundles: _, ...counts }: ImportReport, dryRun: boolean): Report {
  return { dry_run: dryRun, ...counts, click_totals: clickTotals }
}

/**
 * Rows as they are stored, with the report so far. Links belong to whoever imports them: on the admin side nobody makes
 * links in another's name, whatever a file says.
 */
async function* runImport(
  { database, identity, now, lengthUse }: Context,
  { format, dryRun }: Job,
  upload: Upload,
): AsyncGenerator<{ row: RowOutcome; report: ImportReport }> {
  const report = newReport()
  let line = 0
  try {
    const options = {
      // Long work, which may wait for its turn.
      database: database.patient,
      source: upload.source,
      format,
      owner: identity,
      ownedByFile: false,
      besideOthers: true,
      lengthUse,
      dryRun,
      now,
    }
    for await (const row of importRows(options, report)) {
      line = row.line
      yield { row, report }
    }
  } catch (error) {
    if (dryRun || !isStorageUnavailable(error)) throw error
    throw failure('import_stopped', stoppedAfter(line, report.imported))
  } finally {
    await upload.close()
  }
}

function stoppedAfter(line: number, imported: number): string {
  return imported === 0
    ? 'The database cannot be used at the moment; nothing was imported. Try again later.'
    : `The database cannot be used any more; the ${imported} links up to line ${line} are stored. Import the file again later: what is there already is skipped.`
}

/** Everything in one answer, when it is done. */
async function wholeReport(
  context: Context,
  job: Job,
  upload: Upload,
): Promise<z.output<typeof WholeReport>> {
  const rows: RowOutcome[] = []
  let [last, count] = [newReport(), 0]
  for await (const { row, report } of runImport(context, job, upload)) {
    if (++count <= MOST_ROWS) rows.push(row)
    last = report
  }
  return { ...wired(last, job.dryRun), rows, rows_omitted: count - rows.length }
}

/** One JSON object a line: `row` for each row, `progress` now and then, `report` at the end or `error` instead. */
async function* lines(context: Context, job: Job, upload: Upload): AsyncGenerator<string> {
  let [last, count] = [newReport(), 0]
  let text = ''
  try {
    for await (const { row, report } of runImport(context, job, upload)) {
      last = report
      text += `${JSON.stringify({ row })}\n`
      if (++count % ROWS_A_LINE_OF_PROGRESS > 0) continue
      const progress = { rows: count, bytes: upload.source.bytesRead, of_bytes: upload.bytes }
      yield `${text}${JSON.stringify({ progress })}\n`
      text = ''
    }
    yield `${text}${JSON.stringify({ report: wired(last, job.dryRun) })}\n`
  } catch (error) {
    const known = (error as { code?: unknown }).code === 'import_stopped'
    if (!known) context.complain(error)
    const message = known ? (error as Error).message : 'Internal Server Error'
    yield `${text}${JSON.stringify({ error: message, report: wired(last, job.dryRun) })}\n`
  }
}

const importing = operation({
  id: 'importLinks',
  methods: ['POST'],
  path: '/import',
  scope: 'admin',
  tag: 'Import and export',
  summary: 'Import links from a file; each becomes yours',
  query: z.object({
    format: z.enum(importFormats),
    dry_run: z
      .enum(['true', 'false'])
      .optional()
      .transform((value) => value === 'true'),
  }),
  upload: { limitBytes: UPLOAD_LIMIT_BYTES },
  lasting: true,
  result: WholeReport,
  failures: ['import_stopped'],
  async handler(context, { query, upload: pieces = noPieces() }) {
    const job = { format: query.format, dryRun: query.dry_run }
    const upload = await keepUpload(pieces)
    if (!context.acceptsLines) return wholeReport(context, job, upload)
    return streamText(lines(context, job, upload), {
      failed: (error) => context.complain(error),
      ended: () => upload.close(),
    })
  },
  answer: (result) => ({
    body: result,
    headers: result instanceof ReadableStream ? LINES : {},
  }),
})

const LINES = { 'Content-Type': 'application/x-ndjson', 'X-Accel-Buffering': 'no' }

async function* noPieces(): AsyncGenerator<Uint8Array> {}

const contentTypes = { ndjson: 'application/x-ndjson', csv: 'text/csv; charset=utf-8' } as const

const exporting = operation({
  id: 'exportLinks',
  methods: ['GET'],
  path: '/export',
  scope: 'admin',
  tag: 'Import and export',
  summary: 'All links of the instance as a file, with raw click totals',
  query: z.object({ format: z.enum(exportFormats).default('ndjson') }),
  result: z.unknown(),
  media: { 'application/x-ndjson': 'A Link object a line', 'text/csv': 'The same as a table' },
  lasting: true,
  async handler(context, { query: { format } }) {
    await context.settleClicks()
    const pieces = exportLinks(context.database, format, context.now)
    const day = new Date(context.now * 1000).toISOString().slice(0, 10)
    return {
      body: streamText(pieces, { failed: (error) => context.complain(error) }),
      headers: {
        'Content-Type': contentTypes[format],
        'Content-Disposition': `attachment; filename="latchkey-links-${day}.${format}"`,
      },
    }
  },
  answer: (file) => file,
})

/** Links in and out of the instance; admin side only (L17). */
export const transferOperations = [importing, exporting]
