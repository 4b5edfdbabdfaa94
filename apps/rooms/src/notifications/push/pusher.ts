import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import type { Tables } from '../../db/tables.ts'
import type { Delivery } from './delivery.ts'
import type { Push } from './push.ts'
import { type Recipient, findRecipients } from './recipients.ts'
import { claimPushes, listSubscriptionsOf } from './store.ts'

/** In this time, a page on which the message arrives marks it as read. */
const WAIT_MS = 5_000

interface Options {
  database: Database<Tables>
  delivery: Delivery
  /** Key in base64url, for browsers that subscribe. */
  publicKey: string
  log: Log
  now: () => number
}

/**
 * Notifies people of messages that this node has stored, and that they have not read after a few
 * seconds (R30.3). A restart in between drops the notification, and nothing sends it twice.
 */
export class Pusher {
  readonly publicKey: string
  readonly #options: Options
  /** The first new message of each room, with the timer of its notifications. */
  readonly #waiting = new Map<string, { fromSeq: number; timer: Timer }>()
  #last: Promise<unknown> = Promise.resolve()
  /** First attempts in progress. */
  readonly #sending = new Set<Promise<void>>()

  constructor(options: Options) {
    this.#options = options
    this.publicKey = options.publicKey
  }

  /** Whether pushes can be sent to this address: on a public host. */
  canReach(url: URL): Promise<boolean> {
    return this.#options.delivery.canReach(url)
  }

  /** Called for every stored message. */
  announce(roomId: string, seq: number): void {
    if (this.#waiting.has(roomId)) return
    const timer = setTimeout(() => void this.#notify(roomId), WAIT_MS)
    timer.unref()
    this.#waiting.set(roomId, { fromSeq: seq, timer })
  }

  /** Notifies people of a call that has begun, at once. */
  announceCall({ userIds, ...call }: { roomId: string; callId: string; userIds: readonly string[] }): void {
    if (userIds.length === 0) return
    const { now, log } = this.#options
    const pushed = this.#pushTo(userIds, { ...call, fromSeq: 0 }, now())
    this.#last = Promise.all([this.#last, pushed]).catch((error: unknown) =>
      log.error('push: failed', { error }),
    )
  }

  /** Sends what waits without further delay. Resolves after the first attempts. */
  async flush(): Promise<void> {
    for (const roomId of this.#waiting.keys()) void this.#notify(roomId)
    await this.#last
    await Promise.all(this.#sending)
  }

  stop(): void {
    for (const { timer } of this.#waiting.values()) clearTimeout(timer)
    this.#waiting.clear()
    this.#options.delivery.stop()
  }

  /** One room after the other: notifications must not take the database from requests. */
  #notify(roomId: string): Promise<unknown> {
    const { fromSeq = 0, timer } = this.#waiting.get(roomId) ?? {}
    clearTimeout(timer)
    this.#waiting.delete(roomId)
    this.#last = this.#last
      .then(() => this.#push(roomId, fromSeq))
      .catch((error: unknown) => this.#options.log.error('push: failed', { error }))
    return this.#last
  }

  async #push(roomId: string, fromSeq: number): Promise<void> {
    const { database, now } = this.#options
    const nowMs = now()
    const candidates = await findRecipients(database, { roomId, fromSeq, nowMs })
    const users = await this.#claim(roomId, candidates, nowMs)
    if (users.length > 0) await this.#pushTo(users, { roomId, fromSeq }, nowMs)
  }

  async #pushTo(
    userIds: readonly string[],
    subject: Pick<Push, 'roomId' | 'fromSeq' | 'callId'>,
    nowMs: number,
  ): Promise<void> {
    for (const subscription of await listSubscriptionsOf(this.#options.database, userIds, nowMs)) {
      const { id: subscriptionId, user_id: userId, endpoint } = subscription
      this.#send({ subscriptionId, host: new URL(endpoint).host, userId, ...subject })
    }
  }

  #send(push: Push): void {
    const sending = this.#options.delivery.send(push)
    this.#sending.add(sending)
    void sending.finally(() => this.#sending.delete(sending))
  }

  async #claim(roomId: string, users: Recipient[], nowMs: number): Promise<string[]> {
    if (users.length === 0) return []
    const { database } = this.#options
    return database.write((tx) => claimPushes(tx, database.dialect, { roomId, users, nowMs }))
  }
}
