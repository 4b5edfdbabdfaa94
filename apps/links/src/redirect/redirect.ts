import type { Server } from 'bun'
import { type Proxies, clientAddress, forwardedOrigin } from '@latchkey/http/client-address'
import { countryFromHeader } from '../clicks/country.ts'
import { type JournalledClick, leanClick } from '../clicks/click.ts'
import type { Journal } from '../clicks/journal.ts'
import { foldSlug, isSlug } from '../links/slugs/slug.ts'
import type { Lookup, Destination } from './lookup.ts'
import { methodNotAllowed, notFoundPage, unavailablePage } from './pages.ts'

/** Outcomes of redirects, for metrics. Plain numbers, because they change on every hit. */
export interface Outcomes {
  redirected: number
  uncounted: number
  not_found: number
  unavailable: number
}

/** The server that received a request, as far as it knows the peer. */
export type PeerSource = Pick<Server<unknown>, 'requestIP'>

export interface RedirectOptions {
  lookup: Lookup
  journal: Journal
  status: number
  /** The host of the short URLs, if set. */
  publicHost: string | null
  /** The user agent of our own title fetches. */
  titleUserAgent: string
  proxies: Proxies
  countryHeader: string | null
  countryOf: (address: string) => string | null
  /** The address of the visitor's socket. */
  peerOf: (request: Request, server: PeerSource) => string
  /** The page for the owner of a slug that does not redirect; undefined for all other people. */
  ownerPage: (request: Request, slug: string, server: PeerSource) => Promise<Response | undefined>
  visitorOf: (address: string | null, userAgent: string | null, nowSeconds: number) => string | null
  /** Whether the journal receives only what `LINKS_PRIVACY=lean` keeps. */
  isLean: boolean
  /** Whether a visitor with `Sec-GPC: 1` is counted without hash, country and referrer. */
  honorsGpc: boolean
  /** Milliseconds since 1970. */
  now: () => number
  /** Receives errors that visitors must not see. */
  onLookupError: (error: unknown) => void
}

/**
 * Handles a redirect: a request whose path is one segment outside the `_` namespace. No middleware,
 * no log line, and no exception reaches a visitor. The click is on disk before the answer is sent
 * (L12.4).
 */
export class Redirect {
  readonly outcomes: Outcomes = { redirected: 0, uncounted: 0, not_found: 0, unavailable: 0 }
  readonly #options: RedirectOptions

  constructor(options: RedirectOptions) {
    this.#options = options
  }

  answer(
    request: Request,
    path: string,
    query: string | null,
    server: PeerSource,
  ): Response | Promise<Response> {
    const { method } = request
    if (method !== 'GET' && method !== 'HEAD') return methodNotAllowed()
    const slug = slugOf(path)
    if (slug === undefined) return this.#notFound(request)
    try {
      const result = this.#options.lookup.find(slug)
      if (!(result instanceof Promise))
        return this.#follow(request, slug, query, { server, destination: result })
      return result.then(
        (destination) => this.#follow(request, slug, query, { server, destination }),
        (error) => this.#unavailable(request, error),
      )
    } catch (error) {
      return this.#unavailable(request, error)
    }
  }

  #follow(
    request: Request,
    slug: string,
    query: string | null,
    { server, destination }: { server: PeerSource; destination: Destination | undefined },
  ): Response | Promise<Response> {
    const nowSeconds = Math.floor(this.#options.now() / 1000)
    if (!destination || (destination.expiresAt !== null && destination.expiresAt <= nowSeconds))
      return this.#missed(request, slug, server)
    const { headers } = request
    const userAgent = headers.get('user-agent')
    // The destination of a link may be another short URL of this instance. A title fetch is not a
    // click on it.
    if (request.method === 'HEAD' || isPrefetch(headers) || userAgent === this.#options.titleUserAgent) {
      this.outcomes.uncounted++
      return this.#redirectTo(destination.location)
    }
    const { journal, isLean, honorsGpc, proxies, peerOf, visitorOf } = this.#options
    const isAnonymous = honorsGpc && headers.get('sec-gpc') === '1'
    const referrer = isAnonymous ? null : headers.get('referer')
    const peer = peerOf(request, server)
    const address = isAnonymous ? null : clientAddress(request, peer, proxies)
    const click: JournalledClick = {
      slug,
      linkId: destination.linkId,
      clickedAt: nowSeconds,
      host: this.#ownHost(request, peer, referrer),
      query,
      referrer,
      userAgent,
      country: address === null ? null : this.#countryOf(headers, peer, address),
      visitorFp: address === null ? null : visitorOf(address, userAgent, nowSeconds),
    }
    const commit = journal.append(isLean ? leanClick(click) : click)
    this.outcomes.redirected++
    return commit.then(() => this.#redirectTo(destination.location))
  }

  /** Our own host, which the referrer may have (L13.3). Behind a proxy, `Host` may be different. */
  #ownHost(request: Request, peer: string, referrer: string | null): string | null {
    const { publicHost, proxies } = this.#options
    const host = request.headers.get('host')
    if (referrer === null) return host
    if (publicHost !== null) return referrer.toLowerCase().includes(publicHost) ? publicHost : host
    if (!proxies.trusted.has(peer)) return host
    return forwardedOrigin(request, peer, proxies)?.replace(/^https?:\/\//, '') ?? host
  }

  #countryOf(headers: Headers, peer: string, address: string): string | null {
    const { countryHeader, proxies, countryOf } = this.#options
    const headerCountry =
      countryHeader !== null && proxies.trusted.has(peer)
        ? countryFromHeader(headers.get(countryHeader))
        : null
    return headerCountry ?? countryOf(address)
  }

  #redirectTo(location: string): Response {
    return new Response(null, {
      status: this.#options.status,
      headers: { Location: location, 'Cache-Control': 'private, no-store' },
    })
  }

  /** Nothing before the look-up has missed depends on who is asking (L12.6). */
  async #missed(request: Request, slug: string, server: PeerSource): Promise<Response> {
    const strangersPage = this.#notFound(request)
    return (await this.#options.ownerPage(request, slug, server)) ?? strangersPage
  }

  #notFound(request: Request): Response {
    this.outcomes.not_found++
    return notFoundPage(request)
  }

  #unavailable(request: Request, error: unknown): Response {
    this.outcomes.unavailable++
    this.#options.onLookupError(error)
    return unavailablePage(request)
  }
}

/** The folded slug of a path (without its leading slash); undefined if it cannot be a slug. */
function slugOf(path: string): string | undefined {
  if (isSlug(path)) return foldSlug(path)
  if (!path.includes('%')) return undefined
  try {
    const decoded = decodeURIComponent(path)
    return isSlug(decoded) ? foldSlug(decoded) : undefined
  } catch {
    return undefined
  }
}

/** Checks for a browser prefetch, in which no visitor has followed the link yet. */
function isPrefetch(headers: Headers): boolean {
  const purpose = headers.get('sec-purpose') ?? headers.get('purpose')
  return purpose !== null && /prefetch/i.test(`${purpose} ${headers.get('purpose') ?? ''}`)
}
