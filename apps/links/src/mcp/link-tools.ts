import { z } from 'zod'
import type { Range } from '../time/schema.ts'
import type { Context } from '../api/context.ts'
import { DomainHost } from '../domains/schema.ts'
import { createLinks } from '../bulk/operations.ts'
import { BulkResult } from '../bulk/schema.ts'
import { updateLink, deleteLink, disableLink, enableLink, getLink } from '../links/operations.ts'
import { listLinks } from '../links/list-operations.ts'
import { LinkChanges, NewLink } from '../links/schema.ts'
import { addSlug, slugOfLink } from '../links/slugs/operations.ts'
import { Slug } from '../links/slugs/schema.ts'
import { MAX_SLUG_LENGTH } from '../urls/slug.ts'
import { boundedText, trimmedText } from '../api/text.ts'
import { createLinkWithSlugs, SlugRejection } from './create-link.ts'
import { perform } from '../api/perform.ts'
import { LinkWithShortUrl, withShortUrl, withShortUrls } from './short-url.ts'
import { type ItemPage, LinkId, MAX_ITEMS, truncateList, listOf, rangedTool, tool } from './tool.ts'

const SLUG_RULE = 'Letters, digits and, in the middle, . _ ~ -; upper-case letters are lower-cased.'
const SlugArgument = z
  .string()
  .meta({ description: `A slug of the link. ${SLUG_RULE}`, maxLength: MAX_SLUG_LENGTH })
/** Each slug is a transaction of its own. */
const MAX_SLUGS_PER_CALL = 100
const CustomSlugs = z
  .union([SlugArgument, z.array(SlugArgument).meta({ maxItems: MAX_SLUGS_PER_CALL })])
  .refine(
    (slugs) => [slugs].flat().length <= MAX_SLUGS_PER_CALL,
    `must have at most ${MAX_SLUGS_PER_CALL} items`,
  )

const DomainFilter = DomainHost.optional().meta({
  description: 'Only links of this short domain; links of all domains by default.',
})

interface LinkSearch {
  range: Range
  domain?: string | undefined
  search?: string
  owner?: string
}

async function findLinks(context: Context, query: LinkSearch): Promise<ItemPage<LinkWithShortUrl>> {
  return withShortUrls(context, await perform(context, listLinks, { query: { ...query, limit: MAX_ITEMS } }))
}

const SearchOutput = {
  ...listOf(LinkWithShortUrl),
  count: z.int().meta({ description: 'The number of links in `results`.' }),
  message: z.string().optional().meta({ description: 'Advice if there are no results.' }),
}

/** Searches links. A blank text, which would match every link, finds none. */
async function searchLinks(
  context: Context,
  query: LinkSearch,
  [text, blank, noMatch]: readonly [text: string, blank: string, none: string],
) {
  if (text.trim() === '') return { results: [], count: 0, message: blank }
  const list = truncateList(await findLinks(context, query))
  return { ...list, count: list.results.length, ...(list.results.length === 0 ? { message: noMatch } : {}) }
}

const linkParams = ({ link_id }: { link_id: number }) => ({ params: { id: link_id } })
const slugParams = ({ link_id, slug }: { link_id: number; slug: string }) => ({
  params: { id: link_id, slug },
})

const readingTools = [
  rangedTool({
    name: 'list_links',
    title: 'List links',
    description:
      'Lists the links of all users with their clicks, newest first. Returns at most 1000 links; search for older ones.',
    input: { domain: DomainFilter },
    output: listOf(LinkWithShortUrl),
    run: async (context, { domain }, range) => truncateList(await findLinks(context, { domain, range })),
  }),
  rangedTool({
    name: 'get_link',
    title: 'Read a link',
    description: 'Reads one link with its slugs and their clicks.',
    input: { link_id: LinkId },
    output: LinkWithShortUrl.shape,
    run: async (context, { link_id }, range) =>
      withShortUrl(context, await perform(context, getLink, { params: { id: link_id }, query: { range } })),
  }),
  rangedTool({
    name: 'search_links',
    title: 'Search links',
    description:
      'Finds links whose label, URL, owner or any slug contains a text, in any case, newest first.',
    input: {
      query: trimmedText(256).meta({ description: 'The text to find; % and _ are ordinary characters.' }),
      domain: DomainFilter,
    },
    output: SearchOutput,
    run: (context, { query, domain }, range) =>
      searchLinks(context, { search: query, domain, range }, [
        query,
        'The query is blank: give a part of a label, URL, slug or owner, or use list_links for all links.',
        'No link matches: try a shorter part of its label, URL, slug or owner.',
      ]),
  }),
  rangedTool({
    name: 'list_links_by_owner',
    title: 'List links of an owner',
    description: 'Lists the links of one owner, newest first.',
    input: {
      owner: boundedText(320).meta({ description: 'The exact `created_by`, usually an email address.' }),
    },
    output: SearchOutput,
    run: (context, { owner }, range) =>
      searchLinks(context, { owner, range }, [
        owner,
        'The owner is blank: give an exact `created_by`, or use list_links for all links.',
        'This owner has no links: `created_by` must match exactly; search_links finds parts of it.',
      ]),
  }),
]

const { url, label, slug_length, expires_at } = NewLink.shape

/** A link of `create_links`: the fields of the API, without the second name of `slug`. */
const { custom_slug: _, ...newLinkFields } = NewLink.shape
const NewLinkOfMany = z.object(newLinkFields).strict()

/** Links of one call. An assistant reads every result. */
const MAX_NEW_LINKS = 100

