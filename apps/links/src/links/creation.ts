import type { Transaction } from 'kysely'
import type { Context } from '../context.ts'
import type { Tables } from '../db/tables.ts'
import { failure } from '../failures.ts'
import { findPreferences } from '../preferences/store.ts'
import { requireEnd } from './behaviour/rings.ts'
import { findFreeSlug } from './slugs/generator.ts'
import { type Domain, slugKey } from './slugs/slug.ts'
import { insertSlug } from './slugs/store.ts'
import type { Link, NewLink } from './schema.ts'
import { deleteLink, findDuplicate, insertLink, lockLinkRow, readChangedLink, lockUrl } from './store.ts'

type Tx = Transaction<Tables>

interface NewLinkRow {
  url: string
  domain: Domain
  customSlug?: string | undefined
  label?: string | null | undefined
  autoLength: number
  expiresAt?: number | null | undefined
}

/**
 * Stores a link with its automatic slug and, if given, a custom slug as the primary one. 409 leaves
 * nothing behind.
 */
async function insertLinkWithSlugs(tx: Tx, context: Context, link: NewLinkRow): Promise<number> {
  const { now, identity, createdVia } = context
  const { domain } = link
  const custom = link.customSlug === undefined ? undefined : slugKey(domain, link.customSlug)
  for (;;) {
    const auto = await findFreeSlug(tx, domain, link.autoLength)
    const id = await insertLink(tx, {
      url: link.url,
      label: link.label ?? null,
      expires_at: link.expiresAt ?? null,
      created_via: createdVia,
      created_by: identity,
      created_at: now,
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
    await deleteLink(tx, context.database, id)
  }
}

async function chooseAutoLength(
  tx: Tx,
  context: Context,
  domain: Domain,
  requested: number | undefined,
): Promise<number> {
  if (requested !== undefined) return requested
  const { slug_default_length: preferred } = await findPreferences(tx, context.identity)
  return context.slugSpace.findLength(tx, domain, preferred)
}

/**
 * Creates a link, or returns an active one with the same URL on the same domain: the caller's own if there is one,
 * else any, or with `own` only the caller's. A custom slug always creates a new link.
 */
export async function createOrReuse(
  context: Context,
  body: NewLink & { domain: Domain },
  reuse: 'any' | 'own',
): Promise<Link> {
  const { url, domain } = body
  const { identity, now } = context
  const customSlug = body.slug ?? body.custom_slug
  const mayReuse = customSlug === undefined && body.allow_duplicate !== true
  /** Returns the link, or undefined if a duplicate exists whose clicks have to be counted first. */
  const tryCreate = (isFlushed: boolean) =>
    context.database.write(async (tx): Promise<Link | undefined> => {
      if (mayReuse) {
        await lockUrl(tx, context.database, url)
        const duplicate = await findDuplicate(tx, { url, domain, identity, now, ownOnly: reuse === 'own' })
        if (duplicate && !isFlushed) return undefined
        // The owner may have deleted it in the meantime.
        if (duplicate && (await lockLinkRow(tx, context.database, duplicate.id)))
          return {
            ...(await readChangedLink(tx, duplicate.id, context)),
            duplicate: true as const,
            duplicate_count: duplicate.count,
          }
      }
      const { label, expires_at: expiresAt } = body
      const length = await chooseAutoLength(tx, context, domain, body.slug_length)
      const id = await insertLinkWithSlugs(tx, context, {
        url,
        domain,
        customSlug,
        label,
        expiresAt,
        autoLength: length,
      })
      await requireEnd(tx, context, { id, url, behaviour: null })
      return readChangedLink(tx, id, context)
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
