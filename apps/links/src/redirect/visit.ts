import type { Server } from 'bun'
import { type Proxies, clientAddress, forwardedOrigin } from '@latchkey/http/client-address'
import { countryFromHeader } from '../clicks/country.ts'
import type { Site } from '../domains/sites.ts'
import type { Visit } from '../links/behaviour/conditions.ts'

/** The server that received a request, as far as it knows the peer. */
export type PeerSource = Pick<Server<unknown>, 'requestIP'>

export interface VisitOptions {
  /** The host of the short URLs, if set. */
  publicHost: string | null
  /** The user agent of our own title fetches. */
  titleUserAgent: string
  proxies: Proxies
  countryHeader: string | null
  countryOf: (address: string) => string | null
  /** The address of the visitor's socket. */
  peerOf: (request: Request, server: PeerSource) => string
  visitorOf: (address: string | null, userAgent: string | null, nowSeconds: number) => string | null
  /** A random number from 0 up to 1; a new one each time by default. */
  random?: () => number
}

/** A request for a short URL. */
export interface ShortUrlRequest {
  request: Request
  /** The key that is looked up: of a legacy path, or the slug key, under which the click is stored. */
  slug: string
  /** The legacy path that the visitor came by. */
  legacyPath?: string
  /** The domain that the visitor came to. */
  site: Site
  query: string | null
  /** The segments of the path after the slug, decoded. */
  parameters: readonly string[]
  server: PeerSource
}

/** The visit of a request. Derived values are computed once, and only if they are needed. */
export class RequestVisit implements Visit {
  readonly now: number
  readonly query: string | null
  readonly parameters: readonly string[]
  readonly userAgent: string | null
  readonly referrer: string | null
  readonly #request: Request
  readonly #server: PeerSource
  readonly #site: Site
  readonly #options: VisitOptions
  #peer: string | undefined
  #country: string | null | undefined
  #visitorFp: string | null | undefined

  constructor(
    { request, query, parameters, server, site }: ShortUrlRequest,
    options: VisitOptions,
    now: number,
  ) {
    this.now = now
    this.query = query
    this.parameters = parameters
    this.userAgent = request.headers.get('user-agent')
    this.referrer = request.headers.get('referer')
    this.#request = request
    this.#server = server
    this.#site = site
    this.#options = options
  }

  get #socketPeer(): string {
    this.#peer ??= this.#options.peerOf(this.#request, this.#server)
    return this.#peer
  }

  /** Address of the visitor. */
  get address(): string {
    return clientAddress(this.#request, this.#socketPeer, this.#options.proxies)
  }

  get method(): string {
    return this.#request.method
  }

  /** No visitor has followed the link yet, or the visitor is this instance: its title fetch. */
  get isPreview(): boolean {
    return this.previewKind !== undefined
  }

  get previewKind(): 'head' | 'prefetch' | 'own_check' | undefined {
    const { method, headers } = this.#request
    if (method === 'HEAD') return 'head'
    // A form was posted, which is the click (L26.3, L26.4).
    if (method === 'POST') return undefined
    if (isPrefetch(headers)) return 'prefetch'
    return this.userAgent === this.#options.titleUserAgent ? 'own_check' : undefined
  }

  /** A page of another origin made the request, so that its visitor need not have seen our page. */
  get isCrossOrigin(): boolean {
    const site = this.#request.headers.get('sec-fetch-site')
    return site !== null && site !== 'same-origin' && site !== 'none'
  }

  get acceptLanguage(): string | null {
    return this.#request.headers.get('accept-language')
  }

  country(): string | null {
    this.#country ??= this.#findCountry()
    return this.#country
  }

  visitorFp(): string | null {
    this.#visitorFp ??= this.#options.visitorOf(this.address, this.userAgent, this.now)
    return this.#visitorFp
  }

  random(): number {
    return this.#options.random?.() ?? Math.random()
  }

  /**
   * Our own host, which the referrer may have (L13.3): that of this domain, or the default one. Behind
   * a proxy, `Host` may be different.
   */
  get ownHost(): string | null {
    const { publicHost, proxies } = this.#options
    const { domain } = this.#site
    const host = domain ?? this.#request.headers.get('host')
    if (this.referrer === null) return host
    if (publicHost !== null) return this.referrer.toLowerCase().includes(publicHost) ? publicHost : host
    if (domain !== null) return host
    if (!proxies.trusted.has(this.#socketPeer)) return host
    return forwardedOrigin(this.#request, this.#socketPeer, proxies)?.replace(/^https?:\/\//, '') ?? host
  }

  #findCountry(): string | null {
    const { countryHeader, proxies, countryOf } = this.#options
    const headerCountry =
      countryHeader !== null && proxies.trusted.has(this.#socketPeer)
        ? countryFromHeader(this.#request.headers.get(countryHeader))
        : null
    return headerCountry ?? countryOf(this.address)
  }
}

/** Checks for a browser prefetch, in which no visitor has followed the link yet. */
function isPrefetch(headers: Headers): boolean {
  const purpose = headers.get('sec-purpose') ?? headers.get('purpose')
  return purpose !== null && /prefetch/i.test(`${purpose} ${headers.get('purpose') ?? ''}`)
}
