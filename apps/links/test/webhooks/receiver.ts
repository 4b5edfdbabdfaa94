import { createHmac, timingSafeEqual } from 'node:crypto'

/** A delivery as the receiver got it. */
export interface Received {
  id: string
  seq: number | null
  type: string
  at: number
  data: Record<string, unknown>
  /** Positions of the receiver's secrets that have signed it. */
  signedBy: number[]
  timestamp: number
  body: string
}

type Answer = (received: Received) => Response | Promise<Response>

/** A receiver over HTTP that verifies the signature of each delivery, as the documentation says. */
export class Receiver {
  readonly received: Received[] = []
  secrets: string[] = []
  answer: Answer = () => new Response('thanks')
  readonly #server: Bun.Server<undefined>
  #waiting: { count: number; resolve: () => void }[] = []

  constructor() {
    this.#server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      idleTimeout: 0,
      fetch: (request) => this.#receive(request),
    })
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}/hook`
  }

  get seqs(): (number | null)[] {
    return this.received.map(({ seq }) => seq)
  }

  get types(): string[] {
    return this.received.map(({ type }) => type)
  }

  /** Resolves once this many deliveries have arrived since the start. */
  async waitFor(count: number): Promise<void> {
    if (this.received.length >= count) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push({ count, resolve })
    await promise
  }

  async stop(): Promise<void> {
    await this.#server.stop(true)
  }

  async #receive(request: Request): Promise<Response> {
    const body = await request.text()
    const id = request.headers.get('webhook-id') ?? ''
    const timestamp = Number(request.headers.get('webhook-timestamp'))
    const signatures = (request.headers.get('webhook-signature') ?? '').split(' ')
    const signedBy = this.secrets.flatMap((secret, index) =>
      signatures.some((signature) => isSignedBy(secret, `${id}.${timestamp}.${body}`, signature))
        ? [index]
        : [],
    )
    const event = JSON.parse(body) as Pick<Received, 'seq' | 'type' | 'at' | 'data'>
    const received = { ...event, id, timestamp, body, signedBy }
    this.received.push(received)
    this.#waiting = this.#waiting.filter(({ count, resolve }) => {
      if (this.received.length >= count) resolve()
      return this.received.length < count
    })
    return this.answer(received)
  }
}

function isSignedBy(secret: string, signed: string, signature: string): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const expected = Buffer.from(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
  const actual = Buffer.from(signature)
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}
