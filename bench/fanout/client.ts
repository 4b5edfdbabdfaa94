import { type Person } from './people.ts'

/** One socket of the load. It counts messages instead of keeping them. */
export class Client {
  readonly opened: Promise<void>
  readonly closed: Promise<number>
  readonly #socket: WebSocket
  readonly #waiting = new Map<string, (frame: Record<string, unknown>) => void>()
  #count = 0

  constructor(port: number, person: Person | undefined, onText: (text: string, client: Client) => void) {
    const options = person ? { headers: withoutBody(person.headers), protocols: ['latchkey.v1'] } : undefined
    this.#socket = new WebSocket(`ws://127.0.0.1:${port}/api/ws`, options as unknown as string[])
    this.opened = new Promise((resolve, reject) => {
      this.#socket.addEventListener('open', () => resolve())
      this.#socket.addEventListener('close', ({ code }) => reject(new Error(`closed ${code}`)))
    })
    this.opened.catch(() => {})
    this.closed = new Promise((resolve) =>
      this.#socket.addEventListener('close', ({ code }) => resolve(code)),
    )
    this.#socket.addEventListener('message', ({ data }) => {
      const text = String(data)
      if (text.startsWith('{"type":"event"') || !person) return onText(text, this)
      // Parsing the many frames that answer nothing would cost more than the server.
      if (/^\{"type":"(?:lobby|people|presence)"/.test(text)) return
      const frame = JSON.parse(text) as Record<string, unknown>
      const id = frame['id']
      if (typeof id === 'string') this.#waiting.get(id)?.(frame)
    })
  }

  ask(frame: Record<string, unknown>): Promise<Record<string, unknown>> {
    const id = String(++this.#count)
    const { promise, resolve } = Promise.withResolvers<Record<string, unknown>>()
    this.#waiting.set(id, (answer) => {
      this.#waiting.delete(id)
      resolve(answer)
    })
    this.send({ ...frame, id })
    return promise
  }

  send(frame: Record<string, unknown>): void {
    this.#socket.send(JSON.stringify(frame))
  }

  terminate(): void {
    // Bun's sockets have `terminate`, but the types in force here are the browser's.
    ;(this.#socket as WebSocket & { terminate(): void }).terminate()
  }
}

function withoutBody({ host, origin, cookie }: Record<string, string>): Record<string, string> {
  return { host: host ?? '', origin: origin ?? '', cookie: cookie ?? '' }
}

export interface Api {
  json<Body>(path: string, body?: unknown, method?: string): Promise<Body>
}

/** HTTP requests of this person. */
export function api(port: number, { headers }: Person): Api {
  return {
    async json<Body>(path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST') {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        headers,
        method,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
      return (await answer.json()) as Body
    },
  }
}

/** Runs `work` in groups. All at once would measure the listen queue. */
export async function inGroups<Item>(
  items: readonly Item[],
  size: number,
  work: (item: Item, index: number) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < items.length; from += size)
    await Promise.all(items.slice(from, from + size).map((item, i) => work(item, from + i)))
}
