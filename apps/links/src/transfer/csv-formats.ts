import type { Cells } from './csv.ts'
import { unescapeFormulas } from '@latchkey/http/csv'
import { decodePath } from '../urls/legacy-path.ts'
import { MAX_SLUGS } from '../urls/slug.ts'
import { MAX_TAGS, type RowFields, type SlugFields } from './import-row.ts'
import {
  type ForeignPart,
  cloakingPart,
  countryListRules,
  countryRules,
  limitPart,
  mapBehaviour,
  shlinkRules,
  splitPart,
  startPart,
  regionPart,
  systemRule,
  testSplit,
  textPart,
  visitsLeft,
} from './foreign-behaviour.ts'
import { behaviourCell } from './own-behaviour.ts'
import { featuresDropped, refuseRow } from './reason.ts'

/** File format of one program (L21): the columns of a CSV file or the names in a JSON object. */
export interface FileFormat {
  /** Groups of columns. A CSV file must have one column of each group. */
  readonly requiredColumns: readonly (readonly string[])[]
  /** The names on the way to the list in a JSON file; undefined if the program exports no JSON. */
  readonly listPath?: readonly string[]
  /** `now` in Unix seconds is the time of states for which the file gives no time. */
  readonly fieldsOf: (cells: Cells, now: number) => RowFields
}

export const CLICK_TOTALS = ['clicks', 'total clicks', 'click count', 'visits', 'visit count'].concat([
  'visits count',
  'total visits',
  'engagements',
  'total engagements',
  'visitsSummary.total',
])

/**
 * Returns the number of clicks in the first such column: NaN if it is not a number, undefined
 * without such a column.
 */
export function clickTotal(cell: (name: string) => unknown): number | undefined {
  const value = CLICK_TOTALS.map(cell).find((total) => total !== undefined && total !== null)
  if (value === undefined) return undefined
  const total = typeof value === 'string' ? Number(value.replaceAll(/[\s,_]/g, '')) : value
  return typeof total === 'number' && Number.isSafeInteger(total) && total >= 0 ? total : Number.NaN
}

/**
 * Splits the slugs in one cell, separated by blanks or commas. Returns at most a few more than a
 * row may have, enough for the row to be refused.
 */
export function slugWords(cell: string | undefined): string[] {
  return cell?.split(/[\s,;|]+/, MAX_SLUGS + 3).filter((word) => word !== '') ?? []
}

/** Splits the tags in one cell: at `|` if it contains one, else at commas. */
function tagWords(cell: string | undefined): string[] {
  const words = cell?.split(cell.includes('|') ? '|' : ',', MAX_TAGS + 2) ?? []
  return words.map((word) => word.trim()).filter((word) => word !== '')
}

export function ownFormat(plain: (cell: string) => string): FileFormat {
  return {
    requiredColumns: [['url']],
    fieldsOf: (cells, now) => ({
      url: plain(cells('url') ?? ''),
      label: plain(cells('label') ?? ''),
      created_at: cells('created_at'),
      expires_at: cells('expires_at'),
      disabled_at: cells('disabled_at'),
      created_by: plain(cells('created_by') ?? ''),
      domain: cells('domain'),
      isDomainOptional: true,
      slugs: ownSlugs(cells, now),
      primary: cells('slug')?.trim(),
      clicks: clickTotal(cells),
      tags: tagWords(cells('tags')),
      ...clearPassword(plain(cells('password') ?? '')),
      ...behaviourCell(plain(cells('behaviour') ?? '')),
      ...legacyPathsCell(plain(cells('legacy_paths') ?? '')),
    }),
  }
}

function ownSlugs(cells: Cells, now: number): SlugFields[] {
  // Disabled slugs come first, so that one which other columns repeat stays disabled.
  const disabled = slugWords(cells('disabled_slugs')).map((slug) => ({ slug, disabledAt: now }))
  const auto = slugWords(cells('auto_slug')).map((slug) => ({ slug, isAuto: true }))
  const custom = [...oneSlug(cells('slug')), ...slugWords(cells('custom_slugs'))].map((slug) => ({ slug }))
  return [...auto, ...disabled, ...custom]
}

/**
 * Creates the format of another program. Its slugs become custom, the first one primary, and each
 * link gets a new automatic slug.
 */
