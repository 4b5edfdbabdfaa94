import { inList } from '@latchkey/database/database'
import { type Insertable, type Kysely, type Selectable, type SqlBool, sql } from 'kysely'
import type { Tables, Tx } from '../../db/tables.ts'
import { legacyKey, MAX_LEGACY_PATHS, parseLegacyKey } from '../../urls/legacy-path.ts'
import type { Domain } from '../../urls/slug.ts'
import type { Queries } from '../slugs/store.ts'

export type LegacyPathRow = Selectable<Tables['legacy_path']>

/** A legacy path, and what its link is known by. */
export interface LegacyTarget {
  /** The key of the legacy path. */
  key: string
  link_id: number
  primary_slug: string
  url: string
  behaviour: string | null
  created_by: string
}

/** Rows per statement, far below the parameter limit of either database. */
const ROWS_PER_INSERT = 500

/** Stores these legacy paths; returns false if one of them is taken. */
export async function insertLegacyPaths(
  tx: Tx,
  rows: readonly Insertable<Tables['legacy_path']>[],
): Promise<boolean> {
  let stored = 0n
  for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) {
    const { numInsertedOrUpdatedRows = 0n } = await tx
      .insertInto('legacy_path')
      .values(rows.slice(at, at + ROWS_PER_INSERT))
      .onConflict((conflict) => conflict.columns(['domain', 'path']).doNothing())
      .executeTakeFirstOrThrow()
    stored += numInsertedOrUpdatedRows
  }
  return stored === BigInt(rows.length)
}

export async function removeLegacyPath(
  tx: Tx,
  { domain, path, link_id: linkId }: Pick<LegacyPathRow, 'domain' | 'path' | 'link_id'>,
): Promise<void> {
  await tx
    .deleteFrom('legacy_path')
    .where('domain', '=', domain)
    .where('path', '=', path)
    .where('link_id', '=', linkId)
    .execute()
}

/** The legacy paths of these keys that exist, with their links. */
export async function findLegacyTargets(
  { db, dialect }: Queries,
  keys: readonly string[],
): Promise<LegacyTarget[]> {
  const pathsOf = Map.groupBy(keys.map(parseLegacyKey), ({ domain }) => domain)
  const targets: LegacyTarget[] = []
  for (const [domain, paths] of pathsOf) {
    const rows = await db
      .selectFrom('legacy_path')
      .innerJoin('link', 'link.id', 'legacy_path.link_id')
      .select(['path', 'link_id', 'primary_slug', 'url', 'behaviour', 'created_by'])
      .where('legacy_path.domain', '=', domain)
      .where(
        inList(
          dialect,
          'path',
          paths.map(({ path }) => path),
        ),
      )
      .execute()
    for (const { path, ...row } of rows) targets.push({ key: legacyKey(domain || null, path), ...row })
  }
  return targets
}

/** The key of the primary slug of the link that a legacy path leads to. */
export async function findPrimaryOfLegacyPath(db: Kysely<Tables>, key: string): Promise<string | undefined> {
  const { domain, path } = parseLegacyKey(key)
  const row = await db
    .selectFrom('legacy_path')
    .innerJoin('link', 'link.id', 'legacy_path.link_id')
    .select('primary_slug')
    .where('legacy_path.domain', '=', domain)
    .where('path', '=', path)
    .executeTakeFirst()
  return row?.primary_slug
}

export async function findLegacyPath(
  db: Kysely<Tables>,
  domain: Domain,
  path: string,
): Promise<LegacyPathRow | undefined> {
  return db
    .selectFrom('legacy_path')
    .selectAll()
    .where('domain', '=', domain ?? '')
    .where('path', '=', path)
    .executeTakeFirst()
}

/** The legacy paths of these links, in the order of their text. */
export async function listLegacyPathsOf(
  { db, dialect }: Queries,
  linkIds: readonly number[],
): Promise<LegacyPathRow[]> {
  return db
    .selectFrom('legacy_path')
    .selectAll()
    .where(inList(dialect, 'link_id', linkIds))
    .orderBy('path')
    .execute()
}

/** Whether the link exceeds the limit of legacy paths. If so, the newest one has to be rolled back. */
export async function hasTooManyLegacyPaths(tx: Tx, linkId: number): Promise<boolean> {
  const { count } = await tx
    .selectFrom('legacy_path')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('link_id', '=', linkId)
    .executeTakeFirstOrThrow()
  return count > MAX_LEGACY_PATHS
}

export async function hasLegacyPaths(db: Kysely<Tables>): Promise<boolean> {
  return (await db.selectFrom('legacy_path').select('link_id').limit(1).executeTakeFirst()) !== undefined
}

interface LegacyPathFilter {
  /** As it is stored. */
  domain?: string
  path?: string
}

/** A page of legacy paths in the order of their domains and texts; `after` is `domain/path`. */
export async function findLegacyPathPage(
  db: Kysely<Tables>,
  { domain, path }: LegacyPathFilter,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<{ rows: LegacyPathRow[]; total: number }> {
  const matches = db
    .selectFrom('legacy_path')
    .$if(domain !== undefined, (query) => query.where('domain', '=', domain ?? ''))
    .$if(path !== undefined, (query) => query.where('path', '=', path ?? ''))
  const [position] = after === undefined ? [] : [parseLegacyKey(`/${after}`)]
  const rows = await matches
    .selectAll()
    .$if(position !== undefined, (query) =>
      query.where(sql<SqlBool>`(domain, path) > (${position?.domain}, ${position?.path})`),
    )
    .orderBy('domain')
    .orderBy('path')
    .limit(limit)
    .execute()
  const { total } = await matches
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { rows, total }
}
