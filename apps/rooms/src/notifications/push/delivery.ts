import { createHash } from 'node:crypto'
import type { Log } from '@latchkey/http/log'
import { KeyedSemaphore } from '@latchkey/http/keyed-semaphore'
import { Semaphore } from '@latchkey/http/semaphore'
import type { PushKeys } from './keys.ts'
import type { Notification } from './notification.ts'
import type { Push } from './push.ts'
import {
  type OutboundOptions,
  type PushAnswer,
  type PushRequest,
  requirePublicHost,
  sendPush,
} from './outbound.ts'

/** Waits before further attempts. A push service may ask for a longer one. */
const RETRY_AFTER_MS = [5_000, 30_000, 120_000, 600_000]
/** Time for which a push service keeps a message for a browser that is not running. */
const LIFETIME_SECONDS = 86_400
/** Concurrent requests to one push service. A service that hangs delays no other. */
const MAX_SENDING_PER_HOST = 8
/** Concurrent requests to the browsers of one person, who may choose their hosts. */
const MAX_SENDING_PER_PERSON = 4
/** Further pushes to this person are dropped. */
const MAX_PENDING_PER_PERSON = 100
/** While more are pending, each person has one. */
const MAX_PENDING = 10_000

/** How a push ended. `obsolete`: there is nothing to notify of any more. */
export type PushOutcome = 'delivered' | 'gone' | 'refused' | 'unanswered' | 'dropped' | 'obsolete'

export interface DeliveryOptions extends OutboundOptions {
  keys: PushKeys
  /** URL of the instance, for the operators of push services. */
  contact: string
  log: Log
  count: (outcome: PushOutcome) => void
  /** What to send now; undefined for nothing. */
  compose: (push: Push) => Promise<Notification | undefined>
  /** Called with the id of a subscription that has ended. */
  onGone: (id: string) => Promise<void>
  retryAfterMs?: readonly number[]
}

const NO_ANSWER: PushAnswer = { status: 0, retryAfterMs: 0 }

interface Waiting {
  readonly push: Push
  readonly timer: Timer
}

/** Sends pushes, and again after a while if a push service cannot take them. A restart drops those. */
export class Delivery {
  readonly #options: DeliveryOptions
  readonly #retryAfterMs: readonly number[]
  readonly #people = new KeyedSemaphore(MAX_SENDING_PER_PERSON)
  readonly #hosts = new KeyedSemaphore(MAX_SENDING_PER_HOST)
  /** Composes one push after the other: pushes must not take the database from requests. */
  readonly #composing = new Semaphore(1)
  /** Pushes that wait for a further attempt, by subscription and room. */
  readonly #waiting = new Map<string, Waiting>()
  /** Number of pending pushes by user. */
  readonly #pending = new Map<string, number>()
  #pendingTotal = 0

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

  /**
   * Never rejects. Resolves after the first attempt. Replaces a push to the same browser about the
   * same room that waits for a further attempt.
   */
  async send(push: Push): Promise<void> {
    const earlier = this.#waiting.get(keyOf(push))
    if (earlier) {
      clearTimeout(earlier.timer)
      this.#waiting.delete(keyOf(push))
      return this.#attempt({ ...push, fromSeq: earlier.push.fromSeq }, 0)
    }
    const pending = this.#pending.get(push.userId) ?? 0
    if (pending >= (this.#pendingTotal < MAX_PENDING ? MAX_PENDING_PER_PERSON : 1))
      return this.#options.count('dropped')
    this.#changePending(push, 1)
    await this.#attempt(push, 0)
  }

  stop(): void {
    for (const { timer } of this.#waiting.values()) clearTimeout(timer)
    this.#waiting.clear()
  }

  async #attempt(push: Push, attempt: number): Promise<void> {
    const answer = await this.#request(push)
    const waitMs = this.#retryAfterMs[attempt]
    const outcome = outcomeOf(answer)
    if (outcome === 'unanswered' && waitMs !== undefined)
      return this.#retry(push, attempt + 1, Math.max(waitMs, answer?.retryAfterMs ?? 0))
    this.#changePending(push, -1)
    this.#options.count(outcome)
    if (outcome === 'gone') await this.#options.onGone(push.subscriptionId).catch(() => {})
    if (outcome === 'refused')
      this.#options.log.warn('push: refused', { host: push.host, status: answer?.status })
  }

  /** `Retry-After` is believed for this push only: its host may be any that the person chose. */
  #retry(push: Push, attempt: number, ms: number): void {
    const key = keyOf(push)
    const other = this.#waiting.get(key)
    if (other) {
      clearTimeout(other.timer)
      this.#changePending(push, -1)
    }
    const fromSeq = Math.min(push.fromSeq, other?.push.fromSeq ?? push.fromSeq)
    const timer = setTimeout(() => {
      this.#waiting.delete(key)
      void this.#attempt({ ...push, fromSeq }, attempt)
    }, ms)
    timer.unref()
    this.#waiting.set(key, { push: { ...push, fromSeq }, timer })
  }

  #changePending({ userId }: Push, by: 1 | -1): void {
    this.#pendingTotal += by
    const count = (this.#pending.get(userId) ?? 0) + by
    if (count === 0) this.#pending.delete(userId)
    else this.#pending.set(userId, count)
  }

  /** Sends a push in turn: only a few pushes of a person wait for push services at once. */
  #request(push: Push): Promise<PushAnswer | undefined> {
    return this.#people.run(push.userId, () => this.#hosts.run(push.host, () => this.#sendNow(push)))
  }

  /** Undefined if there is nothing to send. */
  async #sendNow(push: Push): Promise<PushAnswer | undefined> {
    const { compose, log } = this.#options
    try {
      const notification = await this.#composing.run(() => compose(push))
      return notification && (await sendPush(await this.#requestOf(push, notification), this.#options))
    } catch (error) {
      log.info('push: no answer', { host: push.host, error })
      return NO_ANSWER
    }
  }

  async #requestOf(
    push: Push,
    { subscription, payload, lifetimeSeconds }: Notification,
  ): Promise<PushRequest> {
    // Loaded with the first push.
    const { generateRequestDetails } = await import('web-push')
    const { keys, contact: subject } = this.#options
    const { endpoint, p256dh, auth } = subscription
    const details = generateRequestDetails({ endpoint, keys: { p256dh, auth } }, payload, {
      vapidDetails: { subject, ...keys },
      TTL: lifetimeSeconds ?? LIFETIME_SECONDS,
      ...(lifetimeSeconds !== undefined && { urgency: 'high' as const }),
      // A later message about the room replaces one that was not delivered yet (RFC 8030, 5.4).
      topic: createHash('sha256').update(topicOf(push)).digest('base64url').slice(0, 32),
      contentEncoding: 'aes128gcm',
    })
    return { endpoint, headers: details.headers, body: details.body }
  }
}

const keyOf = (push: Push) => `${push.subscriptionId} ${topicOf(push)}`

/** A call and the messages of its room replace nothing of each other. */
const topicOf = ({ roomId, callId }: Push) => (callId === undefined ? roomId : `${roomId} ${callId}`)

function outcomeOf(answer: PushAnswer | undefined): PushOutcome {
  if (!answer) return 'obsolete'
  const { status } = answer
  if (status === 404 || status === 410) return 'gone'
  if (status === 0 || status === 429 || status >= 500) return 'unanswered'
  return status < 300 ? 'delivered' : 'refused'
}
