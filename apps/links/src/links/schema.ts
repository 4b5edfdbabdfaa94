import { z } from 'zod'
import { text } from '@latchkey/http/text'
import {
  DeltaPct,
  Id,
  MAX_ID,
  MAX_MOMENT,
  NameCount,
  PageQuery,
  wholeNumber,
  wholeText,
} from '../api/fields.ts'
import { Range } from '../time/schema.ts'
import { DomainQuery, OwnDomain } from '../domains/schema.ts'
import { LegacyPath } from './legacy/schema.ts'
import { CustomSlug, Slug } from './slugs/schema.ts'
import { foldSlug } from '../urls/slug.ts'
import { boundedText, trimmedText, withoutFormat } from '../api/text.ts'
import { behaviourParts } from './behaviour/program.ts'
import { DestinationUrl } from '../urls/destination-url.ts'

const ShortOrigin = z.string().meta({
  description:
    'Public origin of short URLs, such as `https://go.example.com`. A short URL is this origin, a slash and a slug.',
})

export const Link = z
  .object({
    id: z.int(),
    url: z.string(),
    label: z.string().nullable(),
    expires_at: z
      .int()
      .nullable()
      .meta({ description: 'Unix seconds; the link does not redirect from then on.' }),
    disabled_at: z.int().nullable().meta({ description: 'Unix seconds; set while the link is disabled.' }),
    created_via: z.string().nullable(),
    created_by: z.string().meta({ description: 'Identity of the owner.' }),
    created_at: z.int(),
    slugs: z.array(Slug).meta({ description: 'The slugs; the first is always the automatic slug.' }),
    total_clicks: z
      .int()
      .meta({ description: 'Raw clicks: of all time, or in the window if `range` is given.' }),
    delta_pct: DeltaPct,
    short_origin: ShortOrigin,
    domain: OwnDomain,
    legacy_paths: z
      .array(LegacyPath)
      .exactOptional()
      .meta({ description: 'Paths of another service that it answers as well; absent without any.' }),
    duplicate: z.literal(true).optional(),
    duplicate_count: z.int().optional(),
  })
  .meta({ id: 'Link' })
export type Link = z.output<typeof Link>

export const Config = z.object({ short_origin: ShortOrigin })

export const MAX_LABEL_LENGTH = 500

export const Label = boundedText(MAX_LABEL_LENGTH, text().overwrite(withoutFormat).trim())
  .meta({ description: 'Format characters other than joiners are removed.' })
  .transform((label) => label || null)

const ExpiresAt = z.int().min(0).max(MAX_MOMENT).meta({ description: 'Unix seconds.' })

export const NewLink = z
  .object({
    url: DestinationUrl,
    slug: CustomSlug.optional(),
    custom_slug: CustomSlug.optional().meta({ description: 'Same as `slug`.' }),
    label: Label.nullable().optional(),
    slug_length: z.int().min(3).max(128).optional().meta({ description: 'Length of the automatic slug.' }),
    expires_at: ExpiresAt.nullable().optional(),
    allow_duplicate: z
      .boolean()
      .optional()
      .meta({ description: 'Create a new link even if one exists for the URL.' }),
  })
  .superRefine((body, context) => {
    const { slug, custom_slug: alias } = body
    if (slug !== undefined && alias !== undefined && foldSlug(slug) !== foldSlug(alias))
      context.addIssue({ code: 'custom', path: ['slug'], message: 'slug and custom_slug differ' })
  })
  .meta({ id: 'NewLink' })
export type NewLink = z.output<typeof NewLink>

export const LinkChanges = z
  .object({
    url: DestinationUrl.optional(),
    slug: CustomSlug.optional(),
    label: Label.nullable().optional(),
    expires_at: ExpiresAt.nullable().optional(),
  })
  .meta({ id: 'LinkChanges' })
export type LinkChanges = z.output<typeof LinkChanges>

export const Status = z.enum(['active', 'disabled', 'expired', 'all'])

/** How a link was created (L3.8). */
const Source = z.enum(['api', 'sdk', 'app', 'mcp', 'import'])

/** How the values of a filter are written: as text in a query, or as JSON. */
interface FilterValues<
  IdSchema extends z.ZodType<number>,
  Moment extends z.ZodType<number>,
  Flag extends z.ZodType<boolean>,
> {
  id: IdSchema
  moment: Moment
  flag: Flag
}

/** The filters of every list. */
function filterFields<
  IdSchema extends z.ZodType<number>,
  Moment extends z.ZodType<number>,
  Flag extends z.ZodType<boolean>,
