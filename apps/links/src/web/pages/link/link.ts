import type { Subject } from '../../analytics/use-analytics.ts'
import type { Result } from '../../call.ts'
import { me } from '../../me.ts'
import { primarySlugName } from '../../parts/short-url.ts'

export type Link = Result<'getLink'>
export type Slug = Link['slugs'][number]

export function nameOf(link: Link): string {
  return link.label ?? primarySlugName(link)
}

export function isMine(link: Pick<Link, 'created_by'>): boolean {
  return link.created_by === me.identity
}

/** The link as the subject of its statistics. */
export function subjectOf({ id }: Pick<Link, 'id'>): Subject {
  return { dimension: 'link', value: String(id) }
}