const writingTools = [
  tool({
    name: 'create_link',
    title: 'Shorten a URL',
    description:
      'Creates a short link. Without custom_slug, an existing active link with the same URL is returned and marked `duplicate`. With custom_slug, your own active link with the URL is used if one exists; unavailable slugs are listed in `slug_rejections`. Repeating a call changes nothing.',
    effect: 'set',
    input: {
      url,
      label,
      slug_length,
      domain: DomainHost.optional().meta({
        description: 'Host of the short domain for the link; the default domain if it is left out.',
      }),
      custom_slug: CustomSlugs.optional().meta({
        description: `One slug or up to ${MAX_SLUGS_PER_CALL}, each 1 to ${MAX_SLUG_LENGTH} characters; the first available one becomes primary.`,
      }),
      expires_at,
    },
    output: LinkWithShortUrl.extend({ slug_rejections: z.array(SlugRejection).optional() }),
    run: async (context, args) => withShortUrl(context, await createLinkWithSlugs(context, args)),
  }),
  tool({
    name: 'create_links',
    title: 'Shorten many URLs',
    description:
      'Creates many short links. A link that fails leaves the others; each result has its `status`, and an `error` if it failed. An existing active link with the same URL is returned and marked `duplicate`, unless a slug is given.',
    effect: 'add',
    input: {
      links: z
        .array(NewLinkOfMany)
        .min(1)
        .max(MAX_NEW_LINKS)
        .meta({ description: `The links, at most ${MAX_NEW_LINKS}.` }),
    },
    output: z.object({
      results: z.array(BulkResult.extend({ link: LinkWithShortUrl.optional() })),
    }),
    async run(context, { links }) {
      const { results } = await perform(context, createLinks, { body: { items: links } })
      return {
        results: results.map(({ link, ...result }) => ({
          ...result,
          ...(link && { link: withShortUrl(context, link) }),
        })),
      }
    },
  }),
  tool({
    name: 'update_link',
    title: 'Change a link',
    description: 'Changes the given fields of a link that you own. Null clears label or expires_at.',
    effect: 'set',
    input: { link_id: LinkId, ...LinkChanges.omit({ slug: true }).shape },
    output: LinkWithShortUrl,
    run: async (context, { link_id, ...body }) =>
      withShortUrl(context, await perform(context, updateLink, { params: { id: link_id }, body })),
  }),
  tool({
    name: 'disable_link',
    title: 'Disable a link',
    description:
      'Disables a link that you own, with all its slugs: it does not redirect. enable_link reverses this.',
    effect: 'set',
    input: { link_id: LinkId },
    output: LinkWithShortUrl,
    run: async (context, args) =>
      withShortUrl(context, await perform(context, disableLink, linkParams(args))),
  }),
  tool({
    name: 'enable_link',
    title: 'Enable a link',
    description: 'Enables a disabled link that you own: it redirects again. Its expiry does not change.',
    effect: 'set',
    input: { link_id: LinkId },
    output: LinkWithShortUrl,
    run: async (context, args) => withShortUrl(context, await perform(context, enableLink, linkParams(args))),
  }),
  tool({
    name: 'delete_link',
    title: 'Delete a link',
    description: 'Deletes a link that you own, if it has no clicks. Disable a link with clicks instead.',
    effect: 'remove',
    input: { link_id: LinkId },
    output: z.object({ deleted: z.literal(true) }),
    run: (context, args) => perform(context, deleteLink, linkParams(args)),
  }),
]

const slugTools = [
  tool({
    name: 'add_custom_slug',
    title: 'Add a slug',
    description: 'Adds a custom slug to any link.',
    effect: 'add',
    input: { link_id: LinkId, slug: SlugArgument.meta({ description: `The new slug. ${SLUG_RULE}` }) },
    output: Slug,
    run: (context, { link_id, slug }) =>
      perform(context, addSlug, { params: { id: link_id }, body: { slug } }),
  }),
  tool({
    name: 'disable_slug',
    title: 'Disable a slug',
    description: 'Disables a custom slug of a link that you own: it does not redirect, but stays taken.',
    effect: 'set',
    input: { link_id: LinkId, slug: SlugArgument },
    output: Slug,
    run: (context, args) => perform(context, slugOfLink.disable, slugParams(args)),
  }),
  tool({
    name: 'enable_slug',
    title: 'Enable a slug',
    description:
      'Enables a disabled slug of a link that you own: it redirects again. It does not become primary.',
    effect: 'set',
    input: { link_id: LinkId, slug: SlugArgument },
    output: Slug,
    run: (context, args) => perform(context, slugOfLink.enable, slugParams(args)),
  }),
  tool({
    name: 'set_primary_slug',
    title: 'Choose the primary slug',
    description:
      'Makes an enabled slug of a link that you own its primary slug, which is displayed and encoded in QR codes.',
    effect: 'set',
    input: { link_id: LinkId, slug: SlugArgument },
    output: LinkWithShortUrl,
    run: async (context, args) =>
      withShortUrl(context, await perform(context, slugOfLink.setPrimary, slugParams(args))),
  }),
  tool({
    name: 'remove_slug',
    title: 'Remove a slug',
    description: 'Removes a custom slug without clicks from a link that you own.',
    effect: 'remove',
    input: { link_id: LinkId, slug: SlugArgument },
    output: z.object({ removed: z.literal(true) }),
    run: (context, args) => perform(context, slugOfLink.remove, slugParams(args)),
  }),
]

export const linkTools = [...readingTools, ...writingTools, ...slugTools]
