import { Client } from '../../../../bench/fanout/client.ts'
import type { Person } from '../../../../bench/fanout/people.ts'
import { askOnce } from '../../../rooms/test/durability/ask.ts'

/** The most people of a room (R16.3). */
const ROOM_SIZE = 100
/** First wait of the page before it reconnects, with full jitter (R18.7b). */
const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 30_000

export interface ChatTally {
  /** Messages whose storing was acknowledged. */
  acknowledged: string[]
  /** What senders saw instead of an acknowledgement. */
  failures: string[]
  /** Milliseconds from the end of a socket until its room is entered again. */
  absences: number[]
  /** Codes with which sockets ended. */
  closes: Map<number, number>
}

/** People in rooms, each with a socket, who post messages in turn. */
export class Chatters {
  readonly tally: ChatTally = { acknowledged: [], failures: [], absences: [], closes: new Map() }
  readonly #port: number
  readonly #people: readonly Person[]
  readonly #roomIds: string[] = []
  readonly #present = new Set<Client>()
  readonly #running = new Set<Promise<void>>()
  #isOver = false
  #posting: Promise<void> | undefined

  constructor(port: number, people: readonly Person[]) {
    this.#port = port
    this.#people = people
  }

  /** Whether each person has lost this many sockets, and is in the room again. */
  hasReturned(times: number): boolean {
    const ended = [...this.tally.closes.values()].reduce((sum, count) => sum + count, 0)
    return ended >= times * this.#people.length && this.#present.size >= this.#people.length
  }

  /** All people are in their rooms when this resolves. */
  async start(perSecond: number): Promise<void> {
    for (let from = 0; from < this.#people.length; from += ROOM_SIZE)
      this.#roomIds.push(await this.#createRoom(this.#people[from] as Person))
    await Promise.all(this.#people.map((person, index) => this.#enter(person, index)))
    this.#posting = this.#postAll(perSecond)
  }

  async stop(): Promise<ChatTally> {
    this.#isOver = true
    await this.#posting
    await Promise.all(this.#running)
    for (const client of this.#present) client.terminate()
    return this.tally
  }

  async #createRoom(owner: Person): Promise<string> {
    const body = { name: 'Harbour', maxParticipants: ROOM_SIZE, retention: 'forever', defaultRole: 'speaker' }
    const { text } = await askOnce(this.#port, owner, 'POST', '/api/rooms', body)
    return (JSON.parse(text) as { room: { id: string } }).room.id
  }

  #roomOf(index: number): string {
    return this.#roomIds[Math.floor(index / ROOM_SIZE)] ?? ''
  }

  async #enter(person: Person, index: number): Promise<void> {
    const client = new Client(this.#port, person, () => undefined)
    await client.opened
    const { type } = await client.ask({ type: 'subscribe', roomId: this.#roomOf(index) })
    if (type !== 'subscribed') throw new Error(`Not in the room: ${String(type)}`)
    this.#present.add(client)
    void client.closed.then((code) => this.#comeBack(client, code, person, index))
  }

  /** Reconnects as the page does. */
  async #comeBack(client: Client, code: number, person: Person, index: number): Promise<void> {
    this.#present.delete(client)
    if (this.#isOver) return
    this.tally.closes.set(code, (this.tally.closes.get(code) ?? 0) + 1)
    const leftMs = performance.now()
    for (let attempt = 0; !this.#isOver; attempt++) {
      await Bun.sleep(Math.random() * Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt))
      try {
        await this.#enter(person, index)
        this.tally.absences.push(performance.now() - leftMs)
        return
      } catch {
        // The next attempt waits longer.
      }
    }
  }

  async #postAll(perSecond: number): Promise<void> {
    for (let count = 0; !this.#isOver; count++) {
      const posted = this.#post(count % this.#people.length, `message ${count}`)
        .catch((error: unknown) => void this.tally.failures.push(String(error)))
        .finally(() => this.#running.delete(posted))
      this.#running.add(posted)
      await Bun.sleep(1_000 / perSecond)
    }
  }

  async #post(index: number, content: string): Promise<void> {
    const path = `/api/rooms/${this.#roomOf(index)}/messages`
    const { status, text } = await askOnce(this.#port, this.#people[index] as Person, 'POST', path, {
      content,
    })
    if (status === 201) this.tally.acknowledged.push(content)
    else this.tally.failures.push(`status ${status}: ${text}`)
  }
}
