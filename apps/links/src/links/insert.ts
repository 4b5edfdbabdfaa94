import type { Insertable } from 'kysely'
import type { Tables, Tx } from '../db/tables.ts'
import { trackCreatedLink } from '../changes/change-tracker.ts'
import { urlColumns } from '../urls/destination-url.ts'
import { searchText } from './search.ts'

export type NewLinkRow = Omit<Insertable<Tables['link']>, 'url_key' | 'host' | 'search_text'>

/** Columns that follow from others. */
export function derivedColumns({
  url,
  label = null,
  created_by,
}: Pick<NewLinkRow, 'url' | 'label' | 'created_by'>) {
  return { ...urlColumns(url), search_text: searchText({ url, label, created_by }) }
}

/** Stores the link and returns its id. Its primary slug must be stored in the same transaction. */
export async function insertLink(tx: Tx, row: NewLinkRow): Promise<number> {
  const { id } = await tx
    .insertInto('link')
    .values({ ...row, ...derivedColumns(row) })
    .returning('id')
    .executeTakeFirstOrThrow()
  trackCreatedLink(tx, id)
  return id
}

export type NewSlug = Omit<Insertable<Tables['slug']>, 'link_id'>

/** Another writer took one of the slugs since the lookup. The transaction has to be rolled back. */
export class SlugRace extends Error {
  override readonly name = 'SlugRace'
}

/**
 * Rows per statement. With eleven columns each they stay far below the parameter limit of either
 * database.
 */
const ROWS_PER_INSERT = 500

/** Stores links with their slugs, and returns their ids. Throws `SlugRace`. */
export async function insertLinks(
  tx: Tx,
  rows: readonly { link: NewLinkRow; slugs: readonly NewSlug[] }[],
): Promise<number[]> {
  const idOf = new Map<string, number>()
  for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) {
    const links = rows.slice(at, at + ROWS_PER_INSERT).map(({ link }) => link)
    const stored = await tx
      .insertInto('link')
      .values(links.map((link) => ({ ...link, ...derivedColumns(link) })))
      .returning(['id', 'primary_slug'])
      .execute()
    for (const { id, primary_slug } of stored) {
      trackCreatedLink(tx, id)
      idOf.set(primary_slug, id)
    }
  }
  const ids = rows.map(({ link }) => idOf.get(link.primary_slug) ?? 0)
  // In the order of their links, and automatic slugs last: each link enters the index of words once,
  // at its end. Other orders take three times as long.
  const slugs = rows
    .flatMap((row, at) => row.slugs.map((slug) => ({ ...slug, link_id: ids[at] ?? 0 })))
    .toSorted((a, b) => a.link_id - b.link_id || b.is_custom - a.is_custom)
  for (let at = 0; at < slugs.length; at += ROWS_PER_INSERT)
    await insertSlugs(tx, slugs.slice(at, at + ROWS_PER_INSERT))
  return ids
}

async function insertSlugs(tx: Tx, slugs: readonly Insertable<Tables['slug']>[]): Promise<void> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('slug')
    .values(slugs)
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows !== BigInt(slugs.length)) throw new SlugRace()
}
