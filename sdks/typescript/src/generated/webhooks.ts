// Made from the OpenAPI document by `npm run sdks`; changes made here are lost.

import { type RequestOptions, type Transport, segment } from '../transport.js'
import type {
  CreateWebhookResult,
  DeleteWebhookResult,
  ListWebhookDeliveriesQuery,
  NewWebhook,
  ReplayWebhookBody,
  RotateWebhookSecretResult,
  Webhook,
  WebhookChanges,
  WebhookDelivery,
  WebhookDeliveryDetails,
} from './models.js'

/** `client.webhooks` */
export class Webhooks {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List your webhooks; administrators those of everyone.
   * Needs a key with the scope `read`.
   */
  list(options?: RequestOptions): Promise<Webhook[]> {
    return this.#transport.json<Webhook[]>({ method: 'GET', path: '/webhooks', options })
  }

  /**
   * Create a webhook, whose secret is shown only once.
   * Needs a key with the scope `create,read`.
   */
  create(body: NewWebhook, options?: RequestOptions): Promise<CreateWebhookResult> {
    return this.#transport.json<CreateWebhookResult>({ method: 'POST', path: '/webhooks', body, options })
  }

  /**
   * Read a webhook.
   * Needs a key with the scope `read`.
   */
  get(id: number, options?: RequestOptions): Promise<Webhook> {
    return this.#transport.json<Webhook>({ method: 'GET', path: `/webhooks/${segment(id)}`, options })
  }

  /**
   * Update the given fields of a webhook; events are tried again at once.
   * Needs a key with the scope `create,read`.
   */
  update(id: number, body: WebhookChanges, options?: RequestOptions): Promise<Webhook> {
    return this.#transport.json<Webhook>({ method: 'PUT', path: `/webhooks/${segment(id)}`, body, options })
  }

  /**
   * Delete a webhook with its deliveries.
   * Needs a key with the scope `create,read`.
   */
  delete(id: number, options?: RequestOptions): Promise<DeleteWebhookResult> {
    return this.#transport.json<DeleteWebhookResult>({
      method: 'DELETE',
      path: `/webhooks/${segment(id)}`,
      options,
    })
  }

  /**
   * Replace the secret of a webhook; for 24 hours the old one signs as well.
   * Needs a key with the scope `create,read`.
   */
  rotateSecret(id: number, options?: RequestOptions): Promise<RotateWebhookSecretResult> {
    return this.#transport.json<RotateWebhookSecretResult>({
      method: 'POST',
      path: `/webhooks/${segment(id)}/rotate`,
      options,
    })
  }

  /**
   * Deliver the events from this one on again, and enable the webhook.
   * Needs a key with the scope `create,read`.
   */
  replay(id: number, body: ReplayWebhookBody, options?: RequestOptions): Promise<Webhook> {
    return this.#transport.json<Webhook>({
      method: 'POST',
      path: `/webhooks/${segment(id)}/replay`,
      body,
      options,
    })
  }

  /**
   * Send a test to the receiver and return its answer.
   * Needs a key with the scope `create,read`.
   */
  test(id: number, options?: RequestOptions): Promise<WebhookDelivery> {
    return this.#transport.json<WebhookDelivery>({
      method: 'POST',
      path: `/webhooks/${segment(id)}/test`,
      options,
    })
  }

  /**
   * List the latest deliveries of a webhook, newest first.
   * Needs a key with the scope `read`.
   */
  listDeliveries(
    id: number,
    query: ListWebhookDeliveriesQuery = {},
    options?: RequestOptions,
  ): Promise<WebhookDelivery[]> {
    return this.#transport.json<WebhookDelivery[]>({
      method: 'GET',
      path: `/webhooks/${segment(id)}/deliveries`,
      query,
      options,
    })
  }

  /**
   * Read a delivery with its request.
   * Needs a key with the scope `read`.
   */
  delivery(id: number, deliveryId: number, options?: RequestOptions): Promise<WebhookDeliveryDetails> {
    return this.#transport.json<WebhookDeliveryDetails>({
      method: 'GET',
      path: `/webhooks/${segment(id)}/deliveries/${segment(deliveryId)}`,
      options,
    })
  }

  /**
   * Send a delivery once more, outside the order of events, and return the answer.
   * Needs a key with the scope `create,read`.
   */
  resendDelivery(id: number, deliveryId: number, options?: RequestOptions): Promise<WebhookDelivery> {
    return this.#transport.json<WebhookDelivery>({
      method: 'POST',
      path: `/webhooks/${segment(id)}/deliveries/${segment(deliveryId)}/resend`,
      options,
    })
  }
}
