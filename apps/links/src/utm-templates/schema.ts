import { z } from 'zod'
import { boundedText, trimmedText } from '../api/text.ts'

const MAX_NAME_LENGTH = 60
const MAX_VALUE_LENGTH = 200

const Value = boundedText(MAX_VALUE_LENGTH).default('')

export const NewUtmTemplate = z.strictObject({
  name: trimmedText(MAX_NAME_LENGTH).min(1, 'must not be empty'),
  source: Value,
  medium: Value,
  campaign: Value,
  term: Value,
  content: Value,
  shared: z
    .boolean()
    .default(false)
    .meta({ description: 'For everyone; only administrators share templates.' }),
})
export type NewUtmTemplate = z.output<typeof NewUtmTemplate>

export const UtmTemplate = z.object({
  id: z.int(),
  name: z.string(),
  source: z.string(),
  medium: z.string(),
  campaign: z.string(),
  term: z.string(),
  content: z.string(),
  shared: z.boolean(),
  created_by: z.string(),
  created_at: z.int(),
})
export type UtmTemplate = z.output<typeof UtmTemplate>