>({ id, moment, flag }: FilterValues<IdSchema, Moment, Flag>) {
  return {
    owner: text().optional().meta({ description: 'The exact owner; empty for all owners.' }),
    search: trimmedText(256).optional().meta({
      description:
        'Words in any order. Each is a part of the label, URL, owner, a slug or the name of a bundle with the link, in any case.',
    }),
    host: trimmedText(261)
      .transform((host) => host.toLowerCase())
      .optional()
      .meta({ description: 'The exact host of the destination.' }),
    domain: DomainQuery.meta({
      description: 'Host of a short domain; without it, links of all domains.',
    }),
    bundle: id.optional().meta({ description: 'The id of a bundle.' }),
    no_bundle: flag.optional().meta({ description: 'Only links that are in no bundle.' }),
    updated_since: moment.optional().meta({ description: 'Unix seconds; links that were changed since.' }),
    unused_since: moment.optional().meta({
      description: 'Unix seconds; links that were created before, and not clicked since.',
    }),
  }
}

const queryFields = filterFields({
  id: Id,
  moment: wholeText(0, MAX_MOMENT),
  flag: z.enum(['true', 'false']).transform((value) => value === 'true'),
})

/** A filter also on the admin side (L17.1) and in bodies. */
function moreFields<Flag extends z.ZodType<boolean>>(flag: Flag) {
  return {
    status: z
      .enum([...Status.options, 'expiring'])
      .default('all')
      .meta({
        description: '`expiring`: active, and expires within seven days.',
      }),
    source: Source.optional().meta({ description: 'How the link was created.' }),
    has_behaviour: flag
      .optional()
      .meta({ description: 'Only links with rules, a split, times, a limit or a password.' }),
  }
}

export const LinkQuery = z.object({
  ...queryFields,
  range: Range.optional(),
  status: Status.default('all').meta({ description: 'Only links in this state.' }),
  sort: z.enum(['created', 'clicks', 'updated', 'last_click']).default('created').meta({
    description: 'The newest, most or latest first. `last_click` is by the hour.',
  }),
  ...PageQuery.shape,
})
export type LinkQuery = z.output<typeof LinkQuery>

const adminFields = { ...queryFields, ...moreFields(queryFields.no_bundle.unwrap()) }

export const LinkFilter = z.object(adminFields)
export type LinkFilter = z.output<typeof LinkFilter>

/** `LinkFilter` as JSON of a request's body. */
export const LinkFilterBody = z
  .object({
    ...filterFields({
      id: z.int().min(1).max(MAX_ID),
      moment: z.int().min(0).max(MAX_MOMENT),
      flag: z.boolean(),
    }),
    ...moreFields(z.boolean()),
  })
  .strict()
  .meta({ id: 'LinkFilter' })

/** The admin side also uses page numbers for its tables (L17). */
export const LinkPageQuery = LinkQuery.extend({
  ...adminFields,
  sort: z.enum(['created', 'clicks', 'updated', 'last_click', 'slug', 'expires']).default('created'),
  order: z.enum(['asc', 'desc']).optional().meta({
    description:
      'Default: newest first; slugs and expiries ascending. Lists by clicks always begin with the most or the latest.',
  }),
  page: wholeNumber(1, 999_999_999)
    .optional()
    .meta({ description: 'The page number; a page past the end returns the last one.' }),
  per_page: wholeNumber(1, 100).optional().meta({ description: 'Links on a numbered page, 25 by default.' }),
})
export type LinkPageQuery = z.output<typeof LinkPageQuery>

/** The numbers of a filter menu. */
export const LinkCounts = z
  .object({
    total: z.int(),
    states: z.object({
      active: z.int(),
      disabled: z.int(),
      expired: z.int(),
      expiring: z.int().meta({ description: 'Of the active ones, those that expire within seven days.' }),
    }),
    sources: z.array(NameCount),
    owners: z.array(NameCount).meta({ description: 'The ten owners of most links.' }),
    exact: z.boolean().meta({ description: '`false`: there are more links than were counted.' }),
  })
  .meta({ id: 'LinkCounts' })
export type LinkCounts = z.output<typeof LinkCounts>

/** A link on the admin side's list. */
export const ListedLink = Link.extend({
  bundles: z.array(
    z.object({ id: z.int(), name: z.string(), accent: z.string(), icon: z.string().nullable() }),
  ),
  behaviour: z
    .array(z.enum(behaviourParts))
    .optional()
    .meta({ description: 'What the link has besides its URL; absent for a link that has nothing.' }),
  trend: z.array(z.int()).optional().meta({
    description: 'Clicks on each of the last 30 UTC days, on numbered pages; absent without any.',
  }),
}).meta({ id: 'ListedLink' })
export type ListedLink = z.output<typeof ListedLink>
