import type { Database } from '@latchkey/database/database'
import type { Tables } from '../../src/db/tables.ts'

interface Sent {
  author: number
  roomId: string
  content: string
  /** The number that was answered. Undefined without an answer: it may or may not be stored. */
  seq: number | undefined
}

/** What the people of rooms sent, and what they were answered: the reference for the stored state. */
export class ChatLedger {
  readonly problems: string[] = []
  /** Answered requests, repetitions included, that found their message stored already. */
  repeated = 0
  /** Requests without an answer, or with one that asks to try again. */
  unanswered = 0
  readonly #sent = new Map<string, Sent>()

  require(holds: boolean, problem: () => string): void {
    if (!holds) this.problems.push(problem())
  }

  get acknowledged(): number {
    return [...this.#sent.values()].filter(({ seq }) => seq !== undefined).length
  }

  begin(clientId: string, message: Omit<Sent, 'seq'>): void {
    this.#sent.set(clientId, { ...message, seq: undefined })
  }

  acknowledge(clientId: string, seq: number): void {
    const sent = this.#sent.get(clientId)
    if (!sent) return
    this.require(
      sent.seq === undefined || sent.seq === seq,
      () => `"${sent.content}" has a second number, ${seq}`,
    )
    sent.seq = seq
  }

  /**
   * Each acknowledged message is stored once, under its number; nothing is stored that was not sent;
   * those of an author are in the order in which they were sent; and no number of a room is missing.
   */
  async reconcile({ read }: Pick<Database<Tables>, 'read'>): Promise<void> {
    const stored = await read
      .selectFrom('room_messages')
      .select(['room_id', 'seq', 'client_id', 'content'])
      .orderBy('room_id')
      .orderBy('seq')
      .execute()
    const lastOf = new Map<number, number>()
    const contents = new Set<string>()
    for (const { room_id, seq, client_id, content } of stored) {
      const sent = this.#sent.get(client_id ?? '')
      this.require(sent?.content === content && sent?.roomId === room_id, () => `"${content}" was not sent`)
      this.require(!contents.has(content ?? ''), () => `"${content}" is stored twice`)
      contents.add(content ?? '')
      if (!sent) continue
      this.require(
        sent.seq === undefined || sent.seq === seq,
        () => `"${content}" is ${seq}, answered was ${sent.seq}`,
      )
      sent.seq = seq
      const number = Number(sent.content.split(' ').at(-1))
      const last = lastOf.get(sent.author) ?? -1
      this.require(number > last, () => `"${content}" comes after number ${last} of its author`)
      lastOf.set(sent.author, number)
    }
    for (const { content, seq } of this.#sent.values())
      this.require(seq === undefined || contents.has(content), () => `"${content}" is lost`)
    await this.#reconcileNumbers(read)
  }

  async #reconcileNumbers(read: Database<Tables>['read']): Promise<void> {
    const rooms = await read.selectFrom('rooms').select(['id', 'last_seq']).execute()
    for (const { id, last_seq } of rooms) {
      const { count, last } = await read
        .selectFrom('room_events')
        .select(({ fn }) => [fn.countAll<number>().as('count'), fn.max('seq').as('last')])
        .where('room_id', '=', id)
        .executeTakeFirstOrThrow()
      this.require(
        count === last_seq && (last ?? 0) === last_seq,
        () => `${id} has ${count} events up to ${last}, and its last number is ${last_seq}`,
      )
    }
  }
}
