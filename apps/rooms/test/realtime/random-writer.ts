import { type TestUser, editMessage, pin, react } from '../actions.ts'
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

  constructor(options: Options) {
    this.#options = options
  }

  /** One act. Throws on any response that the act cannot have. */
  async act(): Promise<void> {
    const message = pick(this.#recent)
    const chance = Math.random()
    if (!message || chance < 0.4) return this.#post()
    if (chance < 0.55) return this.#edit(message)
    if (chance < 0.75) return this.#react(message)
    return chance < 0.93 ? this.#pin(message) : this.#delete(message)
  }

  get #address(): string {
    return `/api/rooms/${this.#options.roomId}/messages`
  }

  async #post(): Promise<void> {
    const author = pick(this.#options.people)
    if (!author) return
    const replyTo = Math.random() < 0.3 ? pick(this.#recent)?.id : undefined
    const content = `Message ${this.#count++} for <@${author.user.id}>`
    const body = { content, clientId: crypto.randomUUID(), ...(replyTo !== undefined && { replyTo }) }
    const id = await this.#send(author, body)
    if (id === undefined) return
    // Sent again, as by a client without a response. It is still stored once.
    if (Math.random() < 0.1) await this.#send(author, body)
    this.#recent.push({ id, author, isPinned: false })
    if (this.#recent.length > RECENT) this.#recent.shift()
  }

  /** Retries until it is stored, under one client id. Undefined if it replies to a deleted message. */
  async #send({ browser }: TestUser, body: object): Promise<string | undefined> {
    for (;;) {
      const response = await browser.send(this.#address, { body })
      if (response.status === 503) await Bun.sleep(100)
      else return (await resultOf<{ message: { id: string } }>(response))?.message.id
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
