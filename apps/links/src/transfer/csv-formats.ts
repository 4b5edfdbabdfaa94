import type { Cells } from './csv.ts'
import { undefuse } from './formula.ts'
import { type RowFields, type SlugFields, refuseRow } from './import-row.ts'

/** How the CSV files of one program are read (L21). */
interface CsvFormat {
  /** Of each group the file must have one column. */
  readonly needs: readonly (readonly string[])[]
  fieldsOf(cells: Cells): RowFields
}

const CLICK_TOTALS = ['clicks', 'total clicks', 'click count', 'visits', 'visit count', 'visits count'].concat([
  'total visits',
  'engagements',
  'total engagements',
])

/** The sum of clicks in the first such column; a sum that is no number counts as none. */
export function clickTotal(cell: (name: string) => unknown): number | undefined {
  const found = CLICK_TOTALS.map(cell).find((value) => value !== undefined)
  if (found === undefined) return undefined
  const digits = String(found).replaceAll(/[\s,_]/g, '')
  return /^\d{1,15}$/.test(digits) ? Number(digits) : 0
}

/** Slugs in one cell, separated by blanks or commas. */
export function slugWords(cell: string | undefined): string[] {
  return cell?.split(/[\s,;]+/).filter((word) => word !== '') ?? []
}

function own(plain: (cell: string) => string): CsvFormat {
  return {
    needs: [['url']],
    fieldsOf: (cells) => ({
      url: plain(cells('url') ?? ''),
      label: plain(cells('label') ?? ''),
      created_at: cells('created_at'),
      expires_at: cells('expires_at'),
      disabled_at: cells('disabled_at'),
      created_by: plain(cells('created_by') ?? ''),
      slugs: ownSlugs(cells),
      primary: cells('slug')?.trim(),
      clicks: clickTotal(cells),
    }),
  }
}

function ownSlugs(cells: Cells): SlugFields[] {
  // First, so that a slug which other columns name too stays disabled; when it was disabled is not in the file.
  const disabled = slugWords(cells('disabled_slugs')).map((slug) => ({ slug, disabledAt: 'now' as const }))
  const auto = slugWords(cells('auto_slug')).map((slug) => ({ slug, isAuto: true }))
  const custom = [...slugWords(cells('slug')), ...slugWords(cells('custom_slugs'))].map((slug) => ({ slug }))
  return [...auto, ...disabled, ...custom]
}

/** A slug of another program: custom and primary, beside a fresh automatic one. */
function foreign(
  needs: CsvFormat['needs'],
  fieldsOf: (cells: Cells) => Omit<RowFields, 'slugs' | 'primary' | 'clicks'> & { found: readonly string[] },
): CsvFormat {
  return {
    needs,
    fieldsOf(cells) {
      const { found, ...fields } = fieldsOf(cells)
      if (found.length === 0) throw refuseRow('slug is required')
      return { ...fields, slugs: found.map((slug) => ({ slug })), primary: found[0], clicks: clickTotal(cells) }
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

export const csvFormats = {
  csv: own(undefuse),
  shrtnr: own((cell) => cell),
  yourls: foreign([['url'], ['keyword']], (cells) => ({
    url: cells('url'),
    label: cells('title'),
    created_at: cells('timestamp'),
    found: oneSlug(cells('keyword')),
  })),
  kutt: foreign([['target'], ['address']], (cells) => {
    // Without its password the link would open for everyone who guesses the slug.
    if (!isFalse(cells('password'))) throw refuseRow('the link has a password, which cannot be kept')
    return {
      url: cells('target'),
      label: cells('description'),
      created_at: cells('created_at'),
      expires_at: cells('expire_in'),
      disabled_at: isTrue(cells('banned')) ? 'now' : undefined,
      found: oneSlug(cells('address')),
    }
  }),
  shlink: foreign([['longUrl'], ['shortCode', 'shortUrl']], (cells) => ({
    url: cells('longUrl'),
    label: cells('title'),
    created_at: cells('createdAt'),
    found: [...oneSlug(cells('shortCode')), ...segments(cells('shortUrl'))].slice(0, 1),
  })),
  bitly: foreign([['Long URL'], ['Custom back-half', ...BITLY_CUSTOM, 'Bitlink', 'Link']], (cells) => ({
    url: cells('Long URL'),
    label: cells('Title'),
    created_at: cells('Created'),
    found: [],
  })),
} satisfies Record<string, CsvFormat>
