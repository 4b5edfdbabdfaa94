import { z } from 'zod'
import { HttpUrl } from '../urls/destination-url.ts'
import { MAX_ID, pageLimit } from '../api/fields.ts'
import { eventTypes } from '../events/types.ts'
import { MAX_DELIVERIES } from './store.ts'

const Url = HttpUrl.refine((value) => !hasCredentials(value), {
  error: 'must not contain a user name or password',
}).meta({ description: 'The receiver: an absolute http or https URL.' })

function hasCredentials(value: string): boolean {
  const { username, password } = new URL(value)
  return username !== '' || password !== ''
}

/** The name of a kind of event. */
const EventType = z.enum(eventTypes).meta({ id: 'EventType' })

const Types = z
  .array(EventType)
  .max(eventTypes.length)
  .transform((types) => [...new Set(types)])
  .meta({ description: 'Types of events; none means all but `link.imported`.' })

const BundleId = z
  .int()
  .min(1)
  .max(MAX_ID)
  .nullable()
  .meta({ description: 'Only events of this bundle and of the links in it.' })

export const WebhookDelivery = z
  .object({
    id: z.int(),
    seq: z.int().nullable().meta({ description: 'The event; null for a test.' }),
    type: z.string(),
    attempt: z.int(),
    attempted_at: z.int(),
    duration_ms: z.int(),
    delivered: z.boolean().meta({ description: 'The status is 2xx.' }),
    status: z.int().nullable(),
    answer: z.string().nullable().meta({ description: 'The first 4 KiB of the answer.' }),
    error: z.enum(['timeout', 'unreachable']).nullable().meta({
      description:
        '`unreachable`: no connection, no such host, or an address that is neither public nor in `LINKS_WEBHOOK_ALLOW`.',
    }),
  })
  .meta({ id: 'WebhookDelivery' })
export type WebhookDelivery = z.output<typeof WebhookDelivery>

export const WebhookDeliveryDetails = WebhookDelivery.extend({
  request: z
    .object({
      url: z.string(),
      headers: z.array(z.object({ name: z.string(), value: z.string() }).meta({ id: 'DeliveryHeader' })),
      body: z.string().nullable().meta({
        description:
          'What was sent, without clicks deleted since; null once the event is not stored any more. For a webhook of a bundle, what is of its present bundle and links.',
      }),
    })
    .meta({ id: 'DeliveryRequest' })
    .optional()
    .meta({ description: 'Absent for a delivery before requests were stored.' }),
}).meta({ id: 'WebhookDeliveryDetails' })

export const Webhook = z
  .object({
    id: z.int(),
    url: z.string(),
    types: z.array(EventType).meta({ description: 'Empty for all types but `link.imported`.' }),
    bundle: z.int().nullable(),
    created_by: z.string().meta({
      description: 'Identity of its creator. Events that this person may not read are not delivered.',
    }),
    created_at: z.int(),
    updated_at: z.int(),
    position: z
      .int()
      .meta({ description: 'All events up to this `seq` are delivered or do not concern it.' }),
    disabled_at: z.int().nullable().meta({
      description: 'Unix seconds. With `failing_since`, the service disabled it after five days of failures.',
    }),
    failing_since: z.int().nullable().meta({
      description: 'Unix seconds of the first failed attempt of the event after `position`.',
    }),
    next_attempt_at: z.int().nullable().meta({ description: 'Unix seconds; set while it is failing.' }),
    previous_secret_until: z.int().nullable().meta({
      description: 'Unix seconds until which the secret before the rotation signs as well.',
    }),
    last_failure: WebhookDelivery.optional().meta({
      description: 'The latest failed delivery of a failing webhook.',
    }),
  })
  .meta({ id: 'Webhook' })
export type Webhook = z.output<typeof Webhook>

export const WebhookWithSecret = z.object({
  webhook: Webhook,
  secret: z.string().meta({ description: 'Signing secret, `whsec_…`; it is not shown again.' }),
})

export const NewWebhook = z
  .object({ url: Url, types: Types.default([]), bundle: BundleId.default(null) })
  .meta({ id: 'NewWebhook' })

export const WebhookChanges = z
  .object({
    url: Url.optional(),
    types: Types.optional(),
    bundle: BundleId.optional(),
    disabled: z.boolean().optional().meta({
      description: 'An enabled webhook continues with the events since it was disabled.',
    }),
  })
  .meta({ id: 'WebhookChanges' })

export const Replay = z.object({
  from: z.int().min(1).max(MAX_ID).meta({
    description: 'The `seq` of the next event to deliver. A later one than the next skips those before it.',
  }),
})

export const DeliveriesQuery = z.object({ limit: pageLimit(MAX_DELIVERIES, 20) })
