import { createReadStream } from 'node:fs'
import { parseArgs } from 'node:util'
import { importFormats } from '@latchkey/links/transfer/formats'
import { inspectFile } from '@latchkey/links/transfer/inspect'
import {
  type ComparedCode,
  ServiceUnreachable,
  type ServiceAnswer,
  verifyCodes,
} from '@latchkey/links/transfer/verify'
import { MAX_INSPECTED_BYTES } from '@latchkey/links/transfer/upload-limit'
import {
  type Command,
  CommandFailure,
  UsageError,
  requireAll,
  requireChoice,
  requirePositionals,
} from '../command.ts'
import { currentSettings } from '../environment.ts'
import { JsonLinesFile } from '../json-lines-file.ts'
import { plain, printLine } from '../output.ts'
import { Progress } from '../progress.ts'
import { columnsOf, domainsOf } from './transfer.ts'

const PER_SECOND = 20
const MAX_PER_SECOND = 1_000
/** Some codes differ: the exit code that is neither success nor an error. */
const DIFFERENT = 2

export const verifyCommand: Command = {
  words: ['links', 'verify'],
  synopsis: 'FILE --against URL [--now URL] [options]',
  summary: 'Compare where the codes of a file lead, at the old service and here',
  details: `Asks both services for each code of the file that you imported, and prints each that leads elsewhere. No redirect
is followed, and no click is counted here; the old service may count its own. Exit code: 0 if all are the same, 2 if
some are not, 1 if a service cannot be reached.
--against URL    the old service, such as https://old.example.com
--now URL        this service; by default, LINKS_BASE_URL
--format F       as in links import; recognised by default
--map F=C,…      with csv: as in links import
--per-second N   codes a second, ${PER_SECOND} by default, at most ${MAX_PER_SECOND}
--report FILE    writes one JSON line per code, then a line with the totals; never overwrites a file with content`,
  async run(args) {
    const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true })
    const [path = ''] = requirePositionals(positionals, ['FILE'])
    if (path === '-') throw new UsageError('The file is read twice and cannot come from stdin')
    const { against } = requireAll(values, ['against'])
    const settings = currentSettings()
    const domains = domainsOf(settings)
    const options = {
      old: addressOf('against', against),
      now: addressOf('now', values.now ?? settings.baseUrl ?? `http://${settings.host}:${settings.port}`),
      perSecond: pacedBy(values['per-second']),
      format: await formatOf(path, values.format, domains),
      ...(values.map !== undefined && { columnOf: columnsOf(values.map) }),
      domains,
    }
    const report = values.report === undefined ? undefined : new JsonLinesFile(values.report)
    const progress = new Progress()
    const file = createReadStream(path)
    let codes = 0
    const compare = async () => {
      const totals = await verifyCodes({
        ...options,
        source: file,
        async onCode(compared) {
          progress.show(++codes, { done: file.bytesRead, whole: Bun.file(path).size })
          if (!compared.same) {
            progress.clear()
            printLine(plain(describe(compared)))
          }
          await report?.write(compared)
        },
      })
        .catch((error: unknown) => {
          throw error instanceof ServiceUnreachable ? new CommandFailure(plain(error.message)) : error
        })
        .finally(() => progress.clear())
      await report?.write({ report: totals })
      return totals
    }
    let totals
    try {
      totals = await compare()
    } finally {
      await report?.close()
    }
    printLine(`${count(totals.same)} of ${count(totals.codes)} answer the same`)
    return totals.same === totals.codes ? 0 : DIFFERENT
  },
}

const OPTIONS = {
  against: { type: 'string' },
  now: { type: 'string' },
  format: { type: 'string' },
  map: { type: 'string' },
  'per-second': { type: 'string' },
  report: { type: 'string' },
} as const

function addressOf(option: string, value: string): URL {
  const url = /^https?:\/\//.test(value) ? URL.parse(value) : null
  if (url === null || url.search !== '' || url.hash !== '')
    throw new UsageError(`--${option} must be an address such as https://old.example.com`)
  return url
}

function pacedBy(value = String(PER_SECOND)): number {
  const perSecond = /^\d{1,4}$/.test(value) ? Number(value) : 0
  if (perSecond >= 1 && perSecond <= MAX_PER_SECOND) return perSecond
  throw new UsageError(`--per-second must be a number from 1 to ${MAX_PER_SECOND}`)
}

async function formatOf(path: string, format: string | undefined, domains: ReturnType<typeof domainsOf>) {
  if (format !== undefined) return requireChoice('format', importFormats, format)
  const inspected = await inspectFile(createReadStream(path, { end: MAX_INSPECTED_BYTES - 1 }), domains)
  if (inspected.problem) throw new CommandFailure(`The file cannot be read: ${plain(inspected.problem.text)}`)
  return inspected.format
}

function describe({ line, code, answers, problem }: ComparedCode): string {
  if (!answers) return `line ${line}: ${problem}`
  return `line ${line}: ${code}: ${formatAnswer(answers.old)} there, ${formatAnswer(answers.now)} here`
}

function formatAnswer({ status, location }: ServiceAnswer): string {
  return location === null ? String(status) : location
}

function count(codes: number): string {
  return codes.toLocaleString('en')
}
