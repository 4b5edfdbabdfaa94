import { NoAnswer, Wire } from '@latchkey/http/testing-wire'

const TICK_MS = 5
/** Connections that a proxy keeps, as `keepalive` of deploy/nginx/latchkey.conf does. */
const MAX_KEPT = 32

export interface VisitTally {
  /** Redirects that visitors got. */
  redirected: number
  /** Requests on kept connections that ended before an answer, and were sent again. */
  repeated: number
  /** What visitors saw instead of a redirect. */
  failures: string[]
  /** Milliseconds until each redirect. */
  waits: number[]
}

/**
 * Follows a slug at this rate, whether earlier visits are answered or not. Half of the visits use kept
 * connections, as a proxy does, and half a connection of their own.
 */
export class Visitors {
  readonly tally: VisitTally = { redirected: 0, repeated: 0, failures: [], waits: [] }
  readonly #port: number
  readonly #path: string
  readonly #idle: Wire[] = []
  readonly #running = new Set<Promise<void>>()
  #isOver = false
  #sending: Promise<void> | undefined

  constructor(port: number, path: string) {
    this.#port = port
    this.#path = path
  }

  start(perSecond: number): void {
    this.#sending = this.#send(perSecond)
  }

  /** Resolves when all visits are answered. */
  async stop(): Promise<VisitTally> {
    this.#isOver = true
    await this.#sending
    await Promise.all(this.#running)
    for (const wire of this.#idle) wire.close()
    return this.tally
  }

  async #send(perSecond: number): Promise<void> {
    const startedMs = performance.now()
    for (let sent = 0; !this.#isOver;) {
      const due = ((performance.now() - startedMs) * perSecond) / 1_000
      for (; sent < due; sent++) this.#visit(sent % 2 === 0)
      await Bun.sleep(TICK_MS)
    }
  }

  #visit(isKept: boolean): void {
    const visit = this.#follow(isKept)
      .catch((error: unknown) => void this.tally.failures.push(String(error)))
      .finally(() => this.#running.delete(visit))
    this.#running.add(visit)
  }

  async #follow(isKept: boolean): Promise<void> {
    const startedMs = performance.now()
    const { status, headers } = (isKept && (await this.#askKept())) || (await this.#askOnce(isKept))
    if (status !== 302)
      return void this.tally.failures.push(`status ${status}, ${headers.get('retry-after')}`)
    this.tally.redirected++
    this.tally.waits.push(performance.now() - startedMs)
  }

  /** Undefined without a kept connection, or when it ended first: such a request is sent again (RFC 9110, 9.2.2). */
  async #askKept() {
    const wire = this.#idle.pop()
    if (!wire || wire.hasEnded) return undefined
    try {
      return await this.#ask(wire, true)
    } catch (error) {
      if (!(error instanceof NoAnswer) || error.status !== undefined) throw error
      this.tally.repeated++
      return undefined
    }
  }

  async #askOnce(isKept: boolean) {
    return this.#ask(await Wire.open(this.#port), isKept)
  }

  async #ask(wire: Wire, isKept: boolean) {
    const answer = await wire.request('GET', this.#path)
    const mayKeep = isKept && answer.headers.get('connection') !== 'close' && this.#idle.length < MAX_KEPT
    if (mayKeep) this.#idle.push(wire)
    else wire.close()
    return answer
  }
}
