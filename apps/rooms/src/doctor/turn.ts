import { createHash, createHmac, randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { withTimeout } from '@latchkey/database/with-timeout'
import type { IceServer } from '../voice/schema.ts'

/** Methods, classes and attributes of RFC 8489 and RFC 8656. */
const ALLOCATE = 0x0003
const REFRESH = 0x0004
const CREATE_PERMISSION = 0x0008
const SUCCESS = 0x0100
const MAGIC_COOKIE = 0x2112a442
const Attribute = {
  username: 0x0006,
  integrity: 0x0008,
  errorCode: 0x0009,
  lifetime: 0x000d,
  peerAddress: 0x0012,
  realm: 0x0014,
  nonce: 0x0015,
  requestedTransport: 0x0019,
} as const
const HEADER_BYTES = 20
const INTEGRITY_BYTES = 24
/** Protocol number of UDP, and three reserved bytes. */
const UDP = Buffer.from([17, 0, 0, 0])

const TIMEOUT_MS = 3_000
/** Interval at which a request over UDP is sent again until it is answered. */
const RESEND_MS = 500
const UNAUTHORIZED = 401

type Attributes = readonly (readonly [type: number, value: Buffer])[]

interface Answer {
  type: number
  attributes: ReadonlyMap<number, Buffer>
}

/** What a TURN server does with credentials: `open` needs none, `code` is that of its refusal. */
export type TurnResult = 'open' | { code: number } | { permittedPeers: readonly string[] }

/**
 * Asks a TURN server for a relay, as a browser would, and for the permission to send to each of these
 * IPv4 addresses. Gives the relay back, and sends nothing. Throws if the server does not answer.
 */
export async function tryTurn(
  url: string,
  { username = '', credential = '' }: Pick<IceServer, 'username' | 'credential'>,
  peers: readonly string[] = [],
): Promise<TurnResult> {
  const channel = await openChannel(url)
  try {
    const wanted: Attributes = [[Attribute.requestedTransport, UDP]]
    const first = await channel.exchange(encode(ALLOCATE, wanted))
    if (first.type === (ALLOCATE | SUCCESS)) return 'open'
    const [realm, nonce] = [first.attributes.get(Attribute.realm), first.attributes.get(Attribute.nonce)]
    if (codeOf(first) !== UNAUTHORIZED || !realm || !nonce) return { code: codeOf(first) }
    const key = createHash('md5').update(`${username}:${realm.toString()}:${credential}`).digest()
    const login: Attributes = [
      [Attribute.username, Buffer.from(username)],
      [Attribute.realm, realm],
      [Attribute.nonce, nonce],
    ]
    const second = await channel.exchange(encode(ALLOCATE, [...wanted, ...login], key))
    if (second.type !== (ALLOCATE | SUCCESS)) return { code: codeOf(second) }
    const permittedPeers: string[] = []
    for (const peer of peers) {
      const peerAddress = [Attribute.peerAddress, encodeAddress(peer)] as const
      const { type } = await channel.exchange(encode(CREATE_PERMISSION, [peerAddress, ...login], key))
      if (type === (CREATE_PERMISSION | SUCCESS)) permittedPeers.push(peer)
    }
    await channel.exchange(encode(REFRESH, [[Attribute.lifetime, Buffer.alloc(4)], ...login], key))
    return { permittedPeers }
  } finally {
    channel.close()
  }
}

/** A request, signed with the key if there is one. */
function encode(method: number, attributes: Attributes, key?: Buffer): Buffer {
  const body = Buffer.concat(attributes.map(([type, value]) => encodeAttribute(type, value)))
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt16BE(method, 0)
  header.writeUInt16BE(body.length + (key ? INTEGRITY_BYTES : 0), 2)
  header.writeUInt32BE(MAGIC_COOKIE, 4)
  randomBytes(12).copy(header, 8)
  const message = Buffer.concat([header, body])
  if (!key) return message
  const signature = createHmac('sha1', key).update(message).digest()
  return Buffer.concat([message, encodeAttribute(Attribute.integrity, signature)])
}

function encodeAttribute(type: number, value: Buffer): Buffer {
  const header = Buffer.alloc(4)
  header.writeUInt16BE(type, 0)
  header.writeUInt16BE(value.length, 2)
  return Buffer.concat([header, value, Buffer.alloc(padding(value.length))])
}

/** An IPv4 address without a port (RFC 8489, 14.2). */
function encodeAddress(address: string): Buffer {
  const value = Buffer.from([0, 1, 0, 0, ...address.split('.').map(Number)])
  value.writeUInt16BE(MAGIC_COOKIE >>> 16, 2)
  value.writeUInt32BE((value.readUInt32BE(4) ^ MAGIC_COOKIE) >>> 0, 4)
  return value
}

const padding = (length: number) => (4 - (length % 4)) % 4

function decode(message: Buffer): Answer {
  const attributes = new Map<number, Buffer>()
  for (let at = HEADER_BYTES; at + 4 <= message.length;) {
    const [type, length] = [message.readUInt16BE(at), message.readUInt16BE(at + 2)]
    attributes.set(type, message.subarray(at + 4, at + 4 + length))
    at += 4 + length + padding(length)
  }
  return { type: message.readUInt16BE(0), attributes }
}

/** The code of a refusal; 0 for other answers. */
function codeOf({ attributes }: Answer): number {
  const value = attributes.get(Attribute.errorCode)
  return value ? (value[2] ?? 0) * 100 + (value[3] ?? 0) : 0
}

interface Channel {
  /** Sends a message and returns the next one. */
  exchange: (message: Buffer) => Promise<Answer>
  close: () => void
}

async function openChannel(url: string): Promise<Channel> {
  const { protocol, host, port, transport } = parseTurnUrl(url)
  if (protocol === 'turn' && transport === 'udp') return openUdp(host, port)
  const socket = protocol === 'turns' ? connectTls({ host, port, servername: host }) : connect({ host, port })
  return openStream(socket, protocol === 'turns' ? 'secureConnect' : 'connect')
}

const TURN_URL = /^(turns?):(\[[^\]]+\]|[^:?]+)(?::(\d+))?(?:\?transport=(udp|tcp))?$/

