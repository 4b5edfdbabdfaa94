import type { Context } from '../api/context.ts'
import type { Tx } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import { findPreferences } from '../preferences/store.ts'
import { requireFinalDestination } from './behaviour/redirect-loops.ts'
import { findFreeSlug } from './slugs/generator.ts'
import { type Domain, slugKey } from '../urls/slug.ts'
import { insertSlug } from './slugs/store.ts'
import type { Link, NewLink } from './schema.ts'
import { insertLink } from './insert.ts'
import { deleteLinkRow, findDuplicate, findEntityTag, lockUrl } from './store.ts'
import { readChangedLink, readChangedLinks } from './read-model.ts'

interface NewLinkRow {
  url: string
  domain: Domain
  customSlug?: string | undefined
  label?: string | null | undefined
  autoLength: number
  /** A free automatic slug, if one is known. */
  autoSlug?: string | undefined
  expiresAt?: number | null | undefined
}

/**
 * Stores a link with its automatic slug and, if given, a custom slug as the primary one. 409 leaves
 * nothing behind.
 */
async function insertLinkWithSlugs(tx: Tx, context: CreationContext, link: NewLinkRow): Promise<number> {
  const { now, identity, createdVia } = context
  const { domain } = link
  const custom = link.customSlug === undefined ? undefined : slugKey(domain, link.customSlug)
  for (let proposed = link.autoSlug; ; proposed = undefined) {
    const auto = proposed ?? (await findFreeSlug(tx, domain, link.autoLength))
    const id = await insertLink(tx, {
      url: link.url,
      label: link.label ?? null,
      expires_at: link.expiresAt ?? null,
      created_via: createdVia,
      created_by: identity,
      created_at: now,
      updated_at: now,
      primary_slug: custom ?? auto,
      domain,
    })
    const base = { link_id: id, created_at: now, disabled_at: null }
    if (custom !== undefined) {
      const isInserted = await insertSlug(tx, { ...base, slug: custom, is_custom: 1 })
      if (!isInserted) throw failure('slug_taken')
      context.slugSpace.recordSlug(custom)
    }
    if (await insertSlug(tx, { ...base, slug: auto, is_custom: 0 })) {
      context.slugSpace.recordSlug(auto)
      return id
    }
    // Another node took the automatic slug between the lookup and the insert.
    await deleteLinkRow(tx, context.database, id)
  }
}

/** Everything of a request that a creation depends on. */
export type CreationContext = Pick<
  Context,
  | 'database'
  | 'identity'
  | 'createdVia'
  | 'now'
  | 'origin'
  | 'sites'
  | 'slugSpace'
  | 'filters'
  | 'headers'
  | 'flushClicks'
  | 'enqueueTitleFetch'
>

/** The fields of a link that is created, with its domain as it is stored. */
export type Creation = NewLink & { domain: Domain }

/** Whether the caller is content with an existing link. A custom slug always creates a new one. */
export function mayReuse({ slug, custom_slug: alias, allow_duplicate }: NewLink): boolean {
  return slug === undefined && alias === undefined && allow_duplicate !== true
}

/**
 * Finds the link that a creation reuses. Its URL must be locked. The link is not, because locks of links come
 * before those of URLs: its owner may change it before it is read (`isReusable`).
 */
export function findReusable(
  tx: Tx,
  { identity, now }: CreationContext,
  { url, domain }: Pick<Creation, 'url' | 'domain'>,
  reuse: 'any' | 'own',
): Promise<{ id: number; count: number } | undefined> {
  return findDuplicate(tx, { url, domain, identity, now, ownOnly: reuse === 'own' })
}

/** Whether the link, as it was read for the answer, can still be reused. */
export function isReusable(link: Link | undefined, { url }: Pick<Creation, 'url'>): link is Link {
  return link?.url === url && link.disabled_at === null
}

/** The answer of a creation that reuses this link; undefined if it cannot be reused any more. */
async function readReused(
  tx: Tx,
  context: CreationContext,
  body: Creation,
  { id, count }: { id: number; count: number },
): Promise<Link | undefined> {
  // Read first: an older tag makes the caller read again, a newer one would overwrite a change.
  const tag = await findEntityTag(tx, id)
  const [link] = await readChangedLinks(tx, [id], context)
  if (tag === undefined || !isReusable(link, body)) return undefined
  context.headers['ETag'] = tag
  return withDuplicates(link, count)
}

/** The length of an automatic slug for which the caller gives none. */
export async function findAutoLength(tx: Tx, context: CreationContext, domain: Domain): Promise<number> {
  const { slug_default_length: preferred } = await findPreferences(tx, context.identity)
  return context.slugSpace.findLength(tx, domain, preferred)
}

/** Stores a new link and returns its id. Throws if it may not be stored; roll back then. */
export async function storeNewLink(
  tx: Tx,
  context: CreationContext,
  body: Creation,
  auto: { length: number; slug?: string | undefined },
): Promise<number> {
  const { url, domain, label, expires_at: expiresAt } = body
  const id = await insertLinkWithSlugs(tx, context, {
    url,
    domain,
    customSlug: body.slug ?? body.custom_slug,
    label,
    expiresAt,
    autoLength: auto.length,
    autoSlug: auto.slug,
  })
  await requireFinalDestination(tx, context, { id, url, behaviour: null })
  return id
}

/**
 * Creates a link, or returns an active one with the same URL on the same domain: the caller's own if there is one,
 * else any, or with `own` only the caller's. A custom slug always creates a new link.
 */
export async function createOrReuse(
  context: CreationContext,
  body: Creation,
  reuse: 'any' | 'own',
): Promise<Link> {
  const { url, domain } = body
  /** Returns the link, or undefined if a duplicate exists whose clicks have to be counted first. */
  const tryCreate = (isFlushed: boolean) =>
    context.database.write(async (tx): Promise<Link | undefined> => {
      if (mayReuse(body)) {
        await lockUrl(tx, context.database, url)
        const duplicate = await findReusable(tx, context, body, reuse)
        if (duplicate && !isFlushed) return undefined
        const reused = duplicate && (await readReused(tx, context, body, duplicate))
        if (reused) return reused
      }
      const length = body.slug_length ?? (await findAutoLength(tx, context, domain))
      return readChangedLink(tx, await storeNewLink(tx, context, body, { length }), context)
    })
  const createAfterFlush = async () => {
    await context.flushClicks()
    return tryCreate(true)
  }
  const link = (await tryCreate(false)) ?? (await createAfterFlush())
  if (!link) throw new Error('A link was neither found nor made')
  if (!body.label && !link.duplicate) context.enqueueTitleFetch?.(link.id, url)
  return link
}

export function withDuplicates(link: Link, count: number): Link {
  return { ...link, duplicate: true as const, duplicate_count: count }
}
