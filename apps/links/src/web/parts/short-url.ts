import { originOfDomain } from '../../urls/host.ts'
import type { Result } from '../call.ts'
import { me } from '../me.ts'

type WithSlugs = Pick<Result<'getLink'>, 'slugs'>

/** A slug, and its domain off the default domain. */
export type OwnSlug = Pick<WithSlugs['slugs'][number], 'slug' | 'domain'>

/** Host of the default domain. */
export const defaultHost = new URL(me.origin).hostname

function primary({ slugs }: WithSlugs): OwnSlug {
  return slugs.find(({ is_primary }) => is_primary === 1) ?? slugs[0] ?? { slug: '' }
}

/** The primary slug, or the first slug if none is primary. */
export function primarySlug(link: WithSlugs): string {
  return primary(link).slug
}

export function slugUrl({ slug, domain }: OwnSlug): string {
  return `${originOfDomain(me.origin, domain)}/${slug}`
}

/** The slug with its slash, and off the default domain with its host. */
export function slugName({ slug, domain = '' }: OwnSlug): string {
  return `${domain}/${slug}`
}

/** `slugName` of a slug that has its host before it off the default domain, as analytics have it. */
export function keyName(key: string): string {
  return key.includes('/') ? key : `/${key}`
}

/** `slugName` of the primary slug. */
export function primarySlugName(link: WithSlugs): string {
  return slugName(primary(link))
}

/** Short URL of the primary slug. */
export function shortUrl(link: WithSlugs): string {
  return slugUrl(primary(link))
}

export function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//, '')
}
