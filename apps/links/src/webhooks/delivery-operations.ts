import { z } from 'zod'
import { type Context, operation } from '../api/context.ts'
import { failure } from '../api/failures.ts'
import { Id, IdParams } from '../api/fields.ts'
import { DeliveriesQuery, WebhookDelivery, WebhookDeliveryDetails } from './schema.ts'
import { type DeliveryRequest, type Message, isDelivered } from './sender.ts'
import { findMessage } from './source.ts'
import {
  type DeliveryRow,
  type WebhookRow,
  findDelivery,
  findWebhook,
  insertDelivery,
  listDeliveries,
  updateWebhookRow,
} from './store.ts'

const tag = 'Webhooks'
/** A webhook returns what a key may read. */
const scope = 'create,read'

const DeliveryParams = z.object({ id: Id, deliveryId: Id })

export function toDelivery({ webhook_id: _, request: __, ...row }: DeliveryRow): WebhookDelivery {
  return { ...row, delivered: isDelivered(row) }
}

/** Throws 404 unless the caller has this webhook. */
export function required(row: WebhookRow | undefined): WebhookRow {
  if (!row) throw failure('webhook_not_found')
  return row
}

/** A webhook of the caller and one of its deliveries. Throws 404 if either does not exist. */
async function findOwnDelivery(
  context: Context,
  { id, deliveryId }: z.output<typeof DeliveryParams>,
): Promise<{ webhook: WebhookRow; delivery: DeliveryRow; request: DeliveryRequest | null }> {
  const { read: db } = context.database
  const webhook = required(await findWebhook(db, id, context))
  const delivery = await findDelivery(db, id, deliveryId)
  if (!delivery) throw failure('delivery_not_found')
  const request = delivery.request === null ? null : (JSON.parse(delivery.request) as DeliveryRequest)
  return { webhook, delivery, request }
}

/** Sends a message outside the order of events, and stores the attempt. */
async function sendNow(
  context: Context,
  webhook: WebhookRow,
  message: Message,
  attemptNumber: number,
): Promise<WebhookDelivery> {
  const { database, identity, webhooks } = context
  const { retryAfterSeconds: _, ...attempt } = await webhooks.tests.run(identity, () =>
    webhooks.sender.attempt(webhook, message, webhooks.signal),
  )
  const row = await database.write(async (tx) => {
    const { failing_since, disabled_at } = required(await findWebhook(tx, webhook.id, context))
    // A receiver that accepts an event again gets those that wait at once.
    if (message.seq !== null && isDelivered(attempt) && failing_since !== null && disabled_at === null)
      await updateWebhookRow(tx, webhook.id, context, { next_attempt_at: 0 })
    return insertDelivery(tx, { ...attempt, attempt: attemptNumber })
  })
  return toDelivery(row)
}

const testWebhook = operation({
  id: 'testWebhook',
  methods: ['POST'],
  path: '/webhooks/{id}/test',
  scope,
  tag,
  summary: 'Send a test to the receiver and return its answer',
  isOutbound: true,
  params: IdParams,
  result: WebhookDelivery,
  failures: ['webhook_not_found'],
  async handler(context, { params: { id } }) {
    const webhook = required(await findWebhook(context.database.read, id, context))
    const type = 'webhook.test'
    const body = JSON.stringify({ seq: null, type, at: context.now, data: { webhook: id } })
    return sendNow(context, webhook, { id: `test_${crypto.randomUUID()}`, seq: null, type, body }, 1)
  },
})

const listWebhookDeliveries = operation({
  id: 'listWebhookDeliveries',
  methods: ['GET'],
  path: '/webhooks/{id}/deliveries',
  scope: 'read',
  tag,
  summary: 'List the latest deliveries of a webhook, newest first',
  params: IdParams,
  query: DeliveriesQuery,
  result: z.array(WebhookDelivery),
  failures: ['webhook_not_found'],
  async handler(context, { params: { id }, query: { limit } }) {
    const { read: db } = context.database
    required(await findWebhook(db, id, context))
    return (await listDeliveries(db, id, limit)).map(toDelivery)
  },
})

const getWebhookDelivery = operation({
  id: 'getWebhookDelivery',
  methods: ['GET'],
  path: '/webhooks/{id}/deliveries/{deliveryId}',
  scope: 'read',
  tag,
  summary: 'Read a delivery with its request',
  params: DeliveryParams,
  result: WebhookDeliveryDetails,
  failures: ['webhook_not_found', 'delivery_not_found'],
  async handler(context, { params }) {
    const { webhook, delivery, request } = await findOwnDelivery(context, params)
    const { seq } = delivery
    const message = seq === null ? undefined : await findMessage(context.database, webhook, seq)
    return {
      ...toDelivery(delivery),
      ...(request && {
        request: {
          url: request.url,
          headers: Object.entries(request.headers).map(([name, value]) => ({ name, value })),
          body: request.body ?? message?.body ?? null,
        },
      }),
    }
  },
})

const resendWebhookDelivery = operation({
  id: 'resendWebhookDelivery',
  methods: ['POST'],
  path: '/webhooks/{id}/deliveries/{deliveryId}/resend',
  scope,
  tag,
  summary: 'Send a delivery once more, outside the order of events, and return the answer',
  isOutbound: true,
  params: DeliveryParams,
  result: WebhookDelivery,
  failures: ['webhook_not_found', 'delivery_not_found', 'event_deleted'],
  async handler(context, { params }) {
    const { webhook, delivery, request } = await findOwnDelivery(context, params)
    const { seq, type, attempt } = delivery
    const id = request?.headers['webhook-id'] ?? ''
    const message =
      seq !== null
        ? await findMessage(context.database, webhook, seq)
        : request?.body && { id, seq, type, body: request.body }
    if (!message) throw failure('event_deleted')
    return sendNow(context, webhook, message, attempt + 1)
  },
})

/** What was sent to the webhooks of the caller (L30.3). */
export const deliveryOperations = [
  testWebhook,
  listWebhookDeliveries,
  getWebhookDelivery,
  resendWebhookDelivery,
]
