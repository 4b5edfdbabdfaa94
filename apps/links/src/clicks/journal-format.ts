import type { JournalledClick } from './click.ts'

/** Rows are written once and read once, so caching them is useless. */
export const CACHE_KIB = 256
/** An id that `Journal.probe` writes and deletes. */
export const PROBE = 'probe'
export const SELECT_ID = `select id from journal_id where id != '${PROBE}'`

/** A stored click, without field names, since many are stored for a short time. */
export type PackedClick = [
  slug: string,
  linkId: number,
  clickedAt: number,
  host: string | null,
  query: string | null,
  referrer: string | null,
  userAgent: string | null,
  country: string | null,
  visitorFp: string | null,
]

export function packClick(click: JournalledClick): PackedClick {
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
  ]
}

export function unpackBatch(batch: string): JournalledClick[] {
  return (JSON.parse(batch) as PackedClick[]).map(
    ([slug, linkId, clickedAt, host, query, referrer, userAgent, country, visitorFp]) => ({
      slug,
      linkId,
      clickedAt,
      host,
      query,
      referrer,
      userAgent,
      country,
      visitorFp,
    }),
  )
}
