import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@latchkey/http/log'
import type { ReadRevocations, RevocationPage } from './revocations.ts'
import { AccessSessions } from './sessions.ts'

const TIMES = {
  /** Timeout of an answer, which is longer than the 25 seconds that the access layer waits. */
  answerMs: 30_000,
  /** Time without an answer after which no session counts as admitted. */
  admittedMs: 60_000,
  /** Time that a request for a session that this node does not know waits for an answer. */
  waitMs: 2_000,
}
/** Sessions on a page. A full one does not say that there are no further ones. */
const MAX_PAGE = 1_000
/** Pause after an answer, which limits the requests while sessions end all the time. */
const PAUSE_MS = 250
const FIRST_RETRY_MS = 250
const MAX_RETRY_MS = 5_000

export const FOLLOW_RETRY_AFTER_SECONDS = MAX_RETRY_MS / 1000

export interface FollowOptions {
  read: ReadRevocations
  log: Pick<Log, 'info' | 'warn'>
  /** Milliseconds since 1970, on the clock by which assertions are verified. */
  now: () => number
  times?: Partial<typeof TIMES>
}

/**
 * Follows which sessions the access layer ends. While it does not answer, no session is admitted that
 * was not admitted before, and those stay for a minute.
 */
export class FollowedSessions {
  readonly #options: FollowOptions
  readonly #times: typeof TIMES
  readonly #sessions = new AccessSessions()
  readonly #closing = new AbortController()
  #request = new AbortController()
  #cursor: string | undefined
  /** The cursor before a failure, which shows after it whether the list is still the same one. */
  #cursorBefore: string | undefined
  #isFailing = false
  #answeredMs = -Infinity
  #nextAnswer = Promise.withResolvers<void>()
  #forgetting: Timer | undefined

  constructor(options: FollowOptions) {
    this.#options = options
    this.#times = { ...TIMES, ...options.times }
    void this.#follow()
  }

  /** Whether the access layer answers. A frozen process may have missed that it does not. */
  get isFollowing(): boolean {
    return !this.#isFailing && this.#silentMs < this.#times.answerMs + MAX_RETRY_MS
  }

  /**
   * Admits the session of an assertion that was issued at this time, in Unix seconds. The signal
   * aborts when that is over, with `SESSION_ENDED` if the access layer has ended the session.
   */
  async admit(sid: string, issuedAt: number): Promise<AbortSignal | 'ended' | 'unavailable'> {
    if (!this.isFollowing && !this.#isKept(sid))
      await Promise.race([this.#nextAnswer.promise, sleep(this.#times.waitMs, undefined, { ref: false })])
    if (this.#sessions.hasEnded(sid, issuedAt)) return 'ended'
    return this.isFollowing || this.#isKept(sid) ? this.#sessions.admit(sid) : 'unavailable'
  }

  /** Ends the waiting request: the node is about to stop. */
  drain(): void {
    this.#closing.abort()
    this.#request.abort()
    clearTimeout(this.#forgetting)
  }

  close(): void {
    this.drain()
  }

  get #silentMs(): number {
    return performance.now() - this.#answeredMs
  }

  #isKept(sid: string): boolean {
    return this.#silentMs < this.#times.admittedMs && this.#sessions.isAdmitted(sid)
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closing
    let retryMs = FIRST_RETRY_MS
    while (!signal.aborted) {
      const page = await this.#readNext().catch((error: unknown) => this.#fail(error))
      if (page) this.#apply(page)
      await sleep(page ? PAUSE_MS : retryMs, undefined, { signal, ref: false }).catch(() => undefined)
      retryMs = page ? FIRST_RETRY_MS : Math.min(retryMs * 2, MAX_RETRY_MS)
    }
  }

  async #readNext(): Promise<RevocationPage> {
    const request = new AbortController()
    this.#request = request
    const timeout = setTimeout(
      () => request.abort(new Error('The access layer does not answer in time')),
      this.#times.answerMs,
    )
    try {
      return await this.#options.read(this.#cursor, request.signal)
    } finally {
      clearTimeout(timeout)
    }
  }

  #apply({ cursor, ended, reset }: RevocationPage): void {
    const seconds = Math.floor(this.#options.now() / 1000)
    // The ends since the last page are unknown. The first page has all that still matter.
    if (reset && this.#cursor !== undefined) this.#sessions.forgetAll(seconds)
    this.#cursor = this.#cursorBefore ?? cursor
    this.#cursorBefore = undefined
    this.#sessions.end(ended, seconds)
    if (ended.length < MAX_PAGE) this.#recordAnswer()
  }

  #recordAnswer(): void {
    if (this.#isFailing) this.#options.log.info('access: ended sessions are followed again')
    this.#isFailing = false
    this.#answeredMs = performance.now()
    clearTimeout(this.#forgetting)
    const forget = () => this.#sessions.forgetAdmitted()
    this.#forgetting = setTimeout(forget, this.#times.admittedMs).unref()
    this.#nextAnswer.resolve()
    this.#nextAnswer = Promise.withResolvers()
  }

  #fail(error: unknown): void {
    // Without a cursor, the next answer comes at once, and has all that ended meanwhile.
    this.#cursorBefore ??= this.#cursor
    this.#cursor = undefined
    if (this.#closing.signal.aborted || this.#isFailing) return
    this.#isFailing = true
    this.#options.log.warn('access: ended sessions cannot be followed', { error })
  }
}
