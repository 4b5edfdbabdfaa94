import { Client, api } from './client.ts'
import type { Person } from './people.ts'

/** First delay of a client that reconnects, with full jitter (R18.7). */
const RECONNECT_MS = 500
const LONGEST_DELAY_MS = 30_000

export interface PageOptions {
  person: Person
  roomId: string
  /** Ports of the nodes, of which the page opens its first socket at this one. */
  ports: () => readonly number[]
  node: number
  /** The number of the last event that the page knows already. By default, it fetches all. */
  since?: 'start' | 'now'
  /** Delay before the next attempt, which takes less than this many milliseconds. */
  delay?: (belowMs: number) => number
  onEvent?: (text: string, seq: number) => void
  onEntered?: (client: Client, ms: number) => void
}

/** One person's page with a room, which resumes after each loss of its socket (R18.5). */
export class Page {
  readonly person: Person
  /** All events up to this one were received. */
  seq = 0
  /** Events that arrived with a hole before them. */
  faults = 0
  reconnects = 0
  node: number
  client: Client | undefined
  readonly #options: PageOptions
  /** Events that arrive before the list of those that were missed. */
  #buffered: number[] | undefined
  #isClosing = false

  constructor(options: PageOptions) {
    this.#options = options
    this.person = options.person
    this.node = options.node
  }

  get port(): number {
    return this.#options.ports()[this.node] ?? 0
  }

  get isPresent(): boolean {
    return this.client !== undefined && this.#buffered === undefined
  }

  /** Connects, subscribes, and fetches the missed events. */
  async enter(): Promise<void> {
    const buffered: number[] = []
    this.#buffered = buffered
    const client = new Client(this.port, this.person, (text) => this.#receive(client, text))
    this.client = client
    await client.opened
    let isLost = false
    const closed = client.closed.then(() => {
      isLost = true
      this.#onClosed(client)
      return { type: 'closed' }
    })
    const fromMs = performance.now()
    const answer = await Promise.race([
      client.ask({ type: 'subscribe', roomId: this.#options.roomId }),
      closed,
    ])
    if (answer['type'] !== 'subscribed') throw new Error(JSON.stringify(answer))
    this.#options.onEntered?.(client, performance.now() - fromMs)
    const seq = (answer as { seq: number }).seq
    if (this.seq === 0 && this.#options.since === 'now') this.seq = seq
    while (this.seq < seq) await this.#fetchMissed()
    if (isLost) throw new Error('The socket was lost meanwhile')
    this.#buffered = undefined
    for (const each of buffered) this.#advance(each)
  }

  /** Breaks the connection. The page comes back. */
  terminate(): void {
    this.client?.terminate()
  }

  close(): void {
    this.#isClosing = true
    this.terminate()
  }

  async #fetchMissed(): Promise<void> {
    const { events } = await api(this.port, this.person).json<{ events: { seq: number }[] }>(
      `/api/rooms/${this.#options.roomId}/events?after=${this.seq}&limit=200`,
    )
    if (events.length === 0) throw new Error(`No events follow ${this.seq}`)
    for (const { seq } of events) this.#advance(seq)
  }

  #receive(client: Client, text: string): void {
    if (this.client !== client) return
    const seq = Number(/"seq":(\d+)/.exec(text)?.[1])
    this.#options.onEvent?.(text, seq)
    if (this.#buffered) this.#buffered.push(seq)
    else this.#advance(seq)
  }

  #advance(seq: number): void {
    // The list may have been ahead of the socket.
    if (seq <= this.seq) return
    if (seq !== this.seq + 1) this.faults++
    this.seq = seq
  }

  #onClosed(client: Client): void {
    if (this.#isClosing || this.client !== client || this.#buffered) return
    this.client = undefined
    void this.#comeBack()
  }

  async #comeBack(): Promise<void> {
    const delay = this.#options.delay ?? ((belowMs) => Math.random() * belowMs)
    for (let tries = 0; !this.#isClosing; tries++) {
      await Bun.sleep(delay(Math.min(RECONNECT_MS * 2 ** tries, LONGEST_DELAY_MS)))
      // A load balancer directs the next attempt to another node.
      this.node = (this.node + 1) % this.#options.ports().length
      this.reconnects++
      if (await this.#hasEntered()) return
    }
  }

  async #hasEntered(): Promise<boolean> {
    try {
      await this.enter()
      return true
    } catch {
      const { client } = this
      this.client = undefined
      client?.terminate()
      return false
    }
  }
}
