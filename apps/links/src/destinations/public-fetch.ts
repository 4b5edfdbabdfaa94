// Reads files of other servers, without ever reaching a private address (L6.6, L24.16).
import { Resolver } from 'node:dns/promises'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { requireNoTransaction } from '@latchkey/database/transaction-scope'
import { isPublicAddress, requestPinned, resolveHost } from '@latchkey/http/outbound-address'
import { rejectOnAbort } from '@latchkey/http/reject-on-abort'

export interface FileRequest {
  accept: string
  /** The rest of a longer file is not read. */
  maxBytes: number
  /** Media types of files worth reading; any by default. */
  types?: ReadonlySet<string>
}

export interface PublicFile {
  /** The URL after redirects. */
  url: URL
  headers: IncomingHttpHeaders
  bytes: Buffer
}

/** Returns null for an answer that is not such a file. Rejects if there is no answer. */
export type PublicFetch = (url: URL, request: FileRequest) => Promise<PublicFile | null>

export interface PublicFetchOptions {
  resolve?: (hostname: string) => Promise<string[]>
  timeoutMs?: number
  isPublicAddress?: (address: string) => boolean
}

interface FetchContext {
  userAgent: string
  resolve: (hostname: string) => Promise<string[]>
  isPublicAddress: (address: string) => boolean
  signal: AbortSignal
}

/**
 * In milliseconds; the second attempt takes twice as long. Lookups fail before the fetch times out,
 * not half a minute later.
 */
const DNS_TIMEOUTS = { timeout: 1_500, tries: 2 }
export const HTML_TYPES: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml'])

const TIMEOUT_MS = 5_000
const MAX_REDIRECTS = 3
const URL_SCHEMES = new Set(['http:', 'https:'])
const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308])

/**
 * Creates a function that runs `work`, which may fetch several files within one timeout. It returns
 * null for every failure, and as soon as `abort` is aborted. It never throws.
 */
export function createPublicFetch(userAgent: string, options: PublicFetchOptions = {}) {
  return async <Result>(
    work: (fetchFile: PublicFetch) => Promise<Result | null>,
    abort?: AbortSignal,
  ): Promise<Result | null> => {
    const timeout = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS)
    const signal = abort ? AbortSignal.any([timeout, abort]) : timeout
    const context = { isPublicAddress, resolve: resolveDns, ...options, userAgent, signal }
    try {
      const result = work((url, request) => followRedirects(url, request, context))
      return await rejectOnAbort(signal, result)
    } catch {
      return null
    }
  }
}

/**
 * The addresses of a host, queried from DNS directly; `servers` replace those of the system.
 * Rejects if there are none. The system's lookup would block a thread of the pool in which the
 * journal waits for the disk, for ten seconds each if no server answers. A few links to such hosts
 * would stop all redirects.
 */
export async function resolveDns(hostname: string, servers?: readonly string[]): Promise<string[]> {
  requireNoTransaction('a name server')
  const resolver = new Resolver(DNS_TIMEOUTS)
  if (servers) resolver.setServers(servers)
  const results = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
  if (addresses.length === 0) throw new Error(`${hostname} has no address`)
  return addresses
}

async function followRedirects(
  url: URL,
  request: FileRequest,
  context: FetchContext,
): Promise<PublicFile | null> {
  let currentUrl = url
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const outcome = await fetchOnce(currentUrl, request, context)
    if (!(outcome instanceof URL)) return outcome
    currentUrl = outcome
  }
  return null
}

/** The file, or the URL that the server redirects to. */
async function fetchOnce(
  url: URL,
  fileRequest: FileRequest,
  context: FetchContext,
): Promise<URL | PublicFile | null> {
  if (!URL_SCHEMES.has(url.protocol)) return null
  const addresses = await findPublicAddresses(url, context)
  const request = openRequest(url, addresses, { ...context, accept: fileRequest.accept })
  try {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    request.on('response', resolve).on('error', reject).end()
    const response = await promise
    const { headers } = response
    if (REDIRECT_STATUSES.has(response.statusCode ?? 0) && headers.location)
      return new URL(headers.location, url)
    if (!isReadable(response, fileRequest)) return null
    return { url, headers, bytes: await readStart(response, fileRequest.maxBytes) }
  } finally {
    request.destroy()
  }
}

async function findPublicAddresses(url: URL, context: FetchContext): Promise<string[]> {
  const addresses = await resolveHost(url.hostname, context.resolve)
  // One private address among public ones is enough to refuse: the connection may choose any of
  // them.
  const isPublic = addresses.length > 0 && addresses.every((address) => context.isPublicAddress(address))
  if (!isPublic) throw new Error(`${url.hostname} is not a public host`)
  return addresses
}

function openRequest(
  fileUrl: URL,
  addresses: string[],
  { userAgent, accept, signal }: FetchContext & Pick<FileRequest, 'accept'>,
) {
  const url = new URL(fileUrl)
  // Credentials in a URL would be sent as an Authorization header.
  url.username = ''
  url.password = ''
  const headers = { 'user-agent': userAgent, accept, 'accept-encoding': 'identity' }
  return requestPinned(url, addresses, { headers, signal })
}

function isReadable({ statusCode = 0, headers }: IncomingMessage, { types }: FileRequest): boolean {
  const mediaType = (headers['content-type'] ?? '').split(';', 1)[0] ?? ''
  const encoding = headers['content-encoding'] ?? 'identity'
  return (
    statusCode >= 200 &&
    statusCode < 300 &&
    (types?.has(mediaType.trim().toLowerCase()) ?? true) &&
    encoding.toLowerCase() === 'identity'
  )
}

async function readStart(response: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= maxBytes) break
  }
  return Buffer.concat(chunks).subarray(0, maxBytes)
}
