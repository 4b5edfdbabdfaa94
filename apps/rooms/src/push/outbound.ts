import type { IncomingMessage } from 'node:http'
import { isPublicAddress, requestPinned, resolveHost } from '@latchkey/http/outbound-address'

const TIMEOUT_MS = 10_000

/** How push services are reached. Tests have one on this machine. */
export interface OutboundOptions {
  resolve?: (hostname: string) => Promise<string[]>
  isPublicAddress?: (address: string) => boolean
  /** Certificate of an authority that is trusted as well. */
  ca?: string
  timeoutMs?: number
}

export interface PushRequest {
  endpoint: string
  headers: Record<string, string>
  body: Buffer
}

export interface PushAnswer {
  status: number
  /** From `Retry-After` in seconds; 0 without it. */
  retryAfterMs: number
}

/** The addresses of a host. Rejects unless all of them are public: a connection may choose any. */
export async function requirePublicHost(
  { hostname }: URL,
  { resolve, isPublicAddress: isAllowed = isPublicAddress }: OutboundOptions,
): Promise<string[]> {
  const addresses = await resolveHost(hostname, resolve)
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
  const signal = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS)
  const request = requestPinned(url, await requirePublicHost(url, options), {
    method: 'POST',
    headers,
    signal,
    ...(options.ca !== undefined && { ca: options.ca }),
  })
  try {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    request.on('response', resolve).on('error', reject).end(body)
    const { statusCode = 0, headers: answered } = await promise
    return { status: statusCode, retryAfterMs: 1000 * (Number(answered['retry-after']) || 0) }
  } finally {
    request.destroy()
  }
}
