import { type Socket, connect } from 'node:net'

export interface Answer {
  status: number
  headers: Headers
  text: string
}

export interface Sent {
  headers?: Record<string, string>
  /** Sent as JSON. */
  body?: unknown
}

/** The connection ended before the whole answer was there; `status` is set when its beginning was. */
export class Unanswered extends Error {
  readonly status: number | undefined

  constructor(status: number | undefined) {
    super(status === undefined ? 'no answer' : `half an answer, status ${status}`)
    this.name = 'Unanswered'
    this.status = status
  }
}

const STATUS = /^HTTP\/1\.1 (\d{3}) /

/**
 * One HTTP connection with one request at a time. Unlike `fetch` it never repeats a request by itself, so that what was
 * sent and what was answered is known exactly.
 */
export class Wire {
  readonly #socket: Socket
  readonly #host: string
  #received: Buffer = Buffer.alloc(0)
  #waiting: PromiseWithResolvers<Answer> | undefined
  #ended = false
  /** The answer that is awaited has no body, whatever its length says. */
  #isHead = false

  private constructor(socket: Socket, port: number) {
    this.#socket = socket
    this.#host = `127.0.0.1:${port}`
    socket.on('data', (chunk) => this.#receive(Buffer.from(chunk)))
    socket.on('error', () => undefined)
    socket.on('close', () => this.#end())
  }

  static async open(port: number): Promise<Wire> {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    const opened = Promise.withResolvers<void>()
    socket.once('connect', opened.resolve)
    socket.once('error', opened.reject)
    await opened.promise
    return new Wire(socket, port)
  }

  get ended(): boolean {
    return this.#ended
  }

  /** Rejects with `Unanswered` when the connection ends first. */
  request(method: string, path: string, { headers = {}, body }: Sent = {}): Promise<Answer> {
    if (this.#waiting) throw new Error('A connection carries one request at a time')
    this.#waiting = Promise.withResolvers<Answer>()
    const { promise } = this.#waiting
    const content = body === undefined ? '' : JSON.stringify(body)
    const lines = Object.entries({
      Host: this.#host,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(method === 'GET' || method === 'HEAD' ? {} : { 'Content-Length': Buffer.byteLength(content) }),
      ...headers,
    })
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    this.#isHead = method === 'HEAD'
    if (this.#ended) this.#end()
    else this.#socket.write(`${method} ${path} HTTP/1.1\r\n${head}\r\n${content}`)
    return promise
  }

  close(): void {
    this.#socket.destroy()
  }

  #receive(chunk: Buffer): void {
    this.#received = Buffer.concat([this.#received, chunk])
    const headEnd = this.#received.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const [first = '', ...lines] = this.#received.toString('latin1', 0, headEnd).split('\r\n')
    const headers = new Headers(lines.map((line) => line.split(/: ?(.*)/).slice(0, 2) as [string, string]))
    const length = this.#isHead ? 0 : Number(headers.get('content-length') ?? 0)
    const end = headEnd + 4 + length
    if (this.#received.length < end) return
    const text = this.#received.toString('utf8', headEnd + 4, end)
    this.#received = this.#received.subarray(end)
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.resolve({ status: Number(STATUS.exec(first)?.[1]), headers, text })
  }

  #end(): void {
    this.#ended = true
    const status = STATUS.exec(this.#received.toString('latin1'))?.[1]
    this.#waiting?.reject(new Unanswered(status === undefined ? undefined : Number(status)))
    this.#waiting = undefined
  }
}
