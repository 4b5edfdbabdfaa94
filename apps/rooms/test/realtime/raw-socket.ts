import { type Socket, connect } from 'node:net'

const TEXT = 0x1
const CLOSE = 0x8
const PING = 0x9
const MASK = Buffer.from([7, 3, 5, 9])

/** The raw client side of a WebSocket: it sends exactly what it is given, and can stop reading. */
export class RawSocket {
  readonly #socket: Socket
  readonly #head = Promise.withResolvers<string>()
  readonly #closed = Promise.withResolvers<number>()
  /** Text frames that have arrived. */
  readonly texts: string[] = []
  pings = 0
  #answer = ''
  #unread = Buffer.alloc(0)
  #code = 1006
  #answersPings = true

  constructor(port: number, headers: readonly string[], { path = '/api/ws' } = {}) {
    this.#socket = connect(port, '127.0.0.1')
    this.#socket.on('error', () => {})
    this.#socket.on('data', (data: Buffer) => this.#read(data))
    this.#socket.on('close', () => {
      this.#head.resolve(this.#answer)
      this.#closed.resolve(this.#code)
    })
    const lines = [`GET ${path} HTTP/1.1`, ...headers, '', '']
    this.#socket.write(lines.join('\r\n'))
  }

  /** The status line and the headers of the response. */
  get head(): Promise<string> {
    return this.#head.promise
  }

  /** The code of the close frame, or 1006 if the connection ended without one. */
  get closed(): Promise<number> {
    return this.#closed.promise
  }

  /** Sends one masked frame, by default the last of its message. */
  static frame(payload: string | Buffer, { opcode = TEXT, isLast = true } = {}): Buffer {
    const data = Buffer.from(payload)
    const masked = Buffer.from(data.map((byte, i) => byte ^ (MASK[i % 4] ?? 0)))
    const first = (isLast ? 0x80 : 0) | opcode
    if (data.length < 126) return Buffer.concat([Buffer.from([first, 0x80 | data.length]), MASK, masked])
    const length = Buffer.alloc(data.length < 65_536 ? 4 : 10)
    length[0] = first
    length[1] = 0x80 | (data.length < 65_536 ? 126 : 127)
    if (data.length < 65_536) length.writeUInt16BE(data.length, 2)
    else length.writeBigUInt64BE(BigInt(data.length), 2)
    return Buffer.concat([length, MASK, masked])
  }

  write(data: Buffer | string): void {
    this.#socket.write(data)
  }

  ping(): void {
    this.write(RawSocket.frame('', { opcode: PING }))
  }

  /** Stops reading, as a phone in a tunnel does. */
  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  /** Stops replying, also to pings. */
  beSilent(): void {
    this.#answersPings = false
  }

  get isDestroyed(): boolean {
    return this.#socket.destroyed
  }

  destroy(): void {
    this.#socket.destroy()
  }

  #read(data: Buffer): void {
    this.#unread = Buffer.concat([this.#unread, data])
    if (!this.#answer) {
      const end = this.#unread.indexOf('\r\n\r\n')
      if (end < 0) return
      this.#answer = this.#unread.subarray(0, end).toString()
      this.#unread = this.#unread.subarray(end + 4)
      this.#head.resolve(this.#answer)
    }
    if (this.#answer.startsWith('HTTP/1.1 101')) while (this.#readFrame());
  }

  #readFrame(): boolean {
    const short = (this.#unread[1] ?? 0) & 0x7f
    const at = short === 126 ? 4 : short === 127 ? 10 : 2
    if (this.#unread.length < at) return false
    const length =
      short === 126
        ? this.#unread.readUInt16BE(2)
        : short === 127
          ? Number(this.#unread.readBigUInt64BE(2))
          : short
    if (this.#unread.length < at + length) return false
    const opcode = (this.#unread[0] ?? 0) & 0x0f
    const payload = this.#unread.subarray(at, at + length)
    this.#unread = this.#unread.subarray(at + length)
    if (opcode === TEXT) this.texts.push(payload.toString())
    if (opcode === CLOSE) this.#code = length >= 2 ? payload.readUInt16BE(0) : 1005
    if (opcode === PING) {
      this.pings++
      if (this.#answersPings) this.write(RawSocket.frame(payload, { opcode: 0xa }))
    }
    return true
  }
}
