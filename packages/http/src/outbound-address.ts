// Outbound requests: recognises public addresses and pins a connection to an address that was
// checked.
import { lookup as lookUpHost } from 'node:dns/promises'
import { type ClientRequest, type RequestOptions, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { type LookupFunction, isIP } from 'node:net'
import { requireNoTransaction } from '@latchkey/database/transaction-scope'
import ipaddr from 'ipaddr.js'

// IANA assigns no global unicast address outside this range. ipaddr.js reports some of the rest as
// "unicast", such as the IPv4-compatible ::127.0.0.1.
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')
// Numerically a public address, but inside Azure it is the metadata and control service of the
// host.
const AZURE_PLATFORM = '168.63.129.16'

/**
 * True when the address belongs to the public internet. False also for anything that is not an
 * address in its ordinary notation.
 *
 * @example isPublicAddress('10.0.0.1') // false
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || !ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  if (parsed instanceof ipaddr.IPv6) return parsed.match(GLOBAL_UNICAST)
  return address !== AZURE_PLATFORM
}

/**
 * Resolves the host name of a URL to its addresses. An address resolves to itself. Rejects with the
 * errors of DNS.
 *
 * @example await resolveHost('[::1]') // ['::1']
 */
export async function resolveHost(hostname: string, resolve = lookUpAddresses): Promise<string[]> {
  requireNoTransaction('a name server')
  const bare = hostname.replace(/^\[|\]$/g, '')
  return isIP(bare) === 0 ? resolve(bare) : [bare]
}

async function lookUpAddresses(hostname: string): Promise<string[]> {
  const answers = await lookUpHost(hostname, { all: true })
  return answers.map(({ address }) => address)
}

interface PinnedRequestOptions extends RequestOptions {
  /** Limit of the whole response, with informational responses and headers. Default: 1 MiB. */
  maxBytes?: number
}

/** Twice what the runtime reads from a connection at once. */
const MAX_RESPONSE_BYTES = 1024 * 1024
/** Number of informational responses; each takes a hundred times the memory of its bytes. */
const MAX_INFORMATION = 10

/**
 * Opens a request whose connection goes to one of these addresses: a second query of DNS could
 * return another answer (DNS rebinding). The URL keeps the host name for Host, SNI and the
 * certificate check. The caller ends the request and destroys it.
 *
 * The request fails once the server has sent more than `maxBytes`, whatever they are, or more than ten
 * informational responses: a server may send these, line breaks or the length of a chunk without an
 * end. The headers have the limit of the runtime, 16 KiB.
 *
 * @example requestPinned(url, await resolveHost(url.hostname), { method: 'GET', signal }).end()
 */
export function requestPinned(
  url: URL,
  addresses: readonly string[],
  { maxBytes = MAX_RESPONSE_BYTES, ...options }: PinnedRequestOptions,
): ClientRequest {
  requireNoTransaction('another server')
  const pinned: RequestOptions & { rejectUnauthorized: true } = {
    ...options,
    // No agent: the address of a reused connection was not checked for this request.
    agent: false,
    lookup: pinTo(addresses),
    // Explicit, since NODE_TLS_REJECT_UNAUTHORIZED=0 must not disable certificate checks.
    rejectUnauthorized: true,
  }
  const request = url.protocol === 'https:' ? requestHttps(url, pinned) : requestHttp(url, pinned)
  limitResponse(request, maxBytes)
  return request
}

function limitResponse(request: ClientRequest, maxBytes: number): void {
  let receivedBytes = 0
  request.once('socket', (socket) =>
    socket.on('data', ({ length }: Buffer) => {
      receivedBytes += length
      if (receivedBytes > maxBytes) request.destroy(new Error(`The response has over ${maxBytes} bytes`))
    }),
  )
  let informationCount = 0
  const countInformation = () => {
    if (++informationCount > MAX_INFORMATION) request.destroy(new Error('Too many informational responses'))
  }
  request.on('continue', countInformation).on('information', countInformation)
}

function pinTo(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_hostname, options, callback) => {
    if (options.all) return callback(null, answers)
    return callback(null, answers[0]?.address ?? '', answers[0]?.family)
  }
}
