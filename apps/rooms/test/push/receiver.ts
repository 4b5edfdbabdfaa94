import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto'
import { freePort } from '@latchkey/http/free-port'
import { importJWK, jwtVerify } from 'jose'
import type { OutboundOptions } from '../../src/notifications/push/outbound.ts'
import { KEY, VALID } from '../provider/certificates.ts'

/** The host of its certificate. */
const HOST = 'idp.example'

export interface ReceivedPush {
  /** Name of the browser that it is for. */
  to: string
  payload: Record<string, unknown>
  headers: Headers
}

/** A browser with a subscription. */
export interface PushBrowser {
  endpoint: string
  keys: { p256dh: string; auth: string }
}

export interface PushReceiver {
  origin: string
  /** How the service reaches it. */
  outbound: OutboundOptions
  received: ReceivedPush[]
  /** Number of requests, read or not. */
  requests: number
  /** Answers of the next requests; 201 after them. `hang` answers nothing. */
  answers: (number | Promise<number> | 'hang')[]
  retryAfter: string | null
  /** A new browser, which checks and decrypts its pushes. */
  subscribe: (name: string) => PushBrowser
  stop: () => Promise<void>
}

/** A push service on this machine that checks VAPID (RFC 8292) and decrypts pushes (RFC 8291). */
export async function pushReceiver(publicKey: () => string): Promise<PushReceiver> {
  const port = await freePort()
  const origin = `https://${HOST}`
  const browsers = new Map<string, (body: Uint8Array) => string>()
  const receiver: PushReceiver = {
    origin,
    outbound: { resolve: async () => ['127.0.0.1'], isPublicAddress: () => true, ca: VALID, port },
    received: [],
    requests: 0,
    answers: [],
    retryAfter: null,
    subscribe(name) {
      const browser = newBrowser()
      browsers.set(`/${name}`, browser.read)
      return { endpoint: `${origin}/${name}`, keys: browser.keys }
    },
    stop: () => server.stop(true),
  }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port,
    tls: { key: KEY, cert: VALID },
    async fetch(request) {
      receiver.requests++
      const answer = await (receiver.answers.shift() ?? 201)
      if (answer === 'hang') return new Promise<Response>(() => {})
      const headers = { ...(receiver.retryAfter !== null && { 'Retry-After': receiver.retryAfter }) }
      if (answer !== 201) return new Response(null, { status: answer, headers })
      await verifyVapid(request.headers.get('authorization') ?? '', { origin, publicKey: publicKey() })
      const { pathname } = new URL(request.url)
      const text = browsers.get(pathname)?.(await request.bytes()) ?? 'null'
      const payload = JSON.parse(text) as Record<string, unknown>
      receiver.received.push({ to: pathname.slice(1), payload, headers: request.headers })
      return new Response(null, { status: 201 })
    },
  })
  return receiver
}

function newBrowser() {
  const ecdh = createECDH('prime256v1')
  const p256dh = ecdh.generateKeys()
  const auth = randomBytes(16)
  return {
    keys: { p256dh: p256dh.toString('base64url'), auth: auth.toString('base64url') },
    read: (body: Uint8Array) => decrypt(Buffer.from(body), { ecdh, p256dh, auth }),
  }
}

interface Secrets {
  ecdh: ReturnType<typeof createECDH>
  p256dh: Buffer
  auth: Buffer
}

const hkdf = (key: Buffer, salt: Buffer, info: Buffer, bytes: number) =>
  Buffer.from(hkdfSync('sha256', key, salt, info, bytes))

/** RFC 8188 with the keys of RFC 8291. */
function decrypt(body: Buffer, { ecdh, p256dh, auth }: Secrets): string {
  const salt = body.subarray(0, 16)
  const keyEnd = 21 + body.readUInt8(20)
  const sender = body.subarray(21, keyEnd)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, sender])
  const key = hkdf(ecdh.computeSecret(sender), auth, info, 32)
  const contentKey = hkdf(key, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const nonce = hkdf(key, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
  const decipher = createDecipheriv('aes-128-gcm', contentKey, nonce)
  decipher.setAuthTag(body.subarray(-16))
  const padded = Buffer.concat([decipher.update(body.subarray(keyEnd, -16)), decipher.final()])
  const end = padded.lastIndexOf(2)
  return padded.subarray(0, end).toString()
}

async function verifyVapid(
  authorization: string,
  { origin, publicKey }: { origin: string; publicKey: string },
): Promise<void> {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization) ?? []
  if (key !== publicKey) throw new Error('The key is not that of the instance')
  const point = Buffer.from(key, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((each) => each.toString('base64url'))
  const jwk = { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }
  const { payload } = await jwtVerify(token, await importJWK(jwk, 'ES256'), { audience: origin })
  if (!payload.sub?.startsWith('https:')) throw new Error('The contact is missing')
}
