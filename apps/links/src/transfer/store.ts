import { type Database, inList, lockKey } from '@latchkey/database/database'
import type { Kysely } from 'kysely'
import type { Tables, Tx } from '../db/tables.ts'
import { trackLinks } from '../changes/change-tracker.ts'
import { compile } from '../links/behaviour/compile.ts'
import { findBehaviour, insertBehaviours, saveBehaviour, setUsedVisits } from '../links/behaviour/store.ts'
import { urlKey } from '../urls/destination-url.ts'
import { type NewLinkRow, type NewSlug, SlugRace, derivedColumns, insertLinks } from '../links/insert.ts'
import { findLegacyTargets, insertLegacyPaths } from '../links/legacy/store.ts'
import { isLegacyKey } from '../urls/legacy-path.ts'
import type { Queries } from '../links/slugs/store.ts'
import type { ImportRow, ImportSlug } from './import-row.ts'
import { slugOfLegacyPath } from './legacy-paths.ts'
import { type ExistingLinks, type Policy, linkKey, alternativeSlugs } from './plan.ts'

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
  await loadExistingSlugs({ db, dialect }, [...slugs, ...rows.flatMap(slugsOfLegacyPaths)], existing)
  await loadExistingLegacyPaths({ db, dialect }, rows, existing)
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

function slugsOfLegacyPaths({ domain, legacyPaths }: ImportRow): string[] {
  return legacyPaths.flatMap(({ path }) => slugOfLegacyPath(domain, path) ?? [])
}

async function loadExistingLegacyPaths(
  queries: Queries,
  rows: readonly ImportRow[],
  existing: ExistingLinks,
): Promise<void> {
  const keys = rows.flatMap(({ legacyPaths }) => legacyPaths.map(({ key }) => key))
  for (const { key, url, created_by } of await findLegacyTargets(queries, keys)) {
    existing.urlOf.set(key, url)
    existing.ownerOf.set(key, created_by)
  }
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

/** A row with its automatic slug, ready to be stored. */
export interface CompleteRow extends ImportRow {
  auto: ImportSlug
}

/** Behaviours per statement. */
const ROWS_PER_INSERT = 500

/**
 * Stores the links with their slugs. If it throws `SlugRace`, the transaction must be rolled back.
 */
export async function storeRows(tx: Tx, rows: readonly CompleteRow[], now: number): Promise<void> {
  const ids = await insertLinks(
    tx,
    rows.map((row) => ({ link: linkRow(row, now), slugs: slugRows(row) })),
  )
  const paths = rows.flatMap(({ domain, legacyPaths }, at) =>
    legacyPaths.map(({ path, source, createdAt }) => {
      const place = { domain: domain ?? '', path, link_id: ids[at] ?? 0 }
      return { ...place, source, created_at: createdAt }
    }),
  )
  if (!(await insertLegacyPaths(tx, paths))) throw new SlugRace()
  const behaviours = rows.flatMap(({ behaviour, clicksUsed = 0, passwordHash }, at) => {
    const id = ids[at]
    if (id === undefined || (behaviour === null && passwordHash === undefined)) return []
    return [{ id, document: behaviour ?? {}, clicksUsed, passwordHash }]
  })
  for (let at = 0; at < behaviours.length; at += ROWS_PER_INSERT)
    await insertBehaviours(tx, behaviours.slice(at, at + ROWS_PER_INSERT))
}

export function primaryOf({ primary, auto }: CompleteRow): string {
  return primary ?? auto.slug
}

function linkRow(row: CompleteRow, now: number): NewLinkRow {
  return {
    ...ownFields(row),
    created_via: 'import',
    created_at: row.createdAt,
    updated_at: now,
    primary_slug: primaryOf(row),
    domain: row.domain,
    behaviour: compile(row.behaviour ?? {}, row.passwordHash !== undefined),
  }
}

/** Fields of a row for the link that it creates or overwrites. */
function ownFields({ url, label, expiresAt, disabledAt, createdBy }: ImportRow) {
  return { url, label, expires_at: expiresAt, disabled_at: disabledAt, created_by: createdBy }
}

function slugRows({ auto, custom }: CompleteRow): NewSlug[] {
  return [slugRow(auto, 0), ...custom.map((slug) => slugRow(slug, 1))]
}

function slugRow({ slug, createdAt, disabledAt }: ImportSlug, isCustom: 0 | 1): NewSlug {
  return { slug, is_custom: isCustom, created_at: createdAt, disabled_at: disabledAt }
}

/** Overwrites the link of a slug or a legacy path with the row. */
export async function overwriteLink(
  { db: tx, dialect }: { db: Tx; dialect: Queries['dialect'] },
  slug: string,
  row: ImportRow,
  now: number,
): Promise<void> {
  const linkId = (await findLinkIds({ db: tx, dialect }, [slug])).get(slug)
  if (linkId === undefined) return
  await trackLinks(tx, [linkId])
  const link = await tx
    .updateTable('link')
    .set((eb) => ({
      ...ownFields(row),
      ...derivedColumns(ownFields(row)),
      updated_at: now,
      version: eb('version', '+', 1),
    }))
    .where('id', '=', linkId)
    .returningAll()
    .executeTakeFirst()
  const { behaviour, passwordHash } = row
  if (!link || (behaviour === null && passwordHash === undefined)) return
  const present = await findBehaviour(tx, link.id)
  const document = behaviour ?? present.document
  const program = compile(document, present.hasPassword || passwordHash !== undefined)
  await saveBehaviour(tx, link, { document, program, passwordHash, now })
  if (row.clicksUsed !== undefined) await setUsedVisits(tx, link.id, row.clicksUsed)
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

/** Returns the ids of the links of these slugs and legacy paths. */
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
  const targets = await findLegacyTargets({ db, dialect }, slugs.filter(isLegacyKey))
  return new Map([
    ...rows.map(({ slug, link_id }) => [slug, link_id] as const),
    ...targets.map(({ key, link_id }) => [key, link_id] as const),
  ])
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
