import type { Result } from '../../call.ts'
import { me } from '../../me.ts'

export type Link = Result<'getLink'>
export type Slug = Link['slugs'][number]

export function primaryOf({ slugs }: Link): string {
  return (slugs.find(({ is_primary }) => is_primary) ?? slugs[0])?.slug ?? ''
}

export function shortUrl(slug: string): string {
  return `${me.origin}/${slug}`
}

/** As people read it aloud: without the scheme. */
export function shownUrl(slug: string): string {
  return shortUrl(slug).replace(/^https?:\/\//, '')
}

export function nameOf(link: Link): string {
  return link.label ?? shownUrl(primaryOf(link))
}

export function isMine(link: Pick<Link, 'created_by'>): boolean {
  return link.created_by === me.identity
}
