import { z } from 'zod'
import type { Context } from '../context.ts'
import { Link } from '../links/schema.ts'
import type { Found } from './tool.ts'

/** A link as assistants are told of it: they cannot know on which host its slugs are. */
export const ShortLink = Link.extend({
  short_url: z.string().meta({ description: 'The short URL to share, with the primary slug.' }),
})
export type ShortLink = z.output<typeof ShortLink>

export function shortLink<Given extends Link>({ origin }: Context, link: Given): Given & ShortLink {
  const primary = link.slugs.find(({ is_primary }) => is_primary === 1)
  return { ...link, short_url: `${origin}/${primary?.slug ?? ''}` }
}

export function shortLinks(context: Context, { items, total }: Found<Link>): Found<ShortLink> {
  return { items: items.map((link) => shortLink(context, link)), total }
}
