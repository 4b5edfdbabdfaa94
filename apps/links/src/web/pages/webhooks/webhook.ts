import type { Result } from '../../call.ts'
import type { TextKey } from '../../texts/text.ts'

export type Webhook = Result<'getWebhook'>
export type Delivery = Result<'listWebhookDeliveries'>[number]

export type WebhookState = 'active' | 'failing' | 'disabled' | 'failed'

/** `failed`: the service disabled it. */
export function stateOf({ disabled_at, failing_since }: Webhook): WebhookState {
  if (disabled_at !== null) return failing_since === null ? 'disabled' : 'failed'
  return failing_since === null ? 'active' : 'failing'
}

/** The key of a type of events, with dots as in the API. */
export const typeText = (type: Webhook['types'][number]) => `webhooks.type.${type}` satisfies TextKey
