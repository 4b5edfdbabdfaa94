import { createHash } from 'node:crypto'
import type { Log } from '@latchkey/http/log'
import { Semaphore } from '@latchkey/http/semaphore'
import type { PushSubscriptionRow } from '../db/notification-rows.ts'
import type { PushKeys } from './keys.ts'
import {
  type OutboundOptions,
  type PushAnswer,
  type PushRequest,
  requirePublicHost,
  sendPush,
} from './outbound.ts'

/** Waits before further attempts. A push service may ask for a longer one. */
const RETRY_AFTER_MS = [5_000, 30_000, 120_000, 600_000]
const MAX_RETRY_AFTER_MS = 3_600_000
/** For this long, a push service keeps a message for a browser that is not running. */
const LIFETIME_SECONDS = 86_400
/** At the same time, to one push service. One that hangs delays no other. */
const MAX_SENDING = 8
/** Further pushes are dropped. */
const MAX_PENDING = 10_000

export interface Push {
  subscription: PushSubscriptionRow
  roomId: string
  payload: string
}

/** How a push ended. */
export type PushOutcome = 'delivered' | 'gone' | 'refused' | 'unanswered' | 'dropped'

export interface DeliveryOptions extends OutboundOptions {
  keys: PushKeys
  /** URL of the instance, for the operators of push services. */
  contact: string
  log: Log
  count: (outcome: PushOutcome) => void
  /** Called with the id of a subscription that has ended. */
  onGone: (id: string) => Promise<void>
  retryAfterMs?: readonly number[]
}

/** Sends pushes, and again after a while if a push service cannot take them. A restart drops those. */
export class Delivery {
  readonly #options: DeliveryOptions
  readonly #retryAfterMs: readonly number[]
  readonly #services = new Map<string, { places: Semaphore; pending: number }>()
  readonly #timers = new Set<Timer>()
  #pending = 0

  constructor(options: DeliveryOptions) {
    this.#options = options
    this.#retryAfterMs = options.retryAfterMs ?? RETRY_AFTER_MS
  }

  /** Whether the host of this URL is public. */
  canReach(url: URL): Promise<boolean> {
    return requirePublicHost(url, this.#options).then(
      () => true,
      () => false,
    )
  }

  /** Never rejects. Resolves after the first attempt. */
  async send(push: Push): Promise<void> {
    if (this.#pending >= MAX_PENDING) return this.#options.count('dropped')
    this.#pending++
    await this.#attempt(push, 0)
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
  }

  async #attempt(push: Push, attempt: number): Promise<void> {
    const answer = await this.#request(push)
    const waitMs = this.#retryAfterMs[attempt]
    const outcome = outcomeOf(answer)
    if (outcome === 'unanswered' && waitMs !== undefined) {
      const ms = Math.min(Math.max(waitMs, answer?.retryAfterMs ?? 0), MAX_RETRY_AFTER_MS)
      return this.#after(ms, () => void this.#attempt(push, attempt + 1))
    }
    this.#pending--
    this.#options.count(outcome)
    if (outcome === 'gone') await this.#options.onGone(push.subscription.id).catch(() => {})
    if (outcome === 'refused')
      this.#options.log.warn('push: refused', { host: hostOf(push), status: answer?.status })
  }

  /** Undefined without an answer. */
  async #request(push: Push): Promise<PushAnswer | undefined> {
    const host = hostOf(push)
    const service = this.#services.get(host) ?? { places: new Semaphore(MAX_SENDING), pending: 0 }
    this.#services.set(host, service)
    service.pending++
    try {
      return await service.places.run(async () => sendPush(await this.#requestOf(push), this.#options))
    } catch (error) {
      this.#options.log.info('push: no answer', { host, error })
      return undefined
    } finally {
      if (--service.pending === 0) this.#services.delete(host)
    }
  }

  async #requestOf({
    subscription: { endpoint, p256dh, auth },
    roomId,
    payload,
  }: Push): Promise<PushRequest> {
    // Loaded with the first push.
    const { generateRequestDetails } = await import('web-push')
    const { keys, contact: subject } = this.#options
    const details = generateRequestDetails({ endpoint, keys: { p256dh, auth } }, payload, {
      vapidDetails: { subject, ...keys },
      TTL: LIFETIME_SECONDS,
      // A later message about the room replaces one that was not delivered yet (RFC 8030, 5.4).
      topic: createHash('sha256').update(roomId).digest('base64url').slice(0, 32),
      contentEncoding: 'aes128gcm',
    })
    return { endpoint, headers: details.headers, body: details.body }
  }

  #after(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      act()
    }, ms)
    timer.unref()
    this.#timers.add(timer)
  }
}

const hostOf = ({ subscription }: Push) => new URL(subscription.endpoint).host

function outcomeOf(answer: PushAnswer | undefined): PushOutcome {
  const status = answer?.status ?? 0
  if (status === 404 || status === 410) return 'gone'
  if (status === 0 || status === 429 || status >= 500) return 'unanswered'
  return status < 300 ? 'delivered' : 'refused'
}
