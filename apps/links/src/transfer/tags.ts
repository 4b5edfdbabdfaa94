import { inList } from '@latchkey/database/database'
import { accentOfName } from '../bundles/accent.ts'
import { addMembers, insertBundle } from '../bundles/store.ts'
import type { Tx } from '../db/tables.ts'
import type { ImportRow } from './import-row.ts'
import { findLinkIds } from './store.ts'
import type { Queries } from '../links/slugs/store.ts'

/** A stored row, identified by one of its slugs. */
export type TaggedRow = Pick<ImportRow, 'primary' | 'tags'> & { auto?: ImportRow['auto'] }

interface Importer {
  /** Owns the bundles, regardless of the owners of their links. */
  owner: string
  /** Unix seconds. */
  now: number
}

/**
 * Adds each row's link to the owner's bundles that are named like its tags. Creates missing bundles
 * and returns their names. Idempotent. Requires the lock of imports: names of bundles are not
 * unique, so two transactions could both create one.
 */
export async function bundleByTags(
  tx: Tx,
  dialect: Queries['dialect'],
  rows: readonly TaggedRow[],
  { owner, now }: Importer,
): Promise<string[]> {
  const memberships = rows.flatMap((row) => {
    const slug = row.primary ?? row.auto?.slug
    return slug === undefined ? [] : row.tags.map((tag) => ({ slug, tag: tag.trim() }))
  })
  if (memberships.length === 0) return []
  const slugs = memberships.map(({ slug }) => slug)
  const linkIds = await findLinkIds({ db: tx, dialect }, slugs)
  const tags = new Set(memberships.map(({ tag }) => tag))
  const bundleIds = await findBundleIds({ db: tx, dialect }, owner, [...tags])
  const created = [...tags].filter((tag) => !bundleIds.has(tag))
  for (const name of created) bundleIds.set(name, await createBundle(tx, name, { owner, now }))
  const members = new Map<string, { bundle_id: number; link_id: number }>()
  for (const { slug, tag } of memberships) {
    const [bundle_id, link_id] = [bundleIds.get(tag), linkIds.get(slug)]
    if (bundle_id !== undefined && link_id !== undefined)
      members.set(`${bundle_id} ${link_id}`, { bundle_id, link_id })
  }
  await addMembers(tx, [...members.values()])
  return created
}

/** Finds the owner's oldest bundle of each of these names. */
export async function findBundleIds(
  { db, dialect }: Queries,
  owner: string,
  names: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('bundle')
    .select(['id', 'name'])
    .where('created_by', '=', owner)
    .where(inList(dialect, 'name', names))
    .orderBy('id', 'desc')
    .execute()
  return new Map(rows.map(({ id, name }) => [name, id]))
}

async function createBundle(tx: Tx, name: string, { owner, now }: Importer): Promise<number> {
  const { id } = await insertBundle(tx, {
    name,
    accent: accentOfName(name),
    created_via: 'import',
    created_by: owner,
    created_at: now,
    updated_at: now,
  })
  return id
}
