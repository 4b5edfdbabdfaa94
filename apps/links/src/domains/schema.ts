import { z } from 'zod'
import { text } from '@latchkey/http/text'
import { DestinationUrl } from '../urls/destination-url.ts'
import { HOST_PATTERN, MAX_HOST_LENGTH, toHost, toIpHost } from '../urls/host.ts'
import { ROBOTS } from '../settings/robots.ts'
import { WELL_KNOWN_NAMES } from './well-known-names.ts'

/** Limit of all files of a domain together, as JSON. */
export const MAX_WELL_KNOWN_BYTES = 128 * 1024

const Host = text()
  .max(MAX_HOST_LENGTH)
  .transform((value, context) => {
    // The default domain may be an address, such as on one's own machine.
    const host = toHost(value) ?? toIpHost(value)
    if (host !== undefined) return host
    context.addIssue({ code: 'custom', message: 'must be a host name' })
    return z.NEVER
  })

const HOST_SCHEMA = { maxLength: MAX_HOST_LENGTH, pattern: HOST_PATTERN }

/** A host in a path or a query; IDNA names become A-labels. */
export const DomainHost = Host.meta({
  description: 'Host of a short domain, such as `go.example.org`.',
  ...HOST_SCHEMA,
  examples: ['go.example.org'],
})

/** The domain of a slug or of links. */
export const DomainQuery = Host.optional().meta({
  description: 'Host of a short domain; the default domain if it is left out.',
  ...HOST_SCHEMA,
})

/** A field that only links and slugs of further domains have. */
export const OwnDomain = z.string().optional().meta({
  description: 'Host of the domain; absent on the default domain.',
})

/** Messages of a URL name its field. */
const Url = DestinationUrl.meta({ description: 'An absolute http or https URL.' }).nullable()

const File = z
  .unknown()
  .refine((file) => typeof file === 'object' && file !== null, 'must be a JSON object or array')
  .meta({ anyOf: [{ type: 'object' }, { type: 'array' }] })

const WellKnown = z
  .record(z.string(), File)
  .superRefine((files, context) => {
    const unknown = Object.keys(files).filter(
      (name) => !WELL_KNOWN_NAMES.some((supported) => supported === name),
    )
    if (unknown.length > 0) context.addIssue({ code: 'unrecognized_keys', keys: unknown, input: files })
  })
  .refine((files) => Buffer.byteLength(JSON.stringify(files)) <= MAX_WELL_KNOWN_BYTES, {
    error: `must be at most ${MAX_WELL_KNOWN_BYTES} bytes of JSON`,
    params: { problem: 'too_long' },
  })
  .meta({
    description: 'Files below `/.well-known/`, by their names.',
    propertyNames: { enum: WELL_KNOWN_NAMES },
  })

const Status = z.union([z.literal(301), z.literal(302), z.literal(307), z.literal(308)])

const fields = {
  root_url: Url.meta({ description: 'Where `/` leads visitors; null for the landing page.' }),
  not_found_url: Url.meta({
    description: 'Where short URLs that lead nowhere redirect; null for the 404 page.',
  }),
  status: Status.nullable().meta({
    description: 'HTTP status of redirects; null for the one in the settings of the instance.',
  }),
  robots: z.enum(ROBOTS).nullable().meta({
    description:
      'Robots that `robots.txt` admits to short URLs: none, those that show previews of links, or all; null for the value in the settings of the instance.',
  }),
  alias_of: DomainHost.nullable().meta({
    description: 'A domain with whose slugs this one answers as well; its own slugs win.',
  }),
  well_known: WellKnown,
}

export const Domain = z
  .object({
    host: z.string(),
    is_default: z.boolean(),
    ...fields,
    well_known: z
      .record(z.string(), z.unknown())
      .meta({ description: 'Files below `/.well-known/`, by their names.' }),
    alias_of: z.string().nullable(),
    root_url: z.string().nullable(),
    not_found_url: z.string().nullable(),
  })
  .meta({ id: 'Domain' })
export type Domain = z.output<typeof Domain>

/** Replaces all settings of a domain. */
export const DomainSettings = z
  .object({
    root_url: fields.root_url.default(null),
    not_found_url: fields.not_found_url.default(null),
    status: fields.status.default(null),
    robots: fields.robots.default(null),
    alias_of: fields.alias_of.default(null),
    well_known: fields.well_known.default({}),
  })
  .meta({ id: 'DomainSettings' })
export type DomainSettings = z.output<typeof DomainSettings>
