import { z } from 'zod'
import type { Context } from '../api/context.ts'
import { Link } from '../links/schema.ts'
import type { ItemPage } from './tool.ts'

/** A link as assistants receive it. They cannot know the host of its slugs. */
export const LinkWithShortUrl = Link.extend({
  short_url: z.string().meta({ description: 'The short URL to share, with the primary slug.' }),
})
export type LinkWithShortUrl = z.output<typeof LinkWithShortUrl>

export function withShortUrl<SourceLink extends Link>(
  _: Context,
  link: SourceLink,
): SourceLink & LinkWithShortUrl {
  const primary = link.slugs.find(({ is_primary }) => is_primary === 1)
  return { ...link, short_url: `${link.short_origin}/${primary?.slug ?? ''}` }
}

export function withShortUrls(
  context: Context,
  { items, total }: ItemPage<Link>,
): ItemPage<LinkWithShortUrl> {
  return { items: items.map((link) => withShortUrl(context, link)), total }
}
