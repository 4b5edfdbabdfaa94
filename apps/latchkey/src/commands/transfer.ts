import { createReadStream } from 'node:fs'
import { parseArgs } from 'node:util'
import { importClicks } from '@latchkey/links/transfer/clicks'
import { exportFormats, writeExport } from '@latchkey/links/transfer/export'
import { importFormats } from '@latchkey/links/transfer/formats'
import { legacyModes } from '@latchkey/links/transfer/legacy-paths'
import { type ColumnMapping, MappingPairs, mappableFields, mappingOf } from '@latchkey/links/transfer/mapping'
import { importLinks } from '@latchkey/links/transfer/import'
import type { ImportOptions } from '@latchkey/links/transfer/import-job'
import type { ImportReport, RowOutcome } from '@latchkey/links/transfer/report'
import type { ImportDomains } from '@latchkey/links/transfer/row-domain'
import { conflictPolicies, sameUrlPolicies } from '@latchkey/links/transfer/plan'
import {
  type Command,
  UsageError,
  requireAll,
  requireChoice,
  requireIdentity,
  requirePositionals,
  requireStdout,
} from '../command.ts'
import { printError, plain, pipe } from '../output.ts'
import { Progress } from '../progress.ts'
import { JsonLinesFile } from '../json-lines-file.ts'
import { parseDomain } from '../domain-option.ts'
import { currentSettings, nowSeconds, requireLinks, withDatabase } from '../environment.ts'
import type { Settings } from '@latchkey/links/settings/settings'
import { exportArchive, importArchive } from './instance-archive.ts'

/** `fail` checks the whole file before it stores anything. */
const onConflict = [...conflictPolicies, 'fail'] as const

const importCommand: Command = {
  words: ['links', 'import'],
  services: ['links'],
  synopsis: 'FILE (--format F --owner E | --everything) [--dry-run] [options]',
  summary: 'Import links from a file (- reads stdin)',
  details: `Formats: ${importFormats.join(', ')}. ndjson holds Link objects, csv a
table; the others are CSV files or JSON responses of the named program. docs/moving-in has a page for each.
E owns the imported links, unless a row names its own owner (csv, shrtnr, ndjson).
Valid rows are imported. Every other row is reported with its line and reason, and the exit code is 1.
Rows that already exist are skipped, so you can import the same file again.
--dry-run            previews the import and stores nothing
--on-conflict P      for a row whose slug has another destination: report (the default), skip, rename (to promo-2),
                     overwrite (the existing link, if it has the same owner), or fail (nothing is stored unless all
                     rows are valid)
--same-url P         for a row with a free slug whose owner has a link to the same URL: keep (the default) or skip
--map FIELD=COLUMN,… with csv: reads fields from columns with other names (FIELD= from none); the fields are
                     ${mappableFields.join(', ')}
--domain HOST        the domain of rows that name none: one of LINKS_DOMAINS
--legacy M           auto (the default) keeps codes that cannot be slugs exactly, as legacy paths, and those with
                     upper-case letters of programs that distinguish case; exact keeps the latter of every file;
                     off keeps none
--bundles-from-tags  creates a bundle for each tag, or adds to E's bundle of that name
--report FILE        writes one JSON line per row, then a line with the totals; never overwrites a file with content
--everything         imports the file of links export --everything into an empty instance, all or nothing;
                     stop all nodes of the service first; none can start during the import`,
  async run(args) {
    const { values, positionals } = parseArgs({ args, options: IMPORT_OPTIONS, allowPositionals: true })
    const [path = ''] = requirePositionals(positionals, ['FILE'])
    const { everything, ...others } = values
    if (everything) return importInstance(path, others)
    const settings = currentSettings()
    const { options, isStrict, reportPath } = readImportOptions(path, others, settings)
    const report = reportPath === undefined ? undefined : new JsonLinesFile(reportPath)
    return withDatabase(settings, async (database) => {
      const onRow = (row: RowOutcome) => {
        printRowError(row)
        return report?.write(row)
      }
      // A dry run first: a refused import has nothing to undo.
      const tried = isStrict
        ? await runImport({ database, ...options, dryRun: true, path }, onRow)
        : undefined
      const isRefused = tried !== undefined && tried.conflicts + tried.bad > 0
      const done =
        isRefused || (tried && options.dryRun)
          ? tried
          : await runImport({ database, ...options, path }, tried ? () => undefined : onRow)
      await report?.write({ report: { dry_run: options.dryRun, ...wireReport(done, isRefused) } })
      await report?.close()
      printError(summaryOf(done, { isRefused, isDry: options.dryRun }))
      return done.conflicts + done.bad === 0 ? 0 : 1
    })
  },
}

