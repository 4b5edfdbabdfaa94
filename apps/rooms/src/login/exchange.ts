// One HTTP request to the provider and its whole answer, over one connection whose address was checked.
import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { pinTo } from '@latchkey/http/outbound-address'

export interface Exchange {
  readonly url: URL
  /** The only ones that are connected to. */
  readonly addresses: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  /** Sent with POST; without it the request is a GET. */
  readonly form: string | undefined
  /** Of the body, after decompression. */
  readonly maxBytes: number
  readonly signal: AbortSignal
  /** Called when the connection stands, TLS included. */
  readonly onConnected: () => void
}

export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge'
}

// `identity` is asked for, but some servers compress whatever they are asked.
const DECODERS: Readonly<Record<string, typeof gunzipSync>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
}

/** Status and body. Redirects are answers like any other: they are not followed (R4.5). Rejects when anything is amiss. */
export async function exchange(call: Exchange): Promise<{ status: number; body: Buffer }> {
  const request = open(call)
  try {
    const response = await responseTo(request)
    const body = await readBody(response, call.maxBytes)
    return { status: response.statusCode ?? 0, body: decode(body, response, call.maxBytes) }
  } finally {
    request.destroy()
  }

  function responseTo(opened: ReturnType<typeof open>): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const established = call.url.protocol === 'https:' ? 'secureConnect' : 'connect'
    opened.on('socket', (socket) => socket.once(established, call.onConnected))
    opened.on('response', resolve).on('error', reject).end(call.form)
    return promise
  }
}

function open({ url, addresses, headers, form, signal }: Exchange) {
  const options: RequestOptions & { rejectUnauthorized: true } = {
    method: form === undefined ? 'GET' : 'POST',
    headers: {
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'latchkey-rooms',
      ...headers,
      ...(form !== undefined && {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': String(Buffer.byteLength(form)),
      }),
    },
    // No agent: a kept connection is one whose address nobody checked for this call.
    agent: false,
    lookup: pinTo(addresses),
    // Said here, so that NODE_TLS_REJECT_UNAUTHORIZED=0 does not turn certificate checks off.
    rejectUnauthorized: true,
    signal,
  }
  return url.protocol === 'https:' ? requestHttps(url, options) : requestHttp(url, options)
}

async function readBody(response: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    size += chunk.length
    if (size > maxBytes) throw new AnswerTooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function decode(body: Buffer, { headers }: IncomingMessage, maxBytes: number): Buffer {
  const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding === 'identity' || encoding === '') return body
  if (!Object.hasOwn(DECODERS, encoding)) throw new Error('unknown content encoding')
  try {
    return DECODERS[encoding]?.(body, { maxOutputLength: maxBytes }) ?? body
  } catch (error) {
    const isBomb = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    throw isBomb ? new AnswerTooLarge() : error
  }
}
