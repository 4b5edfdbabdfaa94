import type { IncomingMessage } from 'node:http'
import { isPublicAddress, requestPinned, resolveHost } from '@latchkey/http/outbound-address'
import { type Trusted, parseTrusted } from '@latchkey/http/client-address'
import { rejectOnAbort } from '@latchkey/http/reject-on-abort'
import { isIP } from 'node:net'
import { resolveDns } from '../destinations/public-fetch.ts'

const TIMEOUT_MS = 10_000
/** The rest of an answer is not read. */
const MAX_ANSWER_BYTES = 4096

export interface PostOptions {
  /** Addresses and CIDR ranges of private receivers (`LINKS_WEBHOOK_ALLOW`). */
  allowed: readonly string[]
  resolve?: (hostname: string) => Promise<string[]>
  timeoutMs?: number
}

export interface PostRequest {
  url: string
  headers: Record<string, string>
  body: string
}

export interface PostResult {
  /** Null without an answer. */
  status: number | null
  /**
   * Why there is no answer. A private address is unreachable like one that does not answer, so
   * no one can explore the network of the service.
   */
  error: 'timeout' | 'unreachable' | null
  /** The start of the answer. */
  answer: string | null
  /** The value of `Retry-After`; 0 without it. */
  retryAfterSeconds: number
}

/** Sends requests to receivers, at addresses that were checked. Follows no redirect. */
export class Poster {
  readonly #options: PostOptions
  readonly #allowed: Trusted

  constructor(options: PostOptions) {
    this.#options = options
    this.#allowed = parseTrusted(options.allowed)
  }

  /** False for an address instead of a name that may not be reached. */
  mayReach({ hostname }: URL): boolean {
    const bare = hostname.replace(/^\[|\]$/g, '')
    return isIP(bare) === 0 || this.#isAllowed(bare)
  }

  /** Rejects only once `abort` is aborted. */
  async post(request: PostRequest, abort: AbortSignal): Promise<PostResult> {
    const timeout = AbortSignal.timeout(this.#options.timeoutMs ?? TIMEOUT_MS)
    const signal = AbortSignal.any([timeout, abort])
    try {
      return await this.#send(request, signal)
    } catch {
      abort.throwIfAborted()
      const error = timeout.aborted ? 'timeout' : 'unreachable'
      return { status: null, error, answer: null, retryAfterSeconds: 0 }
    }
  }

  async #send({ url, headers, body }: PostRequest, signal: AbortSignal): Promise<PostResult> {
    const target = new URL(url)
    const addresses = await rejectOnAbort(signal, this.#addressesOf(target))
    const length = String(Buffer.byteLength(body))
    const request = requestPinned(target, addresses, {
      method: 'POST',
      headers: { ...headers, 'content-length': length, 'accept-encoding': 'identity' },
      signal,
    })
    try {
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
      request.on('response', resolve).on('error', reject).end(body)
      const response = await rejectOnAbort(signal, promise)
      return {
        status: response.statusCode ?? 0,
        error: null,
        answer: await readText(response, signal),
        retryAfterSeconds: parseRetryAfter(response.headers['retry-after']),
      }
    } finally {
      request.destroy()
    }
  }

  /** One private address among public ones is enough to refuse: the connection may choose any. */
  async #addressesOf({ hostname }: URL): Promise<string[]> {
    const addresses = await resolveHost(hostname, this.#options.resolve ?? resolveDns)
    if (addresses.length === 0 || !addresses.every((address) => this.#isAllowed(address)))
      throw new Error(`${hostname} may not be reached`)
    return addresses
  }

  #isAllowed(address: string): boolean {
    return isPublicAddress(address) || this.#allowed.has(address)
  }
}

/**
 * The start of a body, or what has arrived of it when it breaks off: the status counts. Rejects when
 * the time is over: an answer without an end is none.
 */
async function readText(response: AsyncIterable<Buffer>, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = []
  await rejectOnAbort(signal, readStart(response, chunks)).catch(() => signal.throwIfAborted())
  const bytes = Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES)
  // The decoder of a stream leaves out a character that was cut.
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '\u{fffd}')
}

async function readStart(response: AsyncIterable<Buffer>, chunks: Buffer[]): Promise<void> {
  let size = 0
  for await (const chunk of response) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= MAX_ANSWER_BYTES) return
  }
}

function parseRetryAfter(value: string | undefined): number {
  if (value === undefined) return 0
  if (/^\d{1,9}$/.test(value)) return Number(value)
  return Math.max(0, Math.ceil((Date.parse(value) - Date.now()) / 1000)) || 0
}
