import { text } from '@latchkey/http/text'
import { z } from 'zod'
import { TimeZone } from '../../time/schema.ts'
import { COUNTRY_PATTERN, countryFromHeader } from '../../clicks/country.ts'
import { BROWSER_NAMES, DEVICE_TYPES, SYSTEM_NAMES } from '../../clicks/visitor-values.ts'
import { boundedText } from '../../api/text.ts'
import { DestinationUrl } from '../../urls/destination-url.ts'
import { MAX_MOMENT } from '../../api/fields.ts'

export const MAX_RULES = 32
const MAX_VALUES = 100
const MAX_LABEL_LENGTH = 100
const MAX_PARAMETER_LENGTH = 200
/** The longest name of the database has 32. */
const MAX_TIME_ZONE_LENGTH = 64

const label = boundedText(MAX_LABEL_LENGTH, text().trim()).optional()
const Moment = z.int().min(0).max(MAX_MOMENT).meta({ description: 'Unix seconds.' })

const Time = z
  .string()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 09:30')
  .meta({ maxLength: 5 })

const Hours = z
  .strictObject({
    days: z
      .array(z.int().min(1).max(7))
      .min(1)
      .max(7)
      .optional()
      .meta({ description: 'Days on which the hours begin, from 1 for Monday; without them, every day.' }),
    from: Time,
    to: Time.meta({ description: 'Hours that end at or before `from` end on the next day.' }),
    tz: TimeZone.max(MAX_TIME_ZONE_LENGTH),
  })
  .meta({ id: 'BehaviourHours' })

/** Any of these values, at least one. */
function anyOf<Value extends z.ZodType>(value: Value) {
  return z.array(value).min(1).max(MAX_VALUES)
}

const Country = z
  .string()
  .refine((code) => countryFromHeader(code) !== null, 'must be a country code of ISO 3166-1')
  .overwrite((code) => code.toUpperCase())
  .meta({ pattern: `^${COUNTRY_PATTERN}$`, maxLength: 2 })

const Language = z
  .string()
  .regex(/^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8}){0,4}$/, 'must be a language tag of BCP 47')
  .overwrite((tag) => tag.toLowerCase())
  .meta({ maxLength: 44 })

const ReferrerHost = z
  .string()
  .max(253)
  .regex(/^[\w-]+(?:\.[\w-]+)*$/, 'must be a host')
  // Referrers are compared without their leading `www.` (L13.3).
  .overwrite((host) => host.toLowerCase().replace(/^www\./, ''))

const Parameter = z
  .strictObject({
    name: boundedText(MAX_PARAMETER_LENGTH).min(1, 'must not be empty'),
    is: boundedText(MAX_PARAMETER_LENGTH).optional(),
  })
  .meta({ id: 'BehaviourParameter' })

const conditions = {
  device: anyOf(z.enum(DEVICE_TYPES)),
  os: anyOf(z.enum(SYSTEM_NAMES)),
  browser: anyOf(z.enum(BROWSER_NAMES)),
  country: anyOf(Country),
  language: anyOf(Language).meta({ description: 'Prefixes of the language that the visitor prefers.' }),
  referrer_host: anyOf(ReferrerHost),
  query: anyOf(Parameter).meta({ description: 'Parameters of the short URL, with any value or this one.' }),
  after: Moment,
  before: Moment,
  hours: Hours,
} as const

const When = z
  .strictObject({
    device: conditions.device.optional(),
    not_device: conditions.device.optional(),
    os: conditions.os.optional(),
    not_os: conditions.os.optional(),
    browser: conditions.browser.optional(),
    not_browser: conditions.browser.optional(),
    country: conditions.country.optional(),
    not_country: conditions.country.optional(),
    language: conditions.language.optional(),
    not_language: conditions.language.optional(),
    referrer_host: conditions.referrer_host.optional(),
    not_referrer_host: conditions.referrer_host.optional(),
    query: conditions.query.optional(),
    not_query: conditions.query.optional(),
    after: conditions.after.optional(),
    not_after: conditions.after.optional(),
    before: conditions.before.optional(),
    not_before: conditions.before.optional(),
    hours: conditions.hours.optional(),
    not_hours: conditions.hours.optional(),
  })
  .refine((when) => Object.values(when).some((value) => value !== undefined), 'must have a condition')
  .meta({ id: 'BehaviourConditions', minProperties: 1 })

