import { type SqlBool, sql } from 'kysely'
import type { Db } from '../db/tables.ts'
import { containsWords, searchWords } from '../links/search.ts'
import type { Position } from '../api/paging.ts'
import type { BundleFilter } from './schema.ts'
import { type BundleRow, selectBundles } from './store.ts'

export interface BundleListFilter {
  filter: BundleFilter
  /** Words of the name. */
  search?: string | undefined
}

function selectFound({ read, dialect }: Db, { filter, search }: BundleListFilter) {
  const words = searchWords(search)
  return selectBundles(read, filter).$if(words.length > 0, (query) =>
    query.where(containsWords(dialect, 'bundle.search_text', words)),
  )
}

export async function countBundles(db: Db, list: BundleListFilter): Promise<number> {
  const { count } = await selectFound(db, list)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** One page, newest first. */
export async function findBundles(
  db: Db,
  { limit, ...list }: BundleListFilter & { limit: number },
  after: Position | undefined,
): Promise<BundleRow[]> {
  return selectFound(db, list)
    .selectAll()
    .$if(after !== undefined, (query) =>
      query.where(sql<SqlBool>`(created_at, id) < (${after?.created_at}, ${after?.id})`),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** Databases sort letters by their code points, without regard to accents and numbers. */
const names = new Intl.Collator('en', { numeric: true })

/** All bundles of the list, by name. */
export async function listBundlesByName(db: Db, list: BundleListFilter): Promise<BundleRow[]> {
  const rows = await selectFound(db, list).selectAll().orderBy('id').execute()
  return rows.toSorted((a, b) => names.compare(a.name, b.name))
}
