import type { PostRequest, PostResult, Poster } from './post.ts'
import { openSecret, sealSecret, signatureHeaders } from './secret.ts'
import type { DeliveryRow, WebhookRow } from './store.ts'

/** The id stays the same in every attempt and replay: receivers recognise repetitions by it. */
export interface Message {
  id: string
  seq: number | null
  type: string
  body: string
}

/** What an attempt sent. The body of an event is read from the event log: only tests have their own. */
export interface DeliveryRequest {
  url: string
  headers: Record<string, string>
  body: string | null
}

export type Attempt = Omit<DeliveryRow, 'id'> & Pick<PostResult, 'retryAfterSeconds'>

/** Success is any 2xx. */
export function isDelivered({ status }: Pick<DeliveryRow, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300
}

export interface SenderOptions {
  poster: Poster
  /** Seals the secrets. */
  instanceSecret: string
  userAgent: string
  /** Unix seconds. */
  now: () => number
}

/** Signs messages and sends them. */
export class Sender {
  readonly #options: SenderOptions

  constructor(options: SenderOptions) {
    this.#options = options
  }

  /** Makes one attempt. Rejects only once `abort` is aborted. */
  async attempt(webhook: WebhookRow, message: Message, abort: AbortSignal): Promise<Attempt> {
    const { poster, now } = this.#options
    const attemptedAt = now()
    const startedMs = performance.now()
    const request = this.#requestOf(webhook, message, attemptedAt)
    const { status, error, answer, retryAfterSeconds } = await poster.post(request, abort)
    const stored: DeliveryRequest = { ...request, body: message.seq === null ? message.body : null }
    return {
      webhook_id: webhook.id,
      seq: message.seq,
      type: message.type,
      attempt: message.seq === null ? 1 : webhook.failures + 1,
      attempted_at: attemptedAt,
      duration_ms: Math.round(performance.now() - startedMs),
      status,
      error,
      answer,
      request: JSON.stringify(stored),
      retryAfterSeconds,
    }
  }

  seal(secret: string): string {
    return sealSecret(secret, this.#options.instanceSecret)
  }

  mayReach(url: URL): boolean {
    return this.#options.poster.mayReach(url)
  }

  #requestOf(webhook: WebhookRow, { id, body }: Message, now: number): PostRequest {
    const { instanceSecret, userAgent } = this.#options
    const { secret, previous_secret: previous, previous_until: until } = webhook
    const sealed = [secret, ...(previous !== null && until !== null && now < until ? [previous] : [])]
    const secrets = sealed.map((sealedSecret) => openSecret(sealedSecret, instanceSecret))
    const headers = {
      'content-type': 'application/json',
      'user-agent': userAgent,
      // With this header no program on this machine, such as the admin side, takes a delivery for a
      // request of its user.
      via: '1.1 latchkey-links',
      ...signatureHeaders({ id, timestamp: now, body }, secrets),
    }
    return { url: webhook.url, headers, body }
  }
}
