import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import type { Updateable } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { createFaultLog } from '../api/fault-log.ts'
import { type Holder, listDue, releaseAllLeases, releaseLease, takeLease, updateLeased } from './lease.ts'
import { nextAttemptAt } from './retry.ts'
import { type Attempt, type Message, type Sender, isDelivered } from './sender.ts'
import { UNTRIED, type WebhookRow, insertDelivery } from './store.ts'

/** How long an event of another node may wait, in milliseconds. */
const POLL_MS = 1_000
/** How long attempts may go on after the service has ended its requests, in milliseconds. */
const GRACE_MS = 1_000
/** Receivers that are asked at the same time. Failing ones may take half of them. */
const MAX_RUNNING = 512
/** Events that do not concern a webhook before its position is stored without a delivery. */
const MAX_SKIPPED = 1_000

/** The events that webhooks deliver. */
export interface EventSource {
  /** Returns the number of the newest event; 0 without events. */
  newestSeq(): Promise<number>
  /**
   * The first event after the position that the webhook is for and that its creator may read now,
   * and the last event that was looked at.
   */
  findNext(
    webhook: Pick<WebhookRow, 'position' | 'types' | 'bundle_id'>,
  ): Promise<{ message: Message | undefined; lastSeq: number }>
}

interface DispatcherOptions {
  database: Database<Tables>
  source: EventSource
  sender: Sender
  log: Log
  /** Unix seconds on the clock that all nodes share. */
  now: () => number
  random?: () => number
  /** Counts an attempt. */
  count?: (outcome: Outcome) => void
}

/** How an attempt ended. */
type Outcome = 'delivered' | 'refused' | 'timeout' | 'unreachable'

