// One HTTP request to the provider with its response, over a connection whose address was checked.
import type { ClientRequest, IncomingMessage } from 'node:http'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { requestPinned } from '@latchkey/http/outbound-address'

export interface Exchange {
  readonly url: URL
  /** Addresses to which a connection is permitted. */
  readonly addresses: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  /** Sent as the body of a POST request. Without it, the request is a GET. */
  readonly form: string | undefined
  /** Maximum size of the body after decompression. */
  readonly maxBytes: number
  readonly signal: AbortSignal
  /** Called when the connection is established, including TLS. */
  readonly onConnected: () => void
}

export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge'
}

// Some servers compress despite the request for `identity`.
const DECODERS: Readonly<Record<string, typeof gunzipSync>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
}

/** Returns status and body. Redirects are not followed (R4.5). Rejects on any error. */
export async function exchange(call: Exchange): Promise<{ status: number; body: Buffer }> {
  const request = open(call)
  try {
    const response = await responseTo(request)
    const body = await readBody(response, call.maxBytes)
    return { status: response.statusCode ?? 0, body: decode(body, response, call.maxBytes) }
  } finally {
    request.destroy()
  }

  function responseTo(opened: ClientRequest): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const established = call.url.protocol === 'https:' ? 'secureConnect' : 'connect'
    opened.on('socket', (socket) => socket.once(established, call.onConnected))
    opened.on('response', resolve).on('error', reject).end(call.form)
    return promise
  }
}

function open({ url, addresses, headers, form, signal }: Exchange): ClientRequest {
  return requestPinned(url, addresses, {
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
    signal,
  })
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
