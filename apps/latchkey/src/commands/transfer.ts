import { createReadStream } from 'node:fs'
import { parseArgs } from 'node:util'
import { isIdentity } from '@latchkey/links/access/identity'
import { importClicks } from '@latchkey/links/transfer/clicks'
import { exportFormats, exportLinks } from '@latchkey/links/transfer/export'
import { importFormats } from '@latchkey/links/transfer/formats'
import { type ImportReport, type RowOutcome, importLinks } from '@latchkey/links/transfer/import'
import { type Command, UsageError, requireAll, requirePositionals } from '../command.ts'
import { complain, plain, pour } from '../output.ts'
import { currentSettings, nowSeconds, withDatabase } from '../surroundings.ts'

function oneOf<const Choices extends readonly string[]>(
  option: string,
  choices: Choices,
  given: string,
): Choices[number] {
  const choice = choices.find((each) => each === given)
  if (choice === undefined) throw new UsageError(`--${option} must be one of: ${choices.join(', ')}`)
  return choice
}

const importing: Command = {
  words: ['links', 'import'],
  takes: 'FILE --format F --owner E [--dry-run]',
  summary: 'Import links from a file, or from stdin with -',
  details: `Formats: ${importFormats.join(', ')}. All but ndjson are CSV files with the columns of the program named.
The links belong to E, unless a row names its owner itself (csv, shrtnr, ndjson).
Good rows are stored; every other one is reported with its line and reason, and the exit code is 1.
A row that is there already is skipped, so the same file can be imported again.
--dry-run stores nothing and reports what a run would do.`,
  async run(args) {
    const { values, positionals } = parseArgs({
      args,
      options: {
        format: { type: 'string' },
        owner: { type: 'string' },
        'dry-run': { type: 'boolean', default: false },
      },
      allowPositionals: true,
    })
    const [path = ''] = requirePositionals(positionals, ['FILE'])
    const { format, owner } = requireAll(values, ['format', 'owner'])
    if (!isIdentity(owner))
      throw new UsageError('The owner must be a name without control characters or blanks around it')
    const options = {
      format: oneOf('format', importFormats, format),
      owner,
      dryRun: values['dry-run'],
      now: nowSeconds(),
      onRow: complainOfRow,
    }
    const report = await withDatabase(currentSettings(), (database) =>
      importLinks({ database, source: path === '-' ? process.stdin : createReadStream(path), ...options }),
    )
    complain(summaryOf(report, options.dryRun))
    return report.conflicts + report.bad === 0 ? 0 : 1
  },
}

function complainOfRow({ line, result, reason }: RowOutcome): void {
  if (result === 'skipped' || reason === undefined) return
  const note = { conflict: 'conflict: ', bad: '', imported: 'note: ' }[result]
  complain(`line ${line}: ${note}${plain(reason)}`)
}

function summaryOf(
  { imported, skipped, conflicts, bad, clickTotals }: ImportReport,
  dryRun: boolean,
): string {
  const counts = `imported ${imported}, skipped ${skipped}, conflicts ${conflicts}, bad ${bad}`
  const lines = [dryRun ? `${counts} (dry run: nothing was stored)` : counts]
  if (clickTotals) lines.push(`click totals without times cannot be imported: ${clickTotals}`)
  return lines.join('\n')
}

const exporting: Command = {
  words: ['links', 'export'],
  takes: '[-] [--format ndjson|csv]',
  summary: 'Write all links to stdout',
  details: `ndjson, the default, has one Link object a line, as the API answers it. csv holds the same but for the times at which
each slug was made or disabled; cells that a spreadsheet would run as formulas begin with an apostrophe, which import takes
off again.`,
  async run(args) {
    const { values, positionals } = parseArgs({
      args,
      options: { format: { type: 'string', default: 'ndjson' } },
      allowPositionals: true,
    })
    const unexpected = positionals.find((each, at) => each !== '-' || at > 0)
    if (unexpected !== undefined)
      throw new UsageError(`Unexpected argument: ${unexpected}. Redirect stdout to a file.`)
    const format = oneOf('format', exportFormats, values.format)
    await withDatabase(currentSettings(), (database) => pour(exportLinks(database, format, nowSeconds())))
    return 0
  },
}

const importingClicks: Command = {
  words: ['clicks', 'import'],
  takes: 'FILE.ndjson [--again]',
  summary: 'Import clicks with their times',
  details: `One JSON object a line: {"slug", "clicked_at", "referrer"?, "user_agent"?, "country"?}.
Clicks are classified like live ones. Future times and unknown slugs are reported with their line, and the exit code is 1.
A file that was imported before is refused without --again. After a crash the same command goes on where it ended.`,
  async run(args) {
    const { values, positionals } = parseArgs({
      args,
      options: { again: { type: 'boolean', default: false } },
      allowPositionals: true,
    })
    const [path = ''] = requirePositionals(positionals, ['FILE.ndjson'])
    if (path === '-') throw new UsageError('The file is read twice, so it cannot come from stdin')
    const settings = currentSettings()
    const { imported, bad, resumedAfter } = await withDatabase(settings, (database) =>
      importClicks({
        database,
        databaseUrl: settings.databaseUrl,
        path,
        again: values.again,
        now: nowSeconds(),
        ownHost: settings.baseUrl === null ? null : new URL(settings.baseUrl).host,
        onProblem: (line, reason) => complain(`line ${line}: ${plain(reason)}`),
      }),
    )
    if (resumedAfter > 0) complain(`went on after line ${resumedAfter}, where an earlier run had ended`)
    complain(`imported ${imported}, bad ${bad}`)
    return bad === 0 ? 0 : 1
  },
}

export const transferCommands: readonly Command[] = [importing, exporting, importingClicks]
