import { ISO_COUNTRIES } from '../clicks/visitor-values.ts'
import { type Cells, readCsv } from './csv.ts'
import { type ParsedLine, type Source, UnreadableFile, firstCharacter, readJsonLines } from './lines.ts'
import { readTextFile } from './text-file.ts'

/** The unchecked fields of a click in a file. */
export interface ClickFields {
  slug?: unknown
  domain?: unknown
  clicked_at?: unknown
  referrer?: unknown
  user_agent?: unknown
  country?: unknown
  /** The short URL that was visited. */
  shortUrl?: string | undefined
}

/** Reads clicks from JSON lines, or from a table such as the visits that Shlink’s web client saves. */
export async function* readClickFields(file: Source): AsyncGenerator<ParsedLine<ClickFields>> {
  try {
    const [first, source] = await firstCharacter(readTextFile(file))
    if (first === undefined || first === '{') yield* readJsonLines(source)
    else yield* readClickTable(source)
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    yield { line: 1, problem: error.reason }
  }
}

const TIMES = ['clicked_at', 'date']

async function* readClickTable(source: Source): AsyncGenerator<ParsedLine<ClickFields>> {
  const records = readCsv(source, ({ has, columns }) => {
    if (TIMES.some(has)) return undefined
    const text = `the file has no column "${TIMES.join('" or "')}", only: ${columns.join(', ')}`
    return { code: 'column_missing', missing: TIMES, columns: [...columns], text }
  })
  for await (const entry of records)
    yield 'problem' in entry ? entry : { line: entry.line, value: fieldsOf(entry.value) }
}

function fieldsOf(cells: Cells): ClickFields {
  const shortUrl = cellText(cells('visitedUrl'))
  return {
    slug: cellText(cells('slug')) ?? cellText(cells('shortCode')) ?? slugOf(shortUrl),
    domain: cellText(cells('domain')),
    clicked_at: cellText(cells('clicked_at')) ?? cellText(cells('date')),
    referrer: referrerOf(cellText(cells('referrer')) ?? cellText(cells('referer'))),
    user_agent: cellText(cells('user_agent')),
    country: countryOf(cellText(cells('country_code')) ?? cellText(cells('country'))),
    shortUrl,
  }
}

const cellText = (cell: string | undefined) => (cell?.trim() ? cell : undefined)

function slugOf(shortUrl: string | undefined): string | undefined {
  const path = URL.parse(shortUrl ?? '')
    ?.pathname.split('/')
    .filter((segment) => segment !== '')
  return path?.at(-1)
}

/** Shlink names only the host, or that there is none. */
function referrerOf(cell: string | undefined): string | undefined {
  if (cell === undefined || cell === 'Direct' || cell === 'Unknown') return undefined
  return /^[a-z][a-z\d+.-]*:/i.test(cell) ? cell : `https://${cell}/`
}

const ENGLISH_NAMES = new Intl.DisplayNames('en', { type: 'region' })
const CODES: ReadonlyMap<string, string> = new Map(
  [...ISO_COUNTRIES].map((code) => [ENGLISH_NAMES.of(code)?.toLowerCase() ?? code, code]),
)

/** The code of a country that the file names in English. */
function countryOf(cell: string | undefined): string | undefined {
  return cell === 'Unknown' ? undefined : (CODES.get(cell?.toLowerCase() ?? '') ?? cell)
}
