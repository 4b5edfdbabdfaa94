import { z } from 'zod'
import { sparklineUnits } from '../time/ranges.ts'
import { OwnDomain } from '../domains/schema.ts'
import { codePoints, text } from '@latchkey/http/text'
import { Range } from '../time/schema.ts'
import { Id, IdParams, LinkId, PageQuery, wholeNumber, DeltaPct } from '../api/fields.ts'
import { boundedText, trimmedText } from '../api/text.ts'
import { accents } from './accent.ts'

const MAX_NAME_LENGTH = 120

export const Accent = z.enum(accents, {
  error: () => `accent must be one of: ${accents.join(', ')}`,
})

export const Bundle = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string().nullable(),
    icon: z.string().nullable(),
    accent: Accent,
    archived_at: z.int().nullable().meta({ description: 'Unix seconds; set while the bundle is archived.' }),
    created_via: z.string().nullable(),
    created_by: z.string().meta({ description: 'Identity of the owner.' }),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: 'Bundle' })
export type Bundle = z.output<typeof Bundle>

const TopLink = z
  .object({
    slug: z.string().meta({ description: 'The primary slug.' }),
    domain: OwnDomain,
    click_count: z.int(),
  })
  .meta({ id: 'TopLink' })

export const BundleWithSummary = Bundle.extend({
  link_count: z.int(),
  total_clicks: z.int().meta({ description: 'Raw clicks of all links of the bundle in the window.' }),
  delta_pct: DeltaPct,
  sparkline: z.array(z.int()).meta({
    description: `Clicks ${sparklineUnits}; they add up to the total.`,
  }),
  top_links: z
    .array(TopLink)
    .max(3)
    .meta({ description: 'The most clicked links, without those that have no clicks.' }),
}).meta({ id: 'BundleWithSummary' })
export type BundleWithSummary = z.output<typeof BundleWithSummary>

const Name = z
  .string({ error: (issue) => (issue.input === undefined ? 'name is required' : undefined) })
  .pipe(
    text()
      .trim()
      .min(1, 'name must not be blank')
      .refine((name) => codePoints(name) <= MAX_NAME_LENGTH, {
        error: `name must be ${MAX_NAME_LENGTH} characters or fewer`,
        params: { problem: 'too_long' },
      }),
  )
  .meta({ minLength: 1, maxLength: MAX_NAME_LENGTH, pattern: '^[^\\x00]*[^\\x00\\s][^\\x00]*$' })

const Description = boundedText(2000)
const Icon = boundedText(64)

export const NewBundle = z
  .object({
    name: Name,
    description: Description.nullable().optional(),
    icon: Icon.nullable().optional(),
    accent: Accent.default('orange'),
  })
  .meta({ id: 'NewBundle' })
export type NewBundle = z.output<typeof NewBundle>

export const BundleChanges = z
  .object({
    name: Name.optional(),
    description: Description.nullable().optional(),
    icon: Icon.nullable().optional(),
    accent: Accent.optional(),
  })
  .meta({ id: 'BundleChanges' })

/** The bundles that a list returns. */
export type BundleFilter = 'active' | 'archived' | 'all'

const Archived = z
  .enum(['true', '1', 'only', 'all'])
  .optional()
  .transform((value): BundleFilter => {
    if (value === undefined) return 'active'
    return value === 'all' ? 'all' : 'archived'
  })
  .meta({
    description:
      '`true`, `1` or `only` for archived bundles, `all` for all bundles; active bundles by default.',
  })

/** Without a range, the caller's default applies: `all` on the public API. */
const SummaryRange = Range.optional().meta({ default: 'all' })

export const SummaryQuery = z.object({ range: SummaryRange })
export const BundleQuery = PageQuery.extend({ archived: Archived, range: SummaryRange })
export type BundleQuery = z.output<typeof BundleQuery>

/** The admin side also searches and sorts, with numbered pages (L17.6). */
export const BundlePageQuery = BundleQuery.extend({
  search: trimmedText(256).optional().meta({ description: 'Words of the name, in any order and case.' }),
  sort: z.enum(['created', 'name', 'clicks']).default('created'),
  page: wholeNumber(1, 999_999_999).optional().meta({
    description: 'The page number, by name and by clicks; a page past the end returns the last one.',
  }),
})
export type BundlePageQuery = z.output<typeof BundlePageQuery>

export const MemberParams = IdParams.extend({ linkId: Id })
export const NewMember = z.object({ link_id: LinkId })
