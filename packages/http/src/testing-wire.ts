import { type Socket, connect } from 'node:net'

export interface Answer {
  status: number
  headers: Headers
  text: string
}

export interface RequestOptions {
  headers?: Record<string, string>
  /** Sent as JSON. */
  body?: unknown
}

/**
 * The connection ended before the complete answer arrived. `status` is set if its beginning did.
 */
export class NoAnswer extends Error {
  readonly status: number | undefined

  constructor(status: number | undefined) {
    super(status === undefined ? 'no answer' : `half an answer, status ${status}`)
    this.name = 'Unanswered'
    this.status = status
  }
}

const STATUS = /^HTTP\/1\.1 (\d{3}) /

/**
 * One HTTP connection with one request at a time. Unlike `fetch`, it never repeats a request: the
 * sent requests and the received answers are known exactly.
 */
export class Wire {
  readonly #socket: Socket
  readonly #host: string
  #received: Buffer = Buffer.alloc(0)
  #pendingAnswer: PromiseWithResolvers<Answer> | undefined
  #hasEnded = false
  /** The pending answer has no body, whatever its length header contains. */
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
    const connecting = Promise.withResolvers<void>()
    socket.once('connect', connecting.resolve)
    socket.once('error', connecting.reject)
    await connecting.promise
    return new Wire(socket, port)
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Rejects with `NoAnswer` if the connection ends first. */
  request(method: string, path: string, { headers = {}, body }: RequestOptions = {}): Promise<Answer> {
    if (this.#pendingAnswer) throw new Error('A connection carries one request at a time')
    this.#pendingAnswer = Promise.withResolvers<Answer>()
    const { promise } = this.#pendingAnswer
    const content = body === undefined ? '' : JSON.stringify(body)
    const lines = Object.entries({
      Host: this.#host,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(method === 'GET' || method === 'HEAD' ? {} : { 'Content-Length': Buffer.byteLength(content) }),
      ...headers,
    })
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    this.#isHead = method === 'HEAD'
    if (this.#hasEnded) this.#end()
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
    const pendingAnswer = this.#pendingAnswer
    this.#pendingAnswer = undefined
    pendingAnswer?.resolve({ status: Number(STATUS.exec(first)?.[1]), headers, text })
  }

  #end(): void {
    this.#hasEnded = true
    const status = STATUS.exec(this.#received.toString('latin1'))?.[1]
    this.#pendingAnswer?.reject(new NoAnswer(status === undefined ? undefined : Number(status)))
    this.#pendingAnswer = undefined
  }
}
