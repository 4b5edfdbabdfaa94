import { type Database, inList } from '@latchkey/database/database'
import type { Selectable } from 'kysely'
import type { Tables } from '../db/tables.ts'

/** The active bundles of each of these links, by name. */
export async function listBundlesOfLinks(
  { read, dialect }: Database<Tables>,
  linkIds: readonly number[],
): Promise<(Pick<Selectable<Tables['bundle']>, 'id' | 'name' | 'accent' | 'icon'> & { link_id: number })[]> {
  return read
    .selectFrom('bundle')
    .where('archived_at', 'is', null)
    .innerJoin('bundle_link', 'bundle_link.bundle_id', 'bundle.id')
    .select(['bundle_link.link_id', 'bundle.id', 'bundle.name', 'bundle.accent', 'bundle.icon'])
    .where(inList(dialect, 'bundle_link.link_id', linkIds))
    .orderBy('bundle.name')
    .orderBy('bundle.id')
    .execute()
}