/**
 * Delivers events to webhooks: for each in order and at least once, and for all independently. Of
 * several nodes, the one that has the lease of a webhook delivers to it.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions
  readonly #node = crypto.randomUUID()
  readonly #running = new Map<number, RunningDelivery>()
  /** The last event that was looked at beyond the stored position, and what was looked for. */
  readonly #lookedAt = new Map<number, { scope: string; seq: number }>()
  readonly #abort = new AbortController()
  readonly #logFault: (error: unknown) => void
  #timer: Timer | undefined
  #isDraining = false

  constructor(options: DispatcherOptions) {
    this.#options = options
    this.#logFault = createFaultLog(options.log, 'webhooks: cannot be delivered', 'attempts')
  }

  async start(): Promise<void> {
    const { database } = this.#options
    // A file has one service: a lease in it is that of an earlier one.
    if (database.dialect === 'sqlite') await database.write(releaseAllLeases)
    this.#pollLater()
  }

  /** Starts the deliveries that are due. */
  async poll(): Promise<void> {
    const { source, database } = this.#options
    const due = await listDue(database.read, this.#holder, await source.newestSeq())
    for (const webhook of inTurn(due, this.#running.values())) {
      const { id, failures, created_by: owner } = webhook
      const isFailing = failures > 0
      if (this.#isDraining || this.#running.has(id) || !this.#hasRoom(isFailing)) continue
      const delivery = this.#deliver(webhook).catch(this.#logFault)
      this.#running.set(id, { owner, isFailing, delivery })
      void delivery.finally(() => this.#running.delete(id))
    }
  }

  /** Resolves once every delivery that is due was attempted. */
  async pollAndWait(): Promise<void> {
    await this.poll()
    await this.#settle()
  }

  /** Starts no more attempts. Running ones continue. */
  drain(): void {
    this.#isDraining = true
    clearTimeout(this.#timer)
  }

  /**
   * Aborts attempts that do not end soon, which are made again by another node or after the next
   * start.
   */
  async close(): Promise<void> {
    this.drain()
    const timer = setTimeout(() => this.#abort.abort(), GRACE_MS)
    await this.#settle()
    clearTimeout(timer)
    this.#abort.abort()
  }

  /** Aborted when the service closes. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  get #holder(): Holder {
    return { node: this.#node, now: this.#options.now() }
  }

  async #settle(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ delivery }) => delivery))
  }

  #hasRoom(isFailing: boolean): boolean {
    if (this.#running.size >= MAX_RUNNING) return false
    const failing = [...this.#running.values()].filter((delivery) => delivery.isFailing)
    return !isFailing || failing.length < MAX_RUNNING / 2
  }

  #pollLater(): void {
    this.#timer = setTimeout(() => {
      void this.poll()
        .catch(this.#logFault)
        .finally(() => {
          if (!this.#isDraining) this.#pollLater()
        })
    }, POLL_MS)
  }

  async #deliver(webhook: WebhookRow): Promise<void> {
    const { database, source } = this.#options
    const { id, position, types, bundle_id } = webhook
    const scope = `${position} ${bundle_id} ${types}`
    const lookedAt = this.#lookedAt.get(id)
    const start = lookedAt?.scope === scope ? lookedAt.seq : position
    const { message, lastSeq } = await source.findNext({ ...webhook, position: start })
    // Most events do not concern most webhooks: that is worth no write.
    if (message === undefined && lastSeq - position < MAX_SKIPPED)
      return void this.#lookedAt.set(id, { scope, seq: lastSeq })
    this.#lookedAt.delete(id)
    let leased = await database.write((tx) => takeLease(tx, id, this.#holder))
    try {
      while (leased && !this.#isDraining) leased = await this.#deliverNext(leased)
    } catch (error) {
      if (!this.#abort.signal.aborted) throw error
    } finally {
      await database.write((tx) => releaseLease(tx, id, this.#node))
    }
  }

  /** Returns the webhook after a success, and undefined once there is nothing to do for now. */
  async #deliverNext(webhook: WebhookRow): Promise<WebhookRow | undefined> {
    const { database, source, sender } = this.#options
    const { message, lastSeq } = await source.findNext(webhook)
    if (!message) {
      if (lastSeq > webhook.position)
        await database.write((tx) => updateLeased(tx, webhook, this.#holder, { position: lastSeq }))
      return undefined
    }
    const attempt = await sender.attempt(webhook, message, this.#abort.signal)
    this.#options.count?.(attempt.error ?? (isDelivered(attempt) ? 'delivered' : 'refused'))
    const changes = this.#changesOf(webhook, attempt)
    const updated = await database.write(async (tx) => {
      const row = await updateLeased(tx, webhook, this.#holder, changes)
      const { retryAfterSeconds: _, ...delivery } = attempt
      if (row ?? (await exists(tx, webhook.id))) await insertDelivery(tx, delivery)
      return row
    })
    if (updated?.disabled_at)
      this.#options.log.warn('webhook: disabled after days of failures', { webhook: webhook.id })
    return isDelivered(attempt) ? updated : undefined
  }

  #changesOf(webhook: WebhookRow, attempt: Attempt): Updateable<Tables['webhook']> {
    if (isDelivered(attempt)) return { ...UNTRIED, position: attempt.seq ?? webhook.position }
    const { now, random = Math.random } = this.#options
    const { retryAfterSeconds } = attempt
    const failures = webhook.failures + 1
    const failingSince = webhook.failing_since ?? now()
    const nextAt = nextAttemptAt({ failures, failingSince, retryAfterSeconds, now: now(), random: random() })
    return {
      failures,
      failing_since: failingSince,
      ...(nextAt === undefined ? { disabled_at: now() } : { next_attempt_at: nextAt }),
    }
  }
}

interface RunningDelivery {
  owner: string
  isFailing: boolean
  delivery: Promise<void>
}

/** One webhook of each person after another: those of one person wait for each other first. */
function inTurn(due: readonly WebhookRow[], running: Iterable<RunningDelivery>): WebhookRow[] {
  const turns = new Map<string, number>()
  const takeTurn = (owner: string) => {
    const turn = turns.get(owner) ?? 0
    turns.set(owner, turn + 1)
    return turn
  }
  for (const { owner } of running) takeTurn(owner)
  return due
    .map((webhook) => ({ webhook, turn: takeTurn(webhook.created_by) }))
    .toSorted((a, b) => a.turn - b.turn)
    .map(({ webhook }) => webhook)
}

async function exists(
  tx: Parameters<Parameters<Database<Tables>['write']>[0]>[0],
  id: number,
): Promise<boolean> {
  const row = await tx.selectFrom('webhook').select('id').where('id', '=', id).executeTakeFirst()
  return row !== undefined
}
