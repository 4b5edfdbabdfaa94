import { z } from 'zod'
import type { Context } from '../../api/context.ts'
import type { Tx } from '../../db/tables.ts'
import { queriedDomain } from '../../domains/find.ts'
import { DomainQuery } from '../../domains/schema.ts'
import { failure, type FailureCode } from '../../api/failures.ts'
import { type LinkRow, findLinkRow, lockLinkForWrite } from '../store.ts'
import { requireVersion } from '../../api/entity-tag.ts'
import { type Domain, slugKey } from '../../urls/slug.ts'
import { type SlugRow, findSlug } from './store.ts'

/** The slug in a route: a slug of one link, or any slug by itself (L8.3). */
export interface SlugReference {
  id?: number | undefined
  slug: string
  /** The domain of a slug by itself; a link has its own. */
  domain: Domain
}

export const domainQuery = z.object({ domain: DomainQuery })

/** The slug that a request names. */
export function referenceOf(
  context: Context,
  {
    params,
    query = {},
  }: {
    params: { id?: number | undefined; slug: string }
    query?: { domain?: string | undefined } | undefined
  },
): SlugReference {
  return { ...params, domain: queriedDomain(context, query.domain) }
}

/** Returns the key of the slug. A link that does not exist has none. */
export async function keyOf({ database }: Context, { id, slug, domain }: SlugReference): Promise<string> {
  const link = id === undefined ? undefined : await findLinkRow(database.read, id)
  return slugKey(link?.domain ?? domain, slug)
}

/** Returns the slug and its locked link, for a write by the owner. Throws as the write does. */
export async function requireOwnedSlug(
  tx: Tx,
  context: Context,
  { id, slug, domain }: SlugReference,
  notOwner: FailureCode,
): Promise<{ link: LinkRow; row: SlugRow }> {
  const linkId = id ?? (await findSlug(tx, slugKey(domain, slug)))?.link_id
  if (linkId === undefined) throw failure('slug_not_found')
  const link = await lockLinkForWrite(tx, context.database, linkId)
  if (!link) throw failure(id === undefined ? 'slug_not_found' : 'link_not_found')
  // Read again under the lock: the slug may have moved or been deleted in the meantime.
  const row = await findSlug(tx, slugKey(link.domain, slug))
  if (row?.link_id !== linkId) throw failure(id === undefined ? 'slug_not_found' : 'slug_not_on_link')
  if (link.created_by !== context.identity) throw failure(notOwner)
  requireVersion(context, link)
  return { link, row }
}
