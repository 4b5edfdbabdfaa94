// Reads the title of a link's target, without ever reaching a private address (links-contract L6.6, L24.16).
import { createHmac } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { withoutFormat } from '../text.ts'
import { isPublicAddress, pinTo, resolveHost } from '@latchkey/http/outbound-address'

export interface TitleFetcher {
  /** Null, too, as soon as `ending` is aborted. */
  (url: string, ending?: AbortSignal): Promise<string | null>
}

export interface TitleFetcherOptions {
  resolve?: (hostname: string) => Promise<string[]>
  timeoutMs?: number
  isPublicAddress?: (address: string) => boolean
}

interface Visit {
  userAgent: string
  resolve: (hostname: string) => Promise<string[]>
  isPublicAddress: (address: string) => boolean
  deadline: AbortSignal
}

/**
 * Who asks, the same on all nodes of an instance and no others, so that our own redirects know us: a header that says it is a
 * prefetch would be refused by servers that answer those with 503. Whoever's page is asked for learns it, which matters
 * little: with it they visit a link uncounted, as anybody does with HEAD.
 */
export function titleRobot(secret: string): string {
  return `latchkey-links title fetch (${createHmac('sha256', secret).update('title fetch').digest('base64url')})`
}

/** In milliseconds, the second time twice as long: given up before the fetch is, not half a minute later. */
const DNS_PATIENCE = { timeout: 1_500, tries: 2 }
const MAX_REDIRECTS = 3
const MAX_BYTES = 16 * 1024
const MAX_CODE_POINTS = 500
const SCHEMES = new Set(['http:', 'https:'])
const REDIRECTS = new Set([301, 302, 303, 307, 308])
const HTML = new Set(['text/html', 'application/xhtml+xml'])

/** The fetcher answers null for every failure, and never throws. */
export function createTitleFetcher(userAgent: string, options: TitleFetcherOptions = {}): TitleFetcher {
  return async (url, ending) => {
    const timeout = AbortSignal.timeout(options.timeoutMs ?? 5000)
    const deadline = ending ? AbortSignal.any([timeout, ending]) : timeout
    const visit = { isPublicAddress, resolve: askDns, ...options, userAgent, deadline }
    try {
      return await Promise.race([followToTitle(new URL(url), visit), rejectAt(deadline)])
    } catch {
      return null
    }
  }
}

/**
 * The addresses of a host, from DNS itself; `servers` other than the system's. Rejects when there are none. The system's own
 * look-up would hold a thread of those that the journal waits for the disk with, for ten seconds each where nobody answers: a
 * few links to such hosts, and no visitor would be redirected.
 */
export async function askDns(hostname: string, servers?: readonly string[]): Promise<string[]> {
  const resolver = new Resolver(DNS_PATIENCE)
  if (servers) resolver.setServers(servers)
  const both = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  const addresses = both.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
  if (addresses.length === 0) throw new Error(`${hostname} has no address`)
  return addresses
}

function rejectAt(deadline: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  deadline.addEventListener('abort', () => reject(deadline.reason))
  return promise
}

async function followToTitle(url: URL, visit: Visit): Promise<string | null> {
  let target = url
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const outcome = await fetchOnce(target, visit)
    if (!(outcome instanceof URL)) return outcome
    target = outcome
  }
  return null
}

/** The title, or where the server redirects to. */
async function fetchOnce(target: URL, visit: Visit): Promise<URL | string | null> {
  if (!SCHEMES.has(target.protocol)) return null
  const addresses = await findPublicAddresses(target, visit)
  const request = openRequest(target, addresses, visit)
  try {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    request.on('response', resolve).on('error', reject).end()
    const response = await promise
    const { location } = response.headers
    if (REDIRECTS.has(response.statusCode ?? 0) && location) return new URL(location, target)
    return isReadablePage(response) ? await readTitle(await readStart(response), response) : null
  } finally {
    request.destroy()
  }
}

async function findPublicAddresses(target: URL, visit: Visit): Promise<string[]> {
  const addresses = await resolveHost(target.hostname, visit.resolve)
  // One private answer among public ones is enough: which of them is connected to is not ours to choose.
  const allPublic = addresses.length > 0 && addresses.every((address) => visit.isPublicAddress(address))
  if (!allPublic) throw new Error(`${target.hostname} is not a public host`)
  return addresses
}

function openRequest(target: URL, addresses: string[], { userAgent, deadline: signal }: Visit) {
  const url = new URL(target)
  // They would be sent as an Authorization header.
  url.username = ''
  url.password = ''
  const headers = {
    'user-agent': userAgent,
    accept: 'text/html',
    'accept-encoding': 'identity',
  }
  // The host name stays in the URL, so that Host, SNI and the certificate check use it, while the lookup pins the
  // connection to the addresses that were checked. No agent: a kept connection is one that nobody checked.
  const options = { agent: false, headers, lookup: pinTo(addresses), rejectUnauthorized: true, signal }
  return url.protocol === 'https:' ? requestHttps(url, options) : requestHttp(url, options)
}

function isReadablePage({ statusCode = 0, headers }: IncomingMessage): boolean {
  const mediaType = (headers['content-type'] ?? '').split(';', 1)[0] ?? ''
  const encoding = headers['content-encoding'] ?? 'identity'
  return (
    statusCode >= 200 &&
    statusCode < 300 &&
    HTML.has(mediaType.trim().toLowerCase()) &&
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
  // Loaded with the first page: its tables of names would take time of every start.
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

/** The source of the first title of the document, or nothing when it does not end within the text. */
function findTitle(html: string): string {
  let text = ''
  let isOpen = false
  let found: string | undefined
  new HTMLRewriter()
    // Drawings have titles of their own; the mark tells the second rule to pass them over.
    .on('svg title', { element: (title) => void title.setAttribute('data-svg', '') })
    .on('title', {
      element(title) {
        if (found !== undefined || title.hasAttribute('data-svg')) return
        isOpen = true
        title.onEndTag(() => {
          isOpen = false
          found = text
        })
      },
      text(chunk) {
        if (isOpen) text += chunk.text
      },
    })
    .transform(html)
  return found ?? ''
}
