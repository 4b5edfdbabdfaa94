import { type Database, inList } from '@latchkey/database/database'
import type { Transaction } from 'kysely'
import { insertBundle } from '../bundles/store.ts'
import type { Tables } from '../db/tables.ts'
import type { ImportRow } from './import-row.ts'
import { findLinkIds } from './store.ts'

type Tx = Transaction<Tables>
type Dialect = Database<Tables>['dialect']

/** A stored row, identified by one of its slugs. */
export type TaggedRow = Pick<ImportRow, 'createdBy' | 'primary' | 'tags'> & { auto?: ImportRow['auto'] }

/**
 * Adds each row's link to the bundles of its owner that are named like its tags. Creates missing
 * bundles and returns their number. Idempotent.
 */
export async function bundleByTags(
  tx: Tx,
  { dialect }: Pick<Database<Tables>, 'dialect'>,
  rows: readonly TaggedRow[],
  now: number,
): Promise<number> {
  const memberships = rows.flatMap((row) => {
    const slug = row.primary ?? row.auto?.slug
    return slug === undefined ? [] : row.tags.map((tag) => ({ slug, tag: tag.trim(), owner: row.createdBy }))
  })
  if (memberships.length === 0) return 0
  const linkIds = await findLinkIds(
    { db: tx, dialect },
    memberships.map(({ slug }) => slug),
  )
  const bundles = await findBundleIds(
    tx,
    dialect,
    memberships.map(({ owner }) => owner),
  )
  let createdCount = 0
  const members = new Map<string, { bundle_id: number; link_id: number }>()
  for (const { slug, tag, owner } of memberships) {
    const key = bundleKey(owner, tag)
    const bundle_id = bundles.get(key) ?? (await createBundle(tx, { owner, name: tag, now }))
    if (!bundles.has(key)) createdCount++
    bundles.set(key, bundle_id)
    const link_id = linkIds.get(slug)
    if (link_id !== undefined) members.set(`${bundle_id} ${link_id}`, { bundle_id, link_id })
  }
  await tx
    .insertInto('bundle_link')
    .values([...members.values()])
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return createdCount
}

/** Identities contain no line ends. */
function bundleKey(owner: string, name: string): string {
  return `${owner}\n${name}`
}

/** Finds the oldest bundle of each name. */
async function findBundleIds(
  tx: Tx,
  dialect: Dialect,
  owners: readonly string[],
): Promise<Map<string, number>> {
  const rows = await tx
    .selectFrom('bundle')
    .select(['id', 'name', 'created_by'])
    .where(inList(dialect, 'created_by', [...new Set(owners)]))
    .orderBy('id', 'desc')
    .execute()
  return new Map(rows.map(({ id, name, created_by }) => [bundleKey(created_by, name), id]))
}

async function createBundle(
  tx: Tx,
  { owner, name, now }: { owner: string; name: string; now: number },
): Promise<number> {
  const { id } = await insertBundle(tx, {
    name,
    accent: 'orange',
    created_via: 'import',
    created_by: owner,
    created_at: now,
    updated_at: now,
  })
  return id
}
