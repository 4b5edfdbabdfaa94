import { type ClassifiedClick, type JournalledClick, isClassified } from '../clicks/click.ts'

/** Rows are written once and read once, so caching them is useless. */
export const CACHE_KIB = 256
/** An id that `Journal.probe` writes and deletes. */
export const PROBE = 'probe'
export const SELECT_ID = `select id from journal_id where id != '${PROBE}'`

/** A stored click, without field names, since many are stored for a short time. */
type PackedRawClick = [
  slug: string,
  linkId: number,
  clickedAt: number,
  host: string | null,
  query: string | null,
  referrer: string | null,
  userAgent: string | null,
  country: string | null,
  visitorFp: string | null,
  // Left out for the link's own URL, and null if a legacy path follows.
  variant?: string | null,
  // Left out for a slug.
  legacyPath?: string,
]

type PackedClassifiedClick = [
  slug: string,
  linkId: number,
  clickedAt: number,
  rest: Omit<ClassifiedClick, 'slug' | 'linkId' | 'clickedAt'>,
]

export type PackedClick = PackedRawClick | PackedClassifiedClick

export function packClick(click: JournalledClick | ClassifiedClick): PackedClick {
  if (isClassified(click)) {
    const { slug, linkId, clickedAt, ...rest } = click
    return [slug, linkId, clickedAt, rest]
  }
  return [
    click.slug,
    click.linkId,
    click.clickedAt,
    click.host,
    click.query,
    click.referrer,
    click.userAgent,
    click.country,
    click.visitorFp,
    ...lastFields(click),
  ]
}

function lastFields({ variant = null, legacyPath }: JournalledClick) {
  if (legacyPath) return [variant, legacyPath] as const
  return variant === null ? ([] as const) : ([variant] as const)
}

export function unpackBatch(batch: string): (JournalledClick | ClassifiedClick)[] {
  return (JSON.parse(batch) as PackedClick[]).map(unpackClick)
}

function unpackClick(packed: PackedClick): JournalledClick | ClassifiedClick {
  if (packed.length === 4) {
    const [slug, linkId, clickedAt, rest] = packed
    return { slug, linkId, clickedAt, ...rest }
  }
  const [slug, linkId, clickedAt, host, query, referrer, userAgent, country, visitorFp, ...rest] = packed
  const [variant, legacyPath] = rest
  const click = { slug, linkId, clickedAt, host, query, referrer, userAgent, country, visitorFp }
  return {
    ...click,
    ...(variant !== undefined && { variant }),
    ...(legacyPath !== undefined && { legacyPath }),
  }
}
