import { type Database, inList, lockKey } from '@latchkey/database/database'
import type { Insertable, Kysely, Transaction } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { compile } from '../links/behaviour/compile.ts'
import { findBehaviour, insertBehaviours, saveBehaviour, setUsedPlaces } from '../links/behaviour/store.ts'
import { searchText } from '../links/search.ts'
import { urlColumns, urlKey } from '../links/destination-url.ts'
import { TRIES_PER_LENGTH, randomSlug } from '../links/slugs/generator.ts'
import { type Domain, slugKey } from '../links/slugs/slug.ts'
import { isReserved } from '../links/slugs/reserved.ts'
import type { ImportRow, ImportSlug } from './import-row.ts'
import { type ExistingLinks, type Policy, linkKey, alternativeSlugs } from './plan.ts'

type Tx = Transaction<Tables>

/** A database or a transaction of it, with its dialect. */
export interface Queries {
  db: Kysely<Tables>
  dialect: Database<Tables>['dialect']
}

/** Any number that all imports share. */
const IMPORT_LOCK = 4_170_618

/**
 * Serialises the batches of imports into one database: a later batch sees the rows of an earlier
 * one.
 */
export async function lockImports(tx: Tx, { dialect }: Pick<Database<Tables>, 'dialect'>): Promise<void> {
  await lockKey(dialect, tx, IMPORT_LOCK)
}

/** Adds the slugs and links that these rows may conflict with to `existing`. */
export async function loadExisting(
  { db, dialect }: Queries,
  rows: readonly ImportRow[],
  existing: ExistingLinks,
  { onConflict, sameUrl }: Policy,
): Promise<void> {
  const slugs = rows.flatMap(slugsOf)
  await loadExistingSlugs({ db, dialect }, slugs, existing)
  if (onConflict === 'rename')
    await loadExistingSlugs(
      { db, dialect },
      findRenamable(slugs, existing).flatMap(alternativeSlugs),
      existing,
    )
  const urls = rows.filter(({ key }) => key === null || sameUrl === 'skip')
  if (urls.length === 0) return
  const links = await db
    .selectFrom('link')
    .select(['url', 'domain', 'created_by as createdBy'])
    .distinct()
    .where(
      inList(
        dialect,
        'url_key',
        urls.map(({ url }) => urlKey(url)),
      ),
    )
    .where(inList(dialect, 'created_by', [...new Set(urls.map(({ createdBy }) => createdBy))]))
    .execute()
  for (const link of links) existing.links.add(linkKey(link))
}

export function slugsOf({ auto, custom }: ImportRow): string[] {
  return [...(auto ? [auto] : []), ...custom].map(({ slug }) => slug)
}

/**
 * Returns the slugs that are taken or may be by the time of their turn: by the same slug of an
 * earlier row, or by the new name of another slug.
 */
function findRenamable(slugs: readonly string[], { urlOf }: ExistingLinks): string[] {
  const all = new Set(slugs)
  const renamableSlugs = new Set(slugs.filter((slug, at) => urlOf.has(slug) || slugs.indexOf(slug) < at))
  for (const slug of renamableSlugs)
    for (const name of alternativeSlugs(slug)) if (all.has(name)) renamableSlugs.add(name)
  return [...renamableSlugs]
}

async function loadExistingSlugs(
  { db, dialect }: Queries,
  slugs: readonly string[],
  existing: ExistingLinks,
): Promise<void> {
  if (slugs.length === 0) return
  const slugRecords = await db
    .selectFrom('slug')
    .innerJoin('link', 'link.id', 'slug.link_id')
    .select(['slug.slug', 'link.url', 'link.created_by'])
    .where(inList(dialect, 'slug.slug', slugs))
    .execute()
  for (const { slug, url, created_by } of slugRecords) {
    existing.urlOf.set(slug, url)
    existing.ownerOf.set(slug, created_by)
  }
}

interface FreshSlug {
  domain: Domain
  length: number
}

/**
 * Generates the key of an automatic slug for each of these. All are different, and none of them is in
 * `existing`, in use or was ever used.
 */
export async function generateFreshSlugs(
  queries: Queries,
  wanted: readonly FreshSlug[],
  existing: ReadonlyMap<string, string>,
): Promise<string[]> {
  const chosenSlugs = new Set<string>()
  const slugs = wanted.map(() => '')
  let missing = wanted.map((slug, at) => ({ ...slug, at }))
  for (let tries = 0; missing.length > 0; tries++) {
    const longer = Math.floor(tries / TRIES_PER_LENGTH)
    const candidates = missing.map((fresh) => {
      const name = randomSlug(fresh.length + longer)
      return { ...fresh, name, slug: slugKey(fresh.domain, name) }
    })
    const usedSlugs = await findUsedSlugs(
      queries,
      candidates.map(({ slug }) => slug),
    )
    missing = candidates.filter(({ name, slug, at }) => {
      if (usedSlugs.has(slug) || existing.has(slug) || chosenSlugs.has(slug) || isReserved(name)) return true
      chosenSlugs.add(slug)
      slugs[at] = slug
      return false
    })
  }
  return slugs
}

async function findUsedSlugs({ db, dialect }: Queries, slugs: readonly string[]): Promise<Set<string>> {
  const [slugRecords, retired] = [
    await db
      .selectFrom('slug')
      .select('slug')
      .where(inList(dialect, 'slug', slugs))
      .execute(),
    await db
      .selectFrom('retired_slug')
      .select('slug')
      .where(inList(dialect, 'slug', slugs))
      .execute(),
  ]
  return new Set([...slugRecords, ...retired].map(({ slug }) => slug))
}