const IMPORT_OPTIONS = {
  everything: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  format: { type: 'string' },
  owner: { type: 'string' },
  'on-conflict': { type: 'string' },
  'same-url': { type: 'string' },
  map: { type: 'string' },
  domain: { type: 'string' },
  legacy: { type: 'string' },
  'bundles-from-tags': { type: 'boolean' },
  report: { type: 'string' },
} as const

type ImportValues = Omit<
  ReturnType<typeof parseArgs<{ options: typeof IMPORT_OPTIONS }>>['values'],
  'everything'
>

function importInstance(
  path: string,
  { 'dry-run': dryRun = false, ...others }: ImportValues,
): Promise<number> {
  const [other] = Object.keys(others)
  if (other !== undefined) throw new UsageError(`--everything cannot be combined with --${other}`)
  return importArchive(path, dryRun)
}

function readImportOptions(path: string, values: ImportValues, settings: Settings) {
  const { format, owner } = requireAll(values, ['format', 'owner'])
  requireIdentity('owner', owner)
  const conflict = requireChoice('on-conflict', onConflict, values['on-conflict'] ?? 'report')
  if (conflict === 'fail' && path === '-')
    throw new UsageError('With --on-conflict fail, the file is read twice and cannot come from stdin')
  const importFormat = requireChoice('format', importFormats, format)
  if (values.map !== undefined && importFormat !== 'csv') throw new UsageError('--map requires --format csv')
  return {
    isStrict: conflict === 'fail',
    reportPath: values.report,
    options: {
      format: importFormat,
      owner,
      dryRun: values['dry-run'] ?? false,
      policy: {
        onConflict: conflict === 'fail' ? 'report' : conflict,
        sameUrl: requireChoice('same-url', sameUrlPolicies, values['same-url'] ?? 'keep'),
      },
      legacy: requireChoice('legacy', legacyModes, values.legacy ?? 'auto'),
      bundlesFromTags: values['bundles-from-tags'] ?? false,
      domains: domainsOf(settings, values.domain),
      ...(values.map !== undefined && { columnOf: columnsOf(values.map) }),
      now: nowSeconds(),
    } satisfies Omit<ImportOptions, 'database' | 'source'>,
  }
}

/** The domains of the instance; `--domain` is that of rows that name none. */
export function domainsOf({ baseUrl, domains }: Settings, domain?: string): ImportDomains {
  return {
    hosts: domains,
    defaultHost: baseUrl === null ? null : new URL(baseUrl).hostname,
    target: parseDomain(domain, { baseUrl, domains }),
  }
}

/** Parses `url=Target,slug=Short URL`. */
export function columnsOf(map: string): ColumnMapping {
  const { success, error, data } = MappingPairs.safeParse(map.split(','))
  if (!success) throw new UsageError(`--map: ${error.issues[0]?.message}`)
  return mappingOf(data)
}

async function runImport(
  { path, ...options }: Omit<ImportOptions, 'source'> & { path: string },
  onRow: (row: RowOutcome) => Promise<void> | undefined,
): Promise<ImportReport> {
  const file = path === '-' ? undefined : createReadStream(path)
  const whole = file && Bun.file(path).size
  const progress = new Progress()
  let rows = 0
  try {
    return await importLinks({
      ...options,
      source: file ?? process.stdin,
      async onRow(row) {
        progress.show(++rows, { done: file?.bytesRead ?? 0, whole })
        if (row.reason !== undefined && row.result !== 'skipped') progress.clear()
        await onRow(row)
      },
    })
  } finally {
    progress.clear()
  }
}

function printRowError({ line, result, reason }: RowOutcome): void {
  if (result === 'skipped' || reason === undefined) return
  const note = { conflict: 'conflict: ', bad: '', imported: 'note: ' }[result]
  printError(`line ${line}: ${note}${plain(reason)}`)
}

