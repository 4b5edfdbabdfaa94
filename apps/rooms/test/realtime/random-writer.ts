import {
  type FileJson,
  type TestUser,
  type UnreadJson,
  editMessage,
  pin,
  react,
  sendFile,
  sendRead,
} from '../actions.ts'
import type { Browser } from '../rooms.ts'

interface Options {
  people: readonly TestUser[]
  /** May pin, too. */
  owner: Browser
  roomId: string
}

interface PostedMessage {
  id: string
  author: TestUser
  seq: number
  isPinned: boolean
}

const EMOJI = ['👍', '❤️', '🎉', '👀'] as const
/** Changes concern the latest messages: they overtake each other, and deletions. */
const RECENT = 12

/** Does what people do in a room, at random. */
export class Writer {
  readonly #options: Options
  #count = 0
  readonly #recent: PostedMessage[] = []
  /** The contents of the files in messages, by their ids. */
  readonly contents = new Map<string, string>()
  /** The read mark of each person that was answered last. */
  readonly marks = new Map<string, number>()

  constructor(options: Options) {
    this.#options = options
  }

  /** One act. Throws on any response that the act cannot have. */
  async act(): Promise<void> {
    const message = pick(this.#recent)
    const chance = Math.random()
    if (!message || chance < 0.35) return this.#post()
    if (chance < 0.5) return this.#edit(message)
    if (chance < 0.65) return this.#react(message)
    if (chance < 0.8) return this.#pin(message)
    return chance < 0.94 ? this.#markRead() : this.#delete(message)
  }

  get #address(): string {
    return `/api/rooms/${this.#options.roomId}/messages`
  }

  async #post(): Promise<void> {
    const author = pick(this.#options.people)
    if (!author) return
    const replyTo = Math.random() < 0.3 ? pick(this.#recent)?.id : undefined
    const content = `Message ${this.#count++} for <@${author.user.id}>`
    const files = Math.random() < 0.3 ? [await this.#upload(author)] : []
    const body = { content, files, clientId: crypto.randomUUID(), ...(replyTo !== undefined && { replyTo }) }
    const message = await this.#send(author, body)
    if (!message) return
    // Sent again, as by a client without a response. It is still stored once.
    if (Math.random() < 0.1) await this.#send(author, body)
    const { id, seq } = message
    this.#recent.push({ id, seq, author, isPinned: false })
    if (this.#recent.length > RECENT) this.#recent.shift()
  }

  /** Some files have equal contents, which are stored once. */
  async #upload(author: TestUser): Promise<string> {
    const content = `File ${this.#count++ >> 1}`
    const response = await sendFile(author, this.#options.roomId, content)
    const stored = await resultOf<{ file: FileJson }>(response)
    if (!stored) throw new Error('An upload was refused')
    this.contents.set(stored.file.id, content)
    return stored.file.id
  }

  /** Marks messages as read up to two of them at once: the older mark may arrive later. */
  async #markRead(): Promise<void> {
    const person = pick(this.#options.people)
    if (!person) return
    const seqs = [pick(this.#recent)?.seq ?? 0, pick(this.#recent)?.seq ?? 0]
    const before = this.marks.get(person.user.id) ?? 0
    const answers = await Promise.all(
      seqs.map(async (seq) => resultOf<UnreadJson>(await sendRead(person, this.#options.roomId, seq))),
    )
    const marks = answers.map((answer) => answer?.readSeq ?? 0)
    for (const [index, mark] of marks.entries())
      if (mark < Math.max(before, seqs[index] ?? 0))
        throw new Error(`A mark moved back from ${Math.max(before, seqs[index] ?? 0)} to ${mark}`)
    this.marks.set(person.user.id, Math.max(before, this.marks.get(person.user.id) ?? 0, ...marks))
  }

  /** Retries until it is stored, under one client id. Undefined if it replies to a deleted message. */
  async #send({ browser }: TestUser, body: object): Promise<{ id: string; seq: number } | undefined> {
    for (;;) {
      const response = await browser.send(this.#address, { body })
      if (response.status === 503) await Bun.sleep(100)
      else return (await resultOf<{ message: { id: string; seq: number } }>(response))?.message
    }
  }

  async #edit({ id, author }: PostedMessage): Promise<void> {
    const content = `Edited ${this.#count++}`
    await resultOf(await editMessage(author, this.#options.roomId, id, content))
  }

  async #react({ id }: PostedMessage): Promise<void> {
    const [person, emoji] = [pick(this.#options.people), pick(EMOJI)]
    if (!person || !emoji) return
    const method = Math.random() < 0.6 ? 'PUT' : 'DELETE'
    await resultOf(await react(person, this.#options.roomId, id, emoji, method))
  }

  /** Unpins a pinned message, or pins this one. */
  async #pin(unpinned: PostedMessage): Promise<void> {
    const { owner, roomId } = this.#options
    const message = this.#recent.find(({ isPinned }) => isPinned) ?? unpinned
    message.isPinned = !message.isPinned
    await resultOf(await pin({ browser: owner }, roomId, message.id, message.isPinned ? 'PUT' : 'DELETE'))
  }

  async #delete({ id, author }: PostedMessage): Promise<void> {
    await author.browser.json(`${this.#address}/${id}`, { method: 'DELETE' })
  }
}

/** Undefined if the message was deleted meanwhile. */
async function resultOf<Body>(response: Response): Promise<Body | undefined> {
  const text = await response.text()
  if (response.status === 409 && text.includes('"deleted"')) return undefined
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${text}`)
  return JSON.parse(text) as Body
}

function pick<Item>(items: readonly Item[]): Item | undefined {
  return items[Math.floor(Math.random() * items.length)]
}