/** A row with its automatic slug, ready to be stored. */
export interface CompleteRow extends ImportRow {
  auto: ImportSlug
}

/** Another writer took one of the slugs since the lookup. The batch has to be planned again. */
export class SlugRace extends Error {
  override readonly name = 'SlugRace'
}

/**
 * Rows per statement. With eleven columns each they stay far below the parameter limit of either
 * database.
 */
const ROWS_PER_INSERT = 500

/**
 * Stores the links with their slugs. If it throws `SlugRace`, the transaction must be rolled back.
 */
export async function storeRows(tx: Tx, rows: readonly CompleteRow[]): Promise<void> {
  const slugs: Insertable<Tables['slug']>[] = []
  for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) {
    const chunk = rows.slice(at, at + ROWS_PER_INSERT)
    const stored = await tx
      .insertInto('link')
      .values(chunk.map(linkRow))
      .returning(['id', 'primary_slug'])
      .execute()
    const idOf = new Map(stored.map(({ id, primary_slug }) => [primary_slug, id]))
    for (const row of chunk) slugs.push(...slugRows(row, idOf.get(primaryOf(row)) ?? 0))
    await insertBehaviours(
      tx,
      chunk.flatMap((row) => {
        const id = idOf.get(primaryOf(row))
        const { behaviour: document, clicksUsed = 0 } = row
        return document === null || id === undefined ? [] : [{ id, document, clicksUsed }]
      }),
    )
  }
  // In the order of their links, and automatic slugs last: each link enters the index of words once,
  // at its end. Other orders take three times as long.
  slugs.sort((a, b) => a.link_id - b.link_id || b.is_custom - a.is_custom)
  for (let at = 0; at < slugs.length; at += ROWS_PER_INSERT)
    await insertSlugs(tx, slugs.slice(at, at + ROWS_PER_INSERT))
}

async function insertSlugs(tx: Tx, slugs: readonly Insertable<Tables['slug']>[]): Promise<void> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('slug')
    .values(slugs)
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows !== BigInt(slugs.length)) throw new SlugRace()
}

export function primaryOf({ primary, auto }: CompleteRow): string {
  return primary ?? auto.slug
}

function linkRow(row: CompleteRow): Insertable<Tables['link']> {
  return {
    ...linkFields(row),
    created_via: 'import',
    created_by: row.createdBy,
    created_at: row.createdAt,
    primary_slug: primaryOf(row),
    domain: row.domain,
    behaviour: row.behaviour && compile(row.behaviour, false),
  }
}

/** Fields of a row for the link that it creates or overwrites. */
function linkFields({ url, label, expiresAt, disabledAt, createdBy: created_by }: ImportRow) {
  return {
    url,
    ...urlColumns(url),
    label,
    expires_at: expiresAt,
    disabled_at: disabledAt,
    search_text: searchText({ label, url, created_by }),
  }
}

function slugRows({ auto, custom }: CompleteRow, linkId: number): Insertable<Tables['slug']>[] {
  const rowOf = (isCustom: 0 | 1) => (slug: ImportSlug) => ({
    slug: slug.slug,
    link_id: linkId,
    is_custom: isCustom,
    created_at: slug.createdAt,
    disabled_at: slug.disabledAt,
  })
  return [rowOf(0)(auto), ...custom.map(rowOf(1))]
}

/** Overwrites the link of a slug with the row. */
export async function overwriteLink(tx: Tx, slug: string, row: ImportRow): Promise<void> {
  const link = await tx
    .updateTable('link')
    .set((eb) => ({ ...linkFields(row), version: eb('version', '+', 1) }))
    .where('id', '=', (eb) => eb.selectFrom('slug').select('link_id').where('slug', '=', slug))
    .returningAll()
    .executeTakeFirst()
  if (!link || row.behaviour === null) return
  const { hasPassword } = await findBehaviour(tx, link.id)
  const program = compile(row.behaviour, hasPassword)
  await saveBehaviour(tx, link, { document: row.behaviour, program, passwordHash: undefined })
  if (row.clicksUsed !== undefined) await setUsedPlaces(tx, link.id, row.clicksUsed)
}

/** Returns the next page of the ids of all links, in the order of their creation here. */
export async function listLinkIdsAfter(db: Kysely<Tables>, id: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('link')
    .select('id')
    .where('id', '>', id)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.id)
}

/** Returns the ids of the links of these slugs. */
export async function findLinkIds(
  { db, dialect }: Queries,
  slugs: readonly string[],
): Promise<Map<string, number>> {
  if (slugs.length === 0) return new Map()
  const rows = await db
    .selectFrom('slug')
    .select(['slug', 'link_id'])
    .where(inList(dialect, 'slug', slugs))
    .execute()
  return new Map(rows.map(({ slug, link_id }) => [slug, link_id]))
}

/** Returns the number of complete imports of the file with this hash. */
export async function countImports(db: Kysely<Tables>, sha256: string): Promise<number> {
  const { count } = await db
    .selectFrom('imported_file')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('sha256', '>=', sha256)
    .where('sha256', '<', `${sha256};`)
    .executeTakeFirstOrThrow()
  return count
}

/** `pass` is 1 for the first import of the file, and 2 for the first requested repetition. */
export async function recordImportedFile(
  tx: Tx,
  { sha256, pass, now }: { sha256: string; pass: number; now: number },
): Promise<void> {
  await tx
    .insertInto('imported_file')
    .values({ sha256: pass === 1 ? sha256 : `${sha256}:${pass}`, imported_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
