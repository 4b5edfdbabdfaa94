import { z } from 'zod'
import { COUNTRY_PATTERN, countryFromHeader } from '../clicks/country.ts'
import { MAX_MOMENT } from '../api/fields.ts'
import { boundedText } from '../api/text.ts'
import { MAX_CHANGES } from './changes.ts'
import { STEP_RESULTS } from './trace.ts'
import { CLASSES, OUTCOMES } from './verdict.ts'

const MAX_HEADER = 2_048
const MAX_QUERY = 8_192

const HEADER_VALUE = /^[\x20-\x7e\xa0-\xff]*$/

/** The value of a header; an empty one is a request without it. */
function header(description: string) {
  return boundedText(MAX_HEADER)
    .regex(HEADER_VALUE, 'must be the value of a header')
    .optional()
    .meta({ description: `${description}; empty for none.`, pattern: HEADER_VALUE.source })
}

/** The visit to explain. Fields that are left out are as in the request itself. */
export const VisitQuery = z.object({
  at: z
    .string()
    .regex(/^\d{1,12}$/, 'must be Unix seconds')
    .transform(Number)
    .refine((at) => at <= MAX_MOMENT, 'must be Unix seconds')
    .optional()
    .meta({
      type: 'integer',
      minimum: 0,
      maximum: MAX_MOMENT,
      description: 'Unix seconds; now by default.',
    } as z.core.GlobalMeta),
  user_agent: header('The `User-Agent` of the visitor'),
  country: z
    .string()
    .refine((code) => code === '' || countryFromHeader(code) !== null, 'must be a country code of ISO 3166-1')
    .optional()
    .meta({
      description: 'The country of the visitor; empty for an unknown one.',
      maxLength: 2,
      pattern: `^${COUNTRY_PATTERN}?$`,
    }),
  language: header('The `Accept-Language` of the visitor, such as `sv` or `pt-BR,en;q=0.8`'),
  referrer: header('The page that the visitor comes from'),
  query: boundedText(MAX_QUERY).optional().meta({
    description: 'The query of the short URL, such as `utm_source=mail`; none by default.',
  }),
  path: boundedText(MAX_QUERY).optional().meta({
    description: 'What follows the slug, such as `123` of `/pr/123`, for a link with `parameters`.',
  }),
  method: z.enum(['GET', 'HEAD', 'POST']).optional().meta({
    description:
      'GET by default; POST enters the right password, or presses the button of a link with a limit.',
  }),
})
export type VisitQuery = z.output<typeof VisitQuery>

const Step = z
  .object({
    check: z.string().meta({
      description:
        'The field that was read, such as `starts_at` or `rules.0.when.country`; `method`, `slug` and `visitor` are of the request.',
    }),
    saw: z.union([z.string(), z.number()]).nullable().meta({
      description: 'The value in this visit, or the URL that was chosen; null if it is unknown.',
    }),
    result: z.enum(STEP_RESULTS),
  })
  .meta({ id: 'ExplanationStep' })

export const Explanation = z
  .object({
    outcome: z.enum(OUTCOMES).meta({ description: '`open` for a link that leads to a destination.' }),
    status: z.int().meta({ description: 'The status of the answer.' }),
    location: z.string().nullable().meta({ description: 'The `Location` of the answer.' }),
    variant: z.string().nullable().meta({ description: 'As in the breakdown by variant.' }),
    counted: z.object({
      as: z.enum(CLASSES).meta({
        description: '`human`, `bot` and `self` are clicks; everything else is none.',
      }),
      because: z.string(),
    }),
    steps: z.array(Step).meta({ description: 'The checks in their order, up to the one that decides.' }),
    changes_at: z.array(z.int()).meta({
      description: `Up to ${MAX_CHANGES} next moments at which the answer to this visit differs, in Unix seconds.`,
    }),
    as_of: z.int().meta({ description: 'The moment of the visit, in Unix seconds.' }),
    version: z.int().meta({ description: 'The version of the link that was explained.' }),
  })
  .meta({ id: 'Explanation' })
export type Explanation = z.output<typeof Explanation>
