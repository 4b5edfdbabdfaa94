import type { Result } from '../call.ts'
import { me } from '../me.ts'

type WithSlugs = Pick<Result<'getLink'>, 'slugs'>

/** The slug that stands for a link. */
export function primarySlug({ slugs }: WithSlugs): string {
  return (slugs.find(({ is_primary }) => is_primary === 1) ?? slugs[0])?.slug ?? ''
}

export function slugUrl(slug: string): string {
  return `${me.origin}/${slug}`
}

/** The address to hand out. */
export function shortUrl(link: WithSlugs): string {
  return slugUrl(primarySlug(link))
}

/** An address as it is shown where its scheme says nothing. */
export function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//, '')
}
