import { inList } from '@latchkey/database/database'
import type { DialectName } from '@latchkey/database/url'
import { markHoursChanged } from '../../clicks/changed-hours.ts'
import type { Tables, Tx } from '../../db/tables.ts'
import { type Domain, MAX_GUEST_SLUGS, MAX_SLUGS, slugKey } from '../../urls/slug.ts'
import type { Insertable, Kysely, Selectable } from 'kysely'
import { sql } from 'kysely'

/** A slug with its raw lifetime clicks. */
export type SlugRow = Selectable<Tables['counted_slug']>
/** A database or a transaction of it, with its dialect. */
export interface Queries {
  db: Kysely<Tables>
  dialect: DialectName
}

/**
 * Stores the slug; returns false if it is taken. Waits for a concurrent writer of the same slug.
 */
export async function insertSlug(tx: Tx, row: Insertable<Tables['slug']>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('slug')
    .values(row)
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function findSlug(db: Kysely<Tables>, slug: string): Promise<SlugRow | undefined> {
  return db.selectFrom('counted_slug').selectAll().where('slug', '=', slug).executeTakeFirst()
}

/** Returns the slugs that a link has, of those given. */
export async function findExistingSlugs(
  { db, dialect }: Queries,
  slugs: readonly string[],
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('slug')
    .select('slug')
    .where(inList(dialect, 'slug', slugs))
    .execute()
  return new Set(rows.map(({ slug }) => slug))
}

/** Everything that decides whether a slug redirects, and for whom the reason is. */
export async function findSlugState(db: Kysely<Tables>, slug: string) {
  return db
    .selectFrom('slug')
    .innerJoin('link', 'link.id', 'slug.link_id')
    .select(['slug.link_id', 'link.created_by', 'link.url', 'link.disabled_at', 'link.expires_at'])
    .select('slug.disabled_at as slug_disabled_at')
    .where('slug.slug', '=', slug)
    .executeTakeFirst()
}

export type SlugState = NonNullable<Awaited<ReturnType<typeof findSlugState>>>

export async function setSlugDisabled(tx: Tx, slug: string, disabledAt: number | null): Promise<void> {
  await tx.updateTable('slug').set({ disabled_at: disabledAt }).where('slug', '=', slug).execute()
}

export async function setPrimarySlug(tx: Tx, linkId: number, slug: string): Promise<void> {
  await tx.updateTable('link').set({ primary_slug: slug }).where('id', '=', linkId).execute()
}

/**
 * Returns the slug that replaces the current primary one. With `preferCustom`, the oldest enabled
 * custom slug comes first.
 */
export async function findNextPrimary(tx: Tx, current: SlugRow, preferCustom: boolean): Promise<string> {
  const { slug } = await tx
    .selectFrom('slug')
    .select('slug')
    .where('link_id', '=', current.link_id)
    .where('slug', '!=', current.slug)
    .where('disabled_at', 'is', null)
    .$if(!preferCustom, (query) => query.where('is_custom', '=', 0))
    .orderBy('is_custom', 'desc')
    .orderBy('created_at')
    .orderBy('slug')
    .limit(1)
    .executeTakeFirstOrThrow()
  return slug
}

/**
 * Deletes a slug with its clicks. The generator never returns it again, but a person may choose it.
 */
export async function removeSlug(
  tx: Tx,
  { dialect }: { dialect: DialectName },
  { link_id, slug }: Pick<SlugRow, 'link_id' | 'slug'>,
): Promise<void> {
  await retireSlugs(tx, { link_id, slug })
  await tx.deleteFrom('slug').where('slug', '=', slug).execute()
  const hours = await tx
    .selectFrom('click_hour')
    .select('hour')
    .distinct()
    .where('link_id', '=', link_id)
    .where('slug', '=', slug)
    .execute()
  if (hours.length > 0)
    await markHoursChanged(
      tx,
      dialect,
      hours.map(({ hour }) => ({ link_id, hour })),
    )
  for (const table of ['click', 'click_forgotten', 'click_hour_open', 'click_hour_closed'] as const)
    await tx.deleteFrom(table).where('link_id', '=', link_id).where('slug', '=', slug).execute()
  await tx
    .updateTable('link_clicks')
    .set((eb) => ({
      last_hour: eb
        .selectFrom('click_hour_closed')
        .select((closed) => closed.fn.coalesce(closed.fn.max('hour'), sql<number>`0`).as('hour'))
        .where('link_id', '=', link_id),
    }))
    .where('link_id', '=', link_id)
    .execute()
}

/** Retires all slugs of the link, or only the given one. */
export async function retireSlugs(
  tx: Tx,
  { link_id, slug }: { link_id: number; slug?: string },
): Promise<void> {
  await tx
    .insertInto('retired_slug')
    .columns(['slug'])
    .expression((eb) =>
      eb
        .selectFrom('slug')
        .select('slug')
        .where('link_id', '=', link_id)
        .$if(slug !== undefined, (query) => query.where('slug', '=', slug ?? '')),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function isRetired(tx: Tx, slug: string): Promise<boolean> {
  const row = await tx.selectFrom('retired_slug').select('slug').where('slug', '=', slug).executeTakeFirst()
  return row !== undefined
}

/**
 * Whether the link exceeds the limit of slugs. If it does, the newest slug has to be rolled back.
 */
export async function hasTooManySlugs(tx: Tx, linkId: number): Promise<boolean> {
  const { count } = await tx
    .selectFrom('slug')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('link_id', '=', linkId)
    .executeTakeFirstOrThrow()
  return count > MAX_SLUGS
}

/**
 * Whether this person exceeds the limit of slugs on the link of another owner. If so, the newest
 * slug has to be rolled back.
 */
export async function hasTooManyGuestSlugs(tx: Tx, linkId: number, identity: string): Promise<boolean> {
  const { count } = await tx
    .selectFrom('slug')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('link_id', '=', linkId)
    .where('added_by', '=', identity)
    .executeTakeFirstOrThrow()
  return count > MAX_GUEST_SLUGS
}

/** Counts the slugs of this length on a domain. */
export async function countSlugsOfLength(tx: Tx, domain: Domain, length: number): Promise<number> {
  const prefix = slugKey(domain, '')
  const row = await tx
    .selectFrom('slug')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(sql<number>`length(slug)`, '=', prefix.length + length)
    // The character after the slash is a zero: these are all keys with the prefix.
    .$if(domain !== null, (query) => query.where('slug', '>', prefix).where('slug', '<', `${domain}0`))
    .$if(domain === null, (query) => query.where('slug', 'not like', '%/%'))
    .executeTakeFirstOrThrow()
  return row.count
}