function summaryOf(
  {
    imported,
    skipped,
    conflicts,
    bad,
    clickTotals,
    bundles,
    legacyPaths,
    notes,
    caseConflicts,
  }: ImportReport,
  { isRefused, isDry }: { isRefused: boolean; isDry: boolean },
): string {
  const counts = `imported ${imported}, skipped ${skipped}, conflicts ${conflicts}, invalid ${bad}`
  const nothing = isDry ? ' (dry run: nothing was stored)' : isRefused ? ' (refused: nothing was stored)' : ''
  const lines = [`${counts}${nothing}`]
  const noteCounts = Object.entries(notes).map(([code, rows]) => `${code} ${rows}`)
  if (noteCounts.length > 0) lines.push(`imported with notes: ${noteCounts.join(', ')}`)
  if (caseConflicts.count > 0)
    lines.push(
      `short URLs that differ from another one only in case: ${caseConflicts.count}; their visitors land at its destination`,
      ...caseConflicts.first
        .slice(0, MAX_LISTED)
        .map(({ line, slug, other_slug, url }) =>
          plain(`  line ${line}: ${slug} (as ${other_slug}) lands at ${url}`),
        ),
    )
  if (caseConflicts.count > MAX_LISTED) lines.push('  …; --report FILE has all of them')
  if (legacyPaths > 0) lines.push(`codes kept exactly, as legacy paths: ${legacyPaths}`)
  if (bundles > 0) lines.push(`bundles created from tags: ${bundles}`)
  if (clickTotals) lines.push(`click totals without times cannot be imported: ${clickTotals}`)
  return lines.join('\n')
}

/** Short URLs listed in the summary, after the rows. */
const MAX_LISTED = 20

/** The report in the format of the admin API. */
function wireReport(
  { clickTotals, caseConflicts, legacyPaths, ...counts }: ImportReport,
  isRefused: boolean,
) {
  return {
    ...counts,
    ...(isRefused && { imported: 0 }),
    legacy_paths: legacyPaths,
    click_totals: clickTotals,
    case_conflicts: caseConflicts.count,
    first_case_conflicts: caseConflicts.first,
  }
}

const exportCommand: Command = {
  words: ['links', 'export'],
  services: ['links'],
  synopsis: '[-] [--format ndjson|csv | --everything]',
  summary: 'Export all links to stdout',
  details: `ndjson, the default, has one Link object per line, as in the API.
csv has the same data, except the times at which each slug was created or disabled. In csv, text that a spreadsheet
would read as a formula begins with an apostrophe, which an import removes.
If stdout is redirected to a file, only its owner can read the file.
--everything exports the whole instance: links, bundles, keys (as hashes), preferences, secrets and clicks.`,
  async run(args) {
    const { values, positionals } = parseArgs({
      args,
      options: { format: { type: 'string' }, everything: { type: 'boolean', default: false } },
      allowPositionals: true,
    })
    requireStdout(positionals)
    if (values.everything && values.format !== undefined)
      throw new UsageError('--everything cannot be combined with --format')
    if (values.everything) return exportArchive()
    const format = requireChoice('format', exportFormats, values.format ?? 'ndjson')
    const settings = currentSettings()
    await requireLinks(settings)
    await withDatabase(settings, (database) => pipe(writeExport(database, format, nowSeconds())))
    return 0
  },
}

const importClicksCommand: Command = {
  words: ['clicks', 'import'],
  services: ['links'],
  synopsis: 'FILE [--slug S] [--again]',
  summary: 'Import clicks with their times',
  details: `One JSON object per line: {"slug", "domain"?, "clicked_at", "referrer"?, "user_agent"?, "country"?}, or a CSV
file with these columns or those of the visits that Shlink's web client exports.
--slug S  the slug of clicks that name none
Clicks are classified like live ones.
Future times and unknown slugs are reported with their line, and the exit code is 1.
A file that was imported before is refused without --again. After a crash, the same command resumes where it stopped.
To import refused lines later, correct them and put them in a separate file.
Importing the whole file again would count the other clicks twice.`,
  async run(args) {
    const { values, positionals } = parseArgs({
      args,
      options: { again: { type: 'boolean', default: false }, slug: { type: 'string' } },
      allowPositionals: true,
    })
    const [path = ''] = requirePositionals(positionals, ['FILE'])
    if (path === '-') throw new UsageError('The file is read twice and cannot come from stdin')
    const settings = currentSettings()
    const { imported, bad, incomplete, resumedAfter } = await withDatabase(settings, (database) =>
      importClicks({
        database,
        databaseUrl: settings.databaseUrl,
        privacy: settings.privacy,
        path,
        again: values.again,
        ...(values.slug !== undefined && { slug: values.slug }),
        domains: domainsOf(settings),
        now: nowSeconds(),
        ownHost: settings.baseUrl === null ? null : new URL(settings.baseUrl).host,
        onProblem: (line, reason) => printError(`line ${line}: ${plain(reason)}`),
      }),
    )
    if (resumedAfter > 0) printError(`resumed after line ${resumedAfter}, where an earlier run stopped`)
    printError(`imported ${imported}, invalid ${bad}`)
    if (incomplete > 0)
      printError(`imported without a referrer, user agent or country that is not valid: ${incomplete}`)
    return bad === 0 ? 0 : 1
  },
}

export const transferCommands: readonly Command[] = [importCommand, exportCommand, importClicksCommand]