function parseTurnUrl(url: string) {
  const [, protocol, host = '', port, transport] = TURN_URL.exec(url) ?? []
  return {
    protocol,
    host: host.replace(/^\[|\]$/g, ''),
    port: Number(port ?? (protocol === 'turns' ? 5349 : 3478)),
    transport: transport ?? (protocol === 'turns' ? 'tcp' : 'udp'),
  }
}

function openUdp(host: string, port: number): Channel {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  return {
    async exchange(message) {
      const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
      // Without late answers to a request that was sent again.
      const onMessage = (answer: Buffer) => isAnswerTo(message, answer) && resolve(answer)
      socket.on('message', onMessage).once('error', reject)
      const send = () => socket.send(message, port, host)
      send()
      const sending = setInterval(send, RESEND_MS)
      try {
        return decode(await inTime(promise))
      } finally {
        clearInterval(sending)
        socket.off('message', onMessage).off('error', reject)
      }
    },
    close: () => socket.close(),
  }
}

/** Compares the ids of the transactions. */
const isAnswerTo = (request: Buffer, answer: Buffer) => answer.subarray(8, 20).equals(request.subarray(8, 20))

async function openStream(socket: Socket, opened: 'connect' | 'secureConnect'): Promise<Channel> {
  const close = () => socket.destroy()
  try {
    await inTime(once(socket, opened))
  } catch (error) {
    close()
    throw error
  }
  const pieces = socket[Symbol.asyncIterator]()
  const readAnswer = async () => {
    let received = Buffer.alloc(0)
    while (received.length < lengthOf(received)) {
      const { value, done } = await pieces.next()
      if (done) throw new Error('the connection was closed')
      received = Buffer.concat([received, value as Buffer])
    }
    return decode(received)
  }
  return {
    exchange(message) {
      socket.write(message)
      return inTime(readAnswer())
    },
    close,
  }
}

/** Bytes of the message that begins here. */
const lengthOf = (message: Buffer) =>
  HEADER_BYTES + (message.length < HEADER_BYTES ? 0 : message.readUInt16BE(2))

const inTime = <T>(work: Promise<T>) => withTimeout(TIMEOUT_MS, () => new Error('no answer'), work)