export const CONDITION_NAMES = Object.keys(conditions) as (keyof typeof conditions)[]

const Sticky = z.enum(['day', 'visit']).meta({
  description:
    '`day`: a visitor gets the same part all day, without a cookie; `visit`: a new part each time.',
})

const Parts = z
  .array(
    z
      .strictObject({ url: DestinationUrl, weight: z.int().min(1).max(1000), label })
      .meta({ id: 'BehaviourPart' }),
  )
  .min(2, 'must have at least 2 parts')
  .max(10, 'must have at most 10 parts')

const SplitDestination = z
  .strictObject({ split: Parts, sticky: Sticky.optional() })
  .meta({ id: 'BehaviourSplit' })

const Rule = z
  .strictObject({
    when: When,
    to: z.union([DestinationUrl, SplitDestination], 'must be a URL, or an object with split'),
    label,
  })
  .meta({ id: 'BehaviourRule' })

const fields = {
  rules: z
    .array(Rule)
    .min(1, 'must have a rule')
    .max(MAX_RULES, `must have at most ${MAX_RULES} rules`)
    .optional()
    .meta({ description: 'The first rule whose conditions all hold decides.' }),
  split: Parts.optional().meta({ description: 'Where the link leads if no rule decides.' }),
  sticky: Sticky.optional(),
  starts_at: Moment.optional(),
  before_url: DestinationUrl.optional().meta({ description: 'Where the link leads before `starts_at`.' }),
  after_url: DestinationUrl.optional().meta({
    description: 'Where the link leads once it is expired or used up.',
  }),
  max_clicks: z
    .int()
    .min(1)
    .max(1_000_000_000)
    .optional()
    .meta({ description: 'How many people get through, counted from when this number was set.' }),
  confirm_visit: z.literal(true, 'must be true, or left out').optional().meta({
    description:
      'A GET shows a page with a button, and only pressing it uses a place of `max_clicks` up: for links in mail, which scanners open with the agents of browsers.',
  }),
  forward_query: z.enum(['none', 'utm', 'all']).optional().meta({
    description: 'Which parameters of the short URL are added to the destination; `none` by default.',
  }),
  parameters: z.literal(true, 'must be true, or left out').optional().meta({
    description:
      'What follows the slug, as in `/pr/123`, fills the destination: `{path}` is all of it, `{1}` to `{9}` are its segments.',
  }),
}

const MAX_PASSWORD_LENGTH = 200

/** The body of a PUT. Everything that it leaves out is removed, except a password. */
export const NewBehaviour = z
  .strictObject({
    ...fields,
    password: z
      .union(
        [boundedText(MAX_PASSWORD_LENGTH).min(1, 'must not be empty'), z.literal(true)],
        'must be a text, true or null',
      )
      .nullable()
      .optional()
      .meta({ description: 'A new password. Left out or `true` keeps the present one, null removes it.' }),
  })
  .superRefine(({ sticky, split, before_url, starts_at, confirm_visit, max_clicks }, context) => {
    const needs = (path: string, other: string) =>
      context.addIssue({ code: 'custom', path: [path], message: `needs ${other}` })
    if (sticky !== undefined && split === undefined) needs('sticky', 'split')
    if (before_url !== undefined && starts_at === undefined) needs('before_url', 'starts_at')
    if (confirm_visit !== undefined && max_clicks === undefined) needs('confirm_visit', 'max_clicks')
  })
  .meta({
    id: 'NewBehaviour',
    dependentRequired: { sticky: ['split'], before_url: ['starts_at'], confirm_visit: ['max_clicks'] },
  })
export type NewBehaviour = z.output<typeof NewBehaviour>

/** The behaviour as it is stored: the password is in a table of its own. */
export type BehaviourDocument = Omit<NewBehaviour, 'password'>

export const Behaviour = z
  .object({
    ...fields,
    password: z.literal(true).optional().meta({ description: 'Visitors must enter a password.' }),
    clicks_left: z.int().optional().meta({ description: 'How many more people get through.' }),
  })
  .meta({ id: 'Behaviour' })
export type Behaviour = z.output<typeof Behaviour>
