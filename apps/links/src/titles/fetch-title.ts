// Reads the title of a link's destination, without ever reaching a private address (L6.6, L24.16).
import { createHmac } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import type { IncomingMessage } from 'node:http'
import { withoutFormat } from '../text.ts'
import { isPublicAddress, requestPinned, resolveHost } from '@latchkey/http/outbound-address'
import { rejectOnAbort } from '@latchkey/http/reject-on-abort'

export interface TitleFetcher {
  /** Returns null, too, as soon as `abort` is aborted. */
  (url: string, abort?: AbortSignal): Promise<string | null>
}

export interface TitleFetcherOptions {
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
 * The user agent, the same on all nodes of an instance and on no others, by which our redirects
 * recognise our own fetches. A prefetch header would not do: some servers refuse prefetches with
 * 503. The owner of a fetched page learns the user agent, which matters little. With it they visit
 * a link uncounted, as anyone can with HEAD.
 */
export function titleUserAgent(secret: string): string {
  return `latchkey-links title fetch (${createHmac('sha256', secret).update('title fetch').digest('base64url')})`
}

/**
 * In milliseconds; the second attempt takes twice as long. Lookups fail before the fetch times out,
 * not half a minute later.
 */
const DNS_TIMEOUTS = { timeout: 1_500, tries: 2 }
const MAX_REDIRECTS = 3
const MAX_BYTES = 16 * 1024
const MAX_CODE_POINTS = 500
const URL_SCHEMES = new Set(['http:', 'https:'])
const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308])
const HTML_TYPES = new Set(['text/html', 'application/xhtml+xml'])

/** The fetcher returns null for every failure, and never throws. */
export function createTitleFetcher(userAgent: string, options: TitleFetcherOptions = {}): TitleFetcher {
  return async (url, abort) => {
    const timeout = AbortSignal.timeout(options.timeoutMs ?? 5000)
    const signal = abort ? AbortSignal.any([timeout, abort]) : timeout
    const context = { isPublicAddress, resolve: resolveDns, ...options, userAgent, signal }
    try {
      return await rejectOnAbort(signal, followToTitle(new URL(url), context))
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
  const resolver = new Resolver(DNS_TIMEOUTS)
  if (servers) resolver.setServers(servers)
  const results = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  const addresses = results.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
  if (addresses.length === 0) throw new Error(`${hostname} has no address`)
  return addresses
}

async function followToTitle(url: URL, context: FetchContext): Promise<string | null> {
  let currentUrl = url
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const outcome = await fetchOnce(currentUrl, context)
    if (!(outcome instanceof URL)) return outcome
    currentUrl = outcome
  }
  return null
}

/** The title, or the URL that the server redirects to. */
async function fetchOnce(pageUrl: URL, context: FetchContext): Promise<URL | string | null> {
  if (!URL_SCHEMES.has(pageUrl.protocol)) return null
  const addresses = await findPublicAddresses(pageUrl, context)
  const request = openRequest(pageUrl, addresses, context)
  try {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    request.on('response', resolve).on('error', reject).end()
    const response = await promise
    const { location } = response.headers
    if (REDIRECT_STATUSES.has(response.statusCode ?? 0) && location) return new URL(location, pageUrl)
    return isReadablePage(response) ? await readTitle(await readStart(response), response) : null
  } finally {
    request.destroy()
  }
}

async function findPublicAddresses(pageUrl: URL, context: FetchContext): Promise<string[]> {
  const addresses = await resolveHost(pageUrl.hostname, context.resolve)
  // One private address among public ones is enough to refuse: the connection may choose any of
  // them.
  const isPublic = addresses.length > 0 && addresses.every((address) => context.isPublicAddress(address))
  if (!isPublic) throw new Error(`${pageUrl.hostname} is not a public host`)
  return addresses
}

function openRequest(pageUrl: URL, addresses: string[], { userAgent, signal }: FetchContext) {
  const url = new URL(pageUrl)
  // They would be sent as an Authorization header.
  url.username = ''
  url.password = ''
  const headers = {
    'user-agent': userAgent,
    accept: 'text/html',
    'accept-encoding': 'identity',
  }
  return requestPinned(url, addresses, { headers, signal })
}

function isReadablePage({ statusCode = 0, headers }: IncomingMessage): boolean {
  const mediaType = (headers['content-type'] ?? '').split(';', 1)[0] ?? ''
  const encoding = headers['content-encoding'] ?? 'identity'
  return (
    statusCode >= 200 &&
    statusCode < 300 &&
    HTML_TYPES.has(mediaType.trim().toLowerCase()) &&
    encoding.toLowerCase() === 'identity'
  )
}

async function readStart(response: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= MAX_BYTES) break
  }
  return Buffer.concat(chunks).subarray(0, MAX_BYTES)
}

async function readTitle(bytes: Buffer, { headers }: IncomingMessage): Promise<string | null> {
  // Imported with the first page: its entity tables would slow down every start.
  const { decodeHTML } = await import('entities/decode')
  const html = decodeText(bytes, headers['content-type'] ?? '')
  const title = withoutFormat(decodeHTML(findTitle(html)))
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return Array.from(title).slice(0, MAX_CODE_POINTS).join('').trimEnd() || null
}

function decodeText(bytes: Buffer, contentType: string): string {
  const inHeader = /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1]
  // HTML allows the declaration in the first 1024 bytes only.
  const inMeta = /<meta\s[^>]*charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(
    bytes.toString('latin1', 0, 1024),
  )?.[1]
  try {
    return new TextDecoder(inHeader ?? inMeta ?? 'utf-8').decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

/**
 * The source of the first title in the document, or an empty string if it does not end within the
 * text.
 */
function findTitle(html: string): string {
  let text = ''
  let isOpen = false
  let title: string | undefined
  new HTMLRewriter()
    // SVGs have titles of their own. The attribute makes the second handler skip them.
    .on('svg title', { element: (element) => void element.setAttribute('data-svg', '') })
    .on('title', {
      element(element) {
        if (title !== undefined || element.hasAttribute('data-svg')) return
        isOpen = true
        element.onEndTag(() => {
          isOpen = false
          title = text
        })
      },
      text(chunk) {
        if (isOpen) text += chunk.text
      },
    })
    .transform(html)
  return title ?? ''
}
