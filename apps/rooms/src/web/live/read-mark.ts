import { call } from '../call.ts'

/** What the user has read of the room on display (R30.1). */
export class ReadMark {
  /** The user has marked a message as unread: what is on display counts as unread. */
  staysUnread = false
  readonly #roomId: string
  readonly #showUnread: (seq: number) => void
  #sending: Promise<unknown> = Promise.resolve()

  /** `showUnread` shows an event as the first that is new. */
  constructor(roomId: string, showUnread: (seq: number) => void) {
    this.#roomId = roomId
    this.#showUnread = showUnread
  }

  /** Marks the room as read up to this event. Resolves to the resulting mark. */
  async markRead(seq: number): Promise<number> {
    return (await this.#send({ seq })).readSeq
  }

  /** Makes this the first unread event, until the room is entered again. */
  async markUnread(seq: number): Promise<void> {
    this.keepUnread(seq)
    await this.#send({ seq, unread: true })
  }

  /** Shows this event as the first that is new, and lets nothing count as read. */
  keepUnread(seq: number): void {
    this.staysUnread = true
    this.#showUnread(seq)
  }

  /** One after the other: an earlier mark must not arrive later. */
  #send(body: { seq: number; unread?: true }) {
    const send = () => call('markRoomRead', { params: { id: this.#roomId }, body })
    const sent = this.#sending.then(send, send)
    this.#sending = sent
    return sent
  }
}
