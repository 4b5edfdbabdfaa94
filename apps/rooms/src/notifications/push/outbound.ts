import type { IncomingMessage } from 'node:http'
import { withTimeout } from '@latchkey/database/with-timeout'
import { isPublicAddress, requestPinned, resolveHost } from '@latchkey/http/outbound-address'

const TIMEOUT_MS = 10_000
const MAX_RETRY_AFTER_MS = 600_000

/** How push services are reached. Tests have one on this machine. */
export interface OutboundOptions {
  resolve?: (hostname: string) => Promise<string[]>
  isPublicAddress?: (address: string) => boolean
  /** Certificate of an authority that is trusted as well. */
  ca?: string
  port?: number
  timeoutMs?: number
}

export interface PushRequest {
  endpoint: string
  headers: Record<string, string>
  body: Buffer
}

export interface PushAnswer {
  status: number
  /** The header `Retry-After` in milliseconds, at most ten minutes; 0 without the header. */
  retryAfterMs: number
}

/**
 * The addresses of a host. Rejects without an answer in time, and unless all of them are public: a
 * connection may choose any.
 */
export async function requirePublicHost(
  { hostname }: URL,
  { resolve, isPublicAddress: isAllowed = isPublicAddress, timeoutMs = TIMEOUT_MS }: OutboundOptions,
): Promise<string[]> {
  const late = () => new Error(`${hostname} was not found in time`)
  const addresses = await withTimeout(timeoutMs, late, resolveHost(hostname, resolve))
  if (addresses.length === 0 || !addresses.every(isAllowed))
    throw new Error(`${hostname} is not a public host`)
  return addresses
}

/** Sends a request to a push service, at an address that was checked. Follows no redirect. */
export async function sendPush(
  { endpoint, headers, body }: PushRequest,
  options: OutboundOptions,
): Promise<PushAnswer> {
  const url = new URL(endpoint)
  const addresses = await requirePublicHost(url, options)
  const { ca, port, timeoutMs = TIMEOUT_MS } = options
  const request = requestPinned(url, addresses, {
    method: 'POST',
    headers,
    signal: AbortSignal.timeout(timeoutMs),
    ...(ca !== undefined && { ca }),
    ...(port !== undefined && { port }),
  })
  try {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    request.on('response', resolve).on('error', reject).end(body)
    const { statusCode = 0, headers: answered } = await promise
    const retryAfterMs = 1000 * (Number(answered['retry-after']) || 0)
    return { status: statusCode, retryAfterMs: Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) }
  } finally {
    request.destroy()
  }
}
