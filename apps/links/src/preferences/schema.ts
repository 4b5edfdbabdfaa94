import { type Language, LANGUAGES } from '@latchkey/web/languages'
import { z } from 'zod'
import { Range, TimeZone } from '../time/schema.ts'
import { boundedText, trimmedText } from '../api/text.ts'

const MAX_URL_LENGTH = 2048

const flag = (name: string) => z.boolean({ error: () => `${name} must be a boolean` })

const instanceUrl = (name: string) =>
  trimmedText(MAX_URL_LENGTH)
    .transform((value) => value || null)
    .refine((value) => value === null || isHttpUrl(value), `${name} must be a valid http or https URL`)
    .nullable()
    .optional()

function isHttpUrl(value: string): boolean {
  // URLs with line ends inside can be parsed, but a header cannot contain them.
  const url = /\p{Cc}/u.test(value) ? null : URL.parse(value)
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:')
}

const Theme = z.enum(['light', 'dark']).nullable()
const Lang = z.enum(Object.keys(LANGUAGES) as Language[]).nullable()

/** Browsers and the database compare names, so each is stored in its one spelling. */
const OwnTimeZone = TimeZone.transform((name) => new Temporal.ZonedDateTime(0n, name).timeZoneId).nullable()

const MAX_VIEWS = 30
const MAX_VIEW_NAME = 60
const MAX_VIEW_QUERY = 1000

/** A saved view of the list of links: its name, and the query string of its address. */
const ListView = z.object({
  name: trimmedText(MAX_VIEW_NAME).min(1, 'list_views must have names'),
  query: boundedText(MAX_VIEW_QUERY),
})

const ListViews = z
  .array(ListView)
  .max(MAX_VIEWS)
  .refine(
    (views) => new Set(views.map(({ name }) => name)).size === views.length,
    'list_views must have different names',
  )

/** Preferences of a person, and those of the instance (L10). */
export const Preferences = z
  .object({
    slug_default_length: z.int(),
    theme: Theme,
    lang: Lang,
    time_zone: z
      .string()
      .nullable()
      .meta({ description: 'IANA name of the time zone of the pages; null follows the browser.' }),
    default_range: Range,
    filter_bots: z.boolean(),
    filter_self_referrers: z.boolean(),
    list_views: z.array(z.object({ name: z.string(), query: z.string() })),
    root_redirect_url: z.string().nullable(),
    not_found_url: z.string().nullable(),
  })
  .meta({ id: 'Settings' })
export type Preferences = z.output<typeof Preferences>

export const PreferenceChanges = z.object({
  slug_default_length: z.int().min(3).max(128).optional(),
  theme: Theme.optional(),
  lang: Lang.optional(),
  time_zone: OwnTimeZone.optional(),
  default_range: Range.nullable().optional(),
  filter_bots: flag('filter_bots').optional(),
  filter_self_referrers: flag('filter_self_referrers').optional(),
  list_views: ListViews.optional(),
  root_redirect_url: instanceUrl('root_redirect_url'),
  not_found_url: instanceUrl('not_found_url'),
})
