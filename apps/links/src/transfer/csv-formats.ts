import type { Cells } from './csv.ts'
import { undefuse } from './formula.ts'
import { type RowFields, type SlugFields, refuseRow } from './import-row.ts'

/** How the CSV files of one program are read (L21). */
interface CsvFormat {
  /** Of each group the file must have one column. */
  readonly needs: readonly (readonly string[])[]
  /** `now` in Unix seconds, for states whose moment the file does not tell. */
  readonly fieldsOf: (cells: Cells, now: number) => RowFields
}

const CLICK_TOTALS = [
  'clicks',
  'total clicks',
  'click count',
  'visits',
  'visit count',
  'visits count',
].concat(['total visits', 'engagements', 'total engagements'])

/** The sum of clicks in the first such column; a sum that is no number counts as none. */
export function clickTotal(cell: (name: string) => unknown): number | undefined {
  const found = CLICK_TOTALS.map(cell).find((value) => value !== undefined)
  if (found === undefined) return undefined
  const total = typeof found === 'string' ? Number(found.replaceAll(/[\s,_]/g, '')) : found
  return typeof total === 'number' && Number.isSafeInteger(total) && total > 0 ? total : 0
}

/** Slugs in one cell, separated by blanks or commas. */
export function slugWords(cell: string | undefined): string[] {
  return cell?.split(/[\s,;]+/).filter((word) => word !== '') ?? []
}

function own(plain: (cell: string) => string): CsvFormat {
  return {
    needs: [['url']],
    fieldsOf: (cells, now) => ({
      url: plain(cells('url') ?? ''),
      label: plain(cells('label') ?? ''),
      created_at: cells('created_at'),
      expires_at: cells('expires_at'),
      disabled_at: cells('disabled_at'),
      created_by: plain(cells('created_by') ?? ''),
      slugs: ownSlugs(cells, now),
      primary: cells('slug')?.trim(),
      clicks: clickTotal(cells),
    }),
  }
}

function ownSlugs(cells: Cells, now: number): SlugFields[] {
  // First, so that a slug which other columns name too stays disabled.
  const disabled = slugWords(cells('disabled_slugs')).map((slug) => ({ slug, disabledAt: now }))
  const auto = slugWords(cells('auto_slug')).map((slug) => ({ slug, isAuto: true }))
  const custom = [...slugWords(cells('slug')), ...slugWords(cells('custom_slugs'))].map((slug) => ({ slug }))
  return [...auto, ...disabled, ...custom]
}

/** A slug of another program: custom and primary, beside a fresh automatic one. */
function foreign(
  needs: CsvFormat['needs'],
  fieldsOf: (cells: Cells, now: number) => Omit<RowFields, 'slugs'> & { found: readonly string[] },
): CsvFormat {
  return {
    needs,
    fieldsOf(cells, now) {
      const { found, ...fields } = fieldsOf(cells, now)
      if (found.length === 0) throw refuseRow('slug is required')
      return {
        ...fields,
        slugs: found.map((slug) => ({ slug })),
        primary: found[0],
        clicks: clickTotal(cells),
      }
    },
  }
}

/** The last segment of a short URL's path; of `go.example/abc` too, and of the slug alone. */
function lastSegment(shortUrl: string): string | undefined {
  const path = shortUrl.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '')
  return path.split('/').findLast((segment) => segment !== '')
}

function segments(cell: string | undefined): string[] {
  return slugWords(cell).flatMap((word) => lastSegment(word) ?? [])
}

const isTrue = (cell: string | undefined) => /^(?:1|t|true|yes|y)$/i.test(cell?.trim() ?? '')
const isFalse = (cell: string | undefined) => /^(?:0|f|false|no|n|null)?$/i.test(cell?.trim() ?? '')

const oneSlug = (cell: string | undefined) => (cell?.trim() ? [cell.trim()] : [])

/** Bitly has changed the name of the custom part more than once. */
const BITLY_SLUGS = ['Custom back-half', 'Custom back-halves', 'Custom Bitlink', 'Custom Bitlinks'].concat([
  'Custom link',
  'Bitlink',
  'Link',
])

export const csvFormats = {
  csv: own(undefuse),
  shrtnr: own((cell) => cell),
  yourls: foreign([['url'], ['keyword']], (cells) => ({
    url: cells('url'),
    label: cells('title'),
    created_at: cells('timestamp'),
    found: oneSlug(cells('keyword')),
  })),
  kutt: foreign([['target'], ['address']], (cells, now) => {
    // Without its password the link would open for everyone who guesses the slug.
    if (!isFalse(cells('password'))) throw refuseRow('the link has a password, which cannot be kept')
    return {
      url: cells('target'),
      label: cells('description'),
      created_at: cells('created_at'),
      expires_at: cells('expire_in'),
      disabled_at: isTrue(cells('banned')) ? now : undefined,
      found: oneSlug(cells('address')),
    }
  }),
  shlink: foreign([['longUrl'], ['shortCode', 'shortUrl']], (cells) => ({
    url: cells('longUrl'),
    label: cells('title'),
    created_at: cells('createdAt'),
    found: [...oneSlug(cells('shortCode')), ...segments(cells('shortUrl'))].slice(0, 1),
  })),
  bitly: foreign([['Long URL'], [...BITLY_SLUGS]], (cells) => ({
    url: cells('Long URL'),
    label: cells('Title'),
    created_at: cells('Created'),
    found: BITLY_SLUGS.flatMap((column) => segments(cells(column))).slice(0, 1),
  })),
} satisfies Record<string, CsvFormat>
