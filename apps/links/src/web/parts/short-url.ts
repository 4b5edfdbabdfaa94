import type { Result } from '../call.ts'
import { me } from '../me.ts'

type WithSlugs = Pick<Result<'getLink'>, 'slugs'>

/** The primary slug, or the first slug if none is primary. */
export function primarySlug({ slugs }: WithSlugs): string {
  return (slugs.find(({ is_primary }) => is_primary === 1) ?? slugs[0])?.slug ?? ''
}

export function slugUrl(slug: string): string {
  return `${me.origin}/${slug}`
}

/** Short URL of the primary slug. */
export function shortUrl(link: WithSlugs): string {
  return slugUrl(primarySlug(link))
}

export function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//, '')
}
