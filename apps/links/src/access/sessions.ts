/** A session at the access layer that has ended, at an ISO 8601 time. */
interface EndedSession {
  readonly sid: string
  readonly at: string
}

/** The reason with which the signal of a session aborts when the access layer has ended it. */
export const SESSION_ENDED = Symbol('The session has ended at the access layer')

/**
 * An assertion is valid for 65 seconds, with leeway. The rest allows for the clocks of several nodes
 * of the access layer.
 */
const KEEP_ENDED_SECONDS = 120
const MAX_ENDED = 100_000
const MAX_ADMITTED = 10_000

/** Sessions at the access layer: those that this node has admitted, and those that have ended. */
export class AccessSessions {
  /** The session that was admitted last is the last entry. */
  readonly #admitted = new Map<string, AbortController>()
  /** In Unix seconds, by session. */
  readonly #endedAt = new Map<string, number>()
  /** Unix seconds until which further sessions have ended, whose names are not known. */
  #unknownUntil = -Infinity

  /**
   * Whether the session of an assertion may have ended. Where that is not known, a request comes
   * with a newer assertion, which the access layer has signed since.
   */
  hasEnded(sid: string, issuedAt: number): boolean {
    return this.#endedAt.has(sid) || issuedAt < this.#unknownUntil
  }

  isAdmitted(sid: string): boolean {
    return this.#admitted.has(sid)
  }

  /** Returns the signal that aborts when the session can no longer be admitted. */
  admit(sid: string): AbortSignal {
    const session = this.#admitted.get(sid) ?? new AbortController()
    this.#admitted.delete(sid)
    this.#admitted.set(sid, session)
    if (this.#admitted.size > MAX_ADMITTED) this.#abortOldest()
    return session.signal
  }

  /** Unix seconds for `now`. */
  end(sessions: readonly EndedSession[], now: number): void {
    for (const { sid, at } of sessions) {
      // A time in the future would keep the session, or refuse new ones, until then.
      this.#endedAt.set(sid, Math.min(Date.parse(at) / 1000, now))
      this.#admitted.get(sid)?.abort(SESSION_ENDED)
      this.#admitted.delete(sid)
    }
    for (const [sid, at] of this.#endedAt) if (at + KEEP_ENDED_SECONDS < now) this.#endedAt.delete(sid)
    this.#dropOverflow()
  }

  /** Forgets who was admitted, which ends what lasts for them. */
  forgetAdmitted(): void {
    for (const session of this.#admitted.values()) session.abort()
    this.#admitted.clear()
  }

  /** Forgets who was admitted, and refuses assertions from before that. */
  forgetAll(now: number): void {
    this.#unknownUntil = Math.max(this.#unknownUntil, now)
    this.forgetAdmitted()
  }

  #abortOldest(): void {
    const [oldest] = this.#admitted
    if (!oldest) return
    oldest[1].abort()
    this.#admitted.delete(oldest[0])
  }

  #dropOverflow(): void {
    for (const [sid, at] of this.#endedAt) {
      if (this.#endedAt.size <= MAX_ENDED) return
      this.#endedAt.delete(sid)
      this.#unknownUntil = Math.max(this.#unknownUntil, at + 1)
    }
  }
}