function foreignFormat(
  { requiredColumns, listPath }: Omit<FileFormat, 'fieldsOf'>,
  fieldsOf: (cells: Cells, now: number) => Omit<RowFields, 'slugs'> & { slugNames: readonly string[] },
): FileFormat {
  return {
    requiredColumns,
    ...(listPath && { listPath }),
    fieldsOf(cells, now) {
      const { slugNames, ...fields } = fieldsOf(cells, now)
      if (slugNames.length === 0) throw refuseRow({ code: 'slug_required', text: 'slug is required' })
      return {
        distinguishesCase: true,
        ...fields,
        slugs: slugNames.map((slug) => ({ slug })),
        primary: slugNames[0],
        clicks: clickTotal(cells),
      }
    },
  }
}

const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i

/**
 * Returns the path of a short URL without its first and last slash, decoded. Also accepts
 * `go.example/abc`, and a slug by itself.
 */
function pathOf(shortUrl: string): string {
  const path = shortUrl
    .replace(ORIGIN, '')
    .replace(/[?#].*$/s, '')
    .replaceAll(/^\/|\/$/g, '')
  return ORIGIN.test(shortUrl) ? (decodePath(path) ?? path) : path
}

function lastSegment(shortUrl: string): string | undefined {
  return pathOf(shortUrl)
    .split('/')
    .findLast((segment) => segment !== '')
}

function lastSegments(cell: string | undefined): string[] {
  return slugWords(cell).flatMap((word) => lastSegment(word) ?? [])
}

const isTrue = (cell: string | undefined) => /^(?:1|t|true|yes|y|b'1')$/i.test(cell?.trim() ?? '')
const isFalse = (cell: string | undefined) => /^(?:0|f|false|no|n|null|b'0')?$/i.test(cell?.trim() ?? '')

const isUsedUp = (left: number | undefined) => left !== undefined && left <= 0

const FORWARD_ALL: ForeignPart = { feature: 'forward_query', part: { forward_query: 'all' } }

const oneSlug = (cell: string | undefined) => (cell?.trim() ? [cell.trim()] : [])

/** A hash or a flag says only that there is a password. */
function unknownPassword(cell: string | undefined): Pick<RowFields, 'password'> {
  return isFalse(cell) ? {} : { password: true }
}

const HASHED = /^(?:\$[\w-]+\$.{20,}|[a-f\d]{32}|[a-f\d]{40}|[a-f\d]{64})$/i

/** The password of a program that returns it in clear. */
export function clearPassword(cell = ''): Pick<RowFields, 'password'> {
  if (/^\s*(?:0|false|null)?\s*$/i.test(cell)) return {}
  return { password: isTrue(cell) || HASHED.test(cell) ? true : cell }
}

/** JSON of the field of a Link object. Other text is no list, which refuses the row. */
function legacyPathsCell(cell: string): Pick<RowFields, 'legacyPaths'> {
  if (cell.trim() === '') return {}
  try {
    return { legacyPaths: JSON.parse(cell) as unknown }
  } catch {
    return { legacyPaths: cell }
  }
}

/** The behaviour of the link, and a note about features that cannot be a part of it. */
function behaviourFields(parts: readonly ForeignPart[]): Pick<RowFields, 'behaviour' | 'notes'> {
  const { behaviour, dropped } = mapBehaviour(parts)
  return { behaviour, ...(dropped.length > 0 && { notes: [featuresDropped(dropped)] }) }
}

/** Bitly has changed the name of the custom part more than once. */
const BITLY_SLUGS = ['Custom back-half', 'Custom back-halves', 'Custom Bitlink', 'Custom Bitlinks'].concat([
  'Custom link',
  'Bitlink',
  'Link',
])

/**
 * Returns the whole path of a short URL, with or without `https://`. If it still contains slashes,
 * the row is refused: a part of the path would be another slug.
 */
export function wholePath(cell: string | undefined): string {
  const word = cell?.trim() ?? ''
  return pathOf(/^[^/]*[.:][^/]*\//.test(word) && !word.includes('://') ? `https://${word}` : word)
}

export const csvFormats = {
  csv: ownFormat(unescapeFormulas),
  shrtnr: ownFormat((cell) => cell),
  yourls: foreignFormat({ requiredColumns: [['url'], ['keyword']], listPath: ['links'] }, (cells) => ({
    url: cells('url'),
    label: cells('title'),
    created_at: cells('timestamp'),
    shortUrl: cells('shorturl'),
    slugNames: [...oneSlug(cells('keyword')), ...lastSegments(cells('shorturl'))].slice(0, 1),
  })),
  kutt: foreignFormat({ requiredColumns: [['target'], ['address']], listPath: ['data'] }, (cells, now) => {
    return {
      ...unknownPassword(cells('password')),
      url: cells('target'),
      label: cells('description'),
      created_at: cells('created_at'),
      expires_at: cells('expire_in'),
      disabled_at: isTrue(cells('banned')) ? now : undefined,
      shortUrl: cells('link') ?? cells('domain'),
      slugNames: oneSlug(cells('address')),
    }
  }),
  shlink: foreignFormat(
    { requiredColumns: [['longUrl'], ['shortCode', 'shortUrl']], listPath: ['shortUrls', 'data'] },
    (cells, now) => {
      const left = visitsLeft(cells('meta.maxVisits'), clickTotal(cells))
      return {
        url: cells('longUrl'),
        label: cells('title'),
        created_at: cells('createdAt') ?? cells('dateCreated'),
        expires_at: isUsedUp(left) ? now : cells('meta.validUntil'),
        shortUrl: cells('shortUrl') ?? cells('domain'),
        slugNames: [...oneSlug(cells('shortCode')), ...lastSegments(cells('shortUrl'))].slice(0, 1),
        tags: tagWords(cells('tags')),
        ...behaviourFields([
          ...startPart(cells('meta.validSince')),
          ...limitPart(left),
          ...(isTrue(cells('forwardQuery')) ? [FORWARD_ALL] : []),
          ...shlinkRules(cells),
        ]),
      }
    },
  ),
  bitly: foreignFormat(
    { requiredColumns: [['Long URL'], [...BITLY_SLUGS]], listPath: ['links'] },
    (cells) => ({
      url: cells('Long URL'),
      label: cells('Title'),
      created_at: cells('Created') ?? cells('created_at'),
      shortUrl: BITLY_SLUGS.map(cells).find((cell) => cell?.includes('/')),
      slugNames: BITLY_SLUGS.flatMap((column) => lastSegments(cells(column))).slice(0, 1),
      tags: tagWords(cells('Tags')),
    }),
  ),
  dub: foreignFormat(
    {
      requiredColumns: [
        ['Destination URL', 'url'],
        ['Short link', 'key'],
      ],
      listPath: [],
    },
    (cells, now) => {
      return {
        distinguishesCase: false,
        ...clearPassword(cells('password')),
        url: cells('Destination URL') ?? cells('url'),
        label: cells('title'),
        created_at: cells('Created at'),
        expires_at: cells('expiresAt'),
        disabled_at: cells('disabledAt')?.trim() || (isTrue(cells('disabled')) ? now : undefined),
        shortUrl: cells('domain') ?? cells('shortLink') ?? cells('Short link'),
        slugNames: oneSlug(cells('key')?.trim() || wholePath(cells('Short link'))),
        tags: tagWords(cells('Tags')),
        // The order is the one in which Dub checks the parts.
        ...behaviourFields([
          ...systemRule('ios', cells('ios')),
          ...systemRule('android', cells('android')),
          ...countryRules(cells('geo')),
          ...testSplit(cells('testVariants'), cells('testCompletedAt'), now),
          ...cloakingPart(isTrue(cells('rewrite'))),
          ...textPart('expired_url', 'after_url', cells('expiredUrl')),
        ]),
      }
    },
  ),
  shortio: foreignFormat(
    { requiredColumns: [['originalURL'], ['path', 'shortURL']], listPath: ['links'] },
    (cells, now) => {
      const left = visitsLeft(cells('clicksLimit'), clickTotal(cells))
      return {
        ...unknownPassword(cells('hasPassword')),
        ...clearPassword(cells('password')),
        url: cells('originalURL'),
        label: cells('title'),
        created_at: cells('createdAt'),
        expires_at: isUsedUp(left) ? now : cells('expiresAt'),
        shortUrl: cells('shortURL') ?? cells('domain'),
        slugNames: oneSlug(cells('path')?.trim() || wholePath(cells('shortURL'))),
        tags: tagWords(cells('tags')),
        ...behaviourFields([
          ...systemRule('ios', cells('iphoneURL')),
          ...systemRule('android', cells('androidURL')),
          ...countryListRules(cells('countries')),
          ...regionPart(cells('regions')),
          ...cloakingPart(isTrue(cells('cloaking'))),
          ...splitPart(cells('originalURL'), cells('splitURL'), cells('splitPercent')),
          ...textPart('expired_url', 'after_url', cells('expiredURL')),
          ...limitPart(left),
          ...(cells('skipQS')?.trim() && isFalse(cells('skipQS')) ? [FORWARD_ALL] : []),
        ]),
      }
    },
  ),
} satisfies Record<string, FileFormat>
