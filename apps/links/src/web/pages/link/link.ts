import type { Result } from '../../call.ts'
import { me } from '../../me.ts'
import { primarySlug, withoutScheme } from '../../parts/short.ts'

export type Link = Result<'getLink'>
export type Slug = Link['slugs'][number]

export function shortUrl(slug: string): string {
  return `${me.origin}/${slug}`
}

/** As people read it aloud: without the scheme. */
export function shownUrl(slug: string): string {
  return withoutScheme(shortUrl(slug))
}

export function nameOf(link: Link): string {
  return link.label ?? shownUrl(primarySlug(link))
}

export function isMine(link: Pick<Link, 'created_by'>): boolean {
  return link.created_by === me.identity
}
