import { z } from 'zod'
import { MAX_IDENTITY_LENGTH } from '../access/identity.ts'
import { MAX_ASSISTANT_LENGTH } from '../changes/source.ts'
import { boundedText } from '../api/text.ts'

const MAX_HOST_LENGTH = 253
const MAX_HOSTS = 100
const MAX_BUNDLES = 100
const MAX_WRITES_PER_HOUR = 1_000_000

/** A host, or `*.` and a domain for all hosts below it. */
const HOST = /^(\*\.)?([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?$/

const HostPattern = z
  .string()
  .max(MAX_HOST_LENGTH)
  .transform((host) => host.toLowerCase())
  .refine((host) => HOST.test(host), 'must be a host, such as example.com or *.example.com')

export const PolicyRules = z
  .object({
    writes: z.enum(['direct', 'plan', 'none']).default('direct').meta({
      description: '`plan`: only by applying plans.',
    }),
    confirm: z.enum(['never', 'destructive', 'always']).default('never').meta({
      description: 'Which writes only the person can make, by applying a plan in the admin pages.',
    }),
    writes_per_hour: z.int().min(1).max(MAX_WRITES_PER_HOUR).nullable().default(null),
    hosts: z.array(HostPattern).min(1).max(MAX_HOSTS).nullable().default(null).meta({
      description: 'Hosts that links may lead to: example.com, or *.example.com for all below it.',
    }),
    bundles: z.array(z.int().min(1)).max(MAX_BUNDLES).nullable().default(null).meta({
      description: 'The bundles that may be changed.',
    }),
  })
  .meta({ id: 'PolicyRules' })
export type PolicyRules = z.output<typeof PolicyRules>

export const Policy = PolicyRules.extend({
  identity: z.string(),
  assistant: z.string(),
  name: z.string().nullable().meta({ description: 'Title of the API key.' }),
}).meta({ id: 'Policy' })
export type Policy = z.output<typeof Policy>

/** The policy of programs that have none of their own. */
export const DEFAULT_POLICY = 'default'

const ASSISTANT = new RegExp(`^(key:[1-9]\\d{0,14}|client(:.+)?|access|local|${DEFAULT_POLICY})$`)

export const AssistantParams = z.object({
  assistant: boundedText(MAX_ASSISTANT_LENGTH)
    .refine((id) => ASSISTANT.test(id), 'must be an assistant')
    .meta({ description: 'The program, as in a change; `default` for all that have no policy.' }),
})

export const PolicyQuery = z.object({
  identity: boundedText(MAX_IDENTITY_LENGTH).optional().meta({
    description: 'The person for whom the assistant writes: you by default.',
  }),
})

export const NewPolicyQuery = PolicyQuery.extend({
  confirm: z
    .enum(['true', 'false'])
    .optional()
    .transform((confirm) => confirm === 'true')
    .meta({ description: 'Both names are right, although the program has written nothing for this person.' }),
})
