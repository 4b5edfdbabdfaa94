import { prefixOf } from '@latchkey/http/client-prefix'
import { type JournalledClick, leanClick } from '../clicks/click.ts'
import type { Journal } from '../clicks/journal.ts'
import { classifyUserAgent } from '../clicks/user-agent.ts'
import {
  type Closed,
  type Destination,
  type Choice,
  findClosed,
  chooseLocation,
  usedUp,
} from '../links/behaviour/evaluate.ts'
import { foldSlug, isSlug } from '../links/slugs/slug.ts'
import type { ClickLimits } from './click-limits.ts'
import type { Lookup } from './lookup.ts'
import type { NotFoundUrl } from './not-found-url.ts'
import { passwordPage, previewPage, tooManyTriesPage } from './gate-pages.ts'
import { methodNotAllowed, notFoundPage, unavailablePage } from './pages.ts'
import { type PasswordCheck, readPassword } from './password-check.ts'
import { type PeerSource, RequestVisit, type ShortUrlRequest, type VisitOptions } from './visit.ts'

export type { PeerSource } from './visit.ts'

/** Outcomes of redirects, for metrics. Plain numbers, because they change on every hit. */
export interface Outcomes {
  redirected: number
  uncounted: number
  /** Pages of links with a password or a limit. */
  page: number
  not_found: number
  unavailable: number
}

export interface RedirectOptions extends VisitOptions {
  lookup: Lookup
  journal: Journal
  limits: ClickLimits
  passwords: PasswordCheck
  notFoundUrl: NotFoundUrl
  /** The page for the owner of a slug that does not redirect; undefined for all other people. */
  ownerPage: (short: ShortUrlRequest, closed: Closed | undefined) => Promise<Response | undefined>
  status: number
  /** Whether the journal receives only what `LINKS_PRIVACY=lean` keeps. */
  isLean: boolean
  /** Whether a visitor with `Sec-GPC: 1` is counted without hash, country and referrer. */
  honorsGpc: boolean
  /** Milliseconds since 1970. */
  now: () => number
  /** Receives errors that visitors must not see. */
  onLookupError: (error: unknown) => void
}

type Answer = Response | Promise<Response>

/** A visit of a link that exists. */
interface Passage {
  visit: RequestVisit
  short: ShortUrlRequest
  destination: Destination
}

/**
 * Handles a redirect: a request whose path is one segment outside the `_` namespace. No middleware,
 * no log line, and no exception reaches a visitor. The click is on disk before the answer is sent
 * (L12.4).
 */
export class Redirect {
  readonly outcomes: Outcomes = { redirected: 0, uncounted: 0, page: 0, not_found: 0, unavailable: 0 }
  readonly #options: RedirectOptions
  /** The status of links with behaviour: browsers would keep a permanent redirect (L25.2). */
  readonly #temporaryStatus: number

  constructor(options: RedirectOptions) {
    this.#options = options
    this.#temporaryStatus = options.status === 307 ? 307 : 302
  }

  answer(request: Request, path: string, query: string | null, server: PeerSource): Answer {
    const { method } = request
    // A form is posted to the link that it protects, and to no other path.
    if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') return methodNotAllowed()
    const slug = slugOf(path)
    if (slug === undefined) return this.#refuse(request)
    const short = { request, slug, query, server }
    try {
      const result = this.#options.lookup.find(slug)
      if (!(result instanceof Promise)) return this.#follow(short, result)
      return result.then(
        (destination) => this.#follow(short, destination),
        (error) => this.#unavailable(request, error),
      )
    } catch (error) {
      return this.#unavailable(request, error)
    }
  }

  #follow(short: ShortUrlRequest, destination: Destination | undefined): Answer {
    if (!destination)
      return short.request.method === 'POST' ? methodNotAllowed() : this.#missed(short, undefined)
    const visit = new RequestVisit(short, this.#options, Math.floor(this.#options.now() / 1000))
    const passage = { visit, short, destination }
    if (destination.program?.password) return this.#protect(passage)
    return short.request.method === 'POST' ? methodNotAllowed() : this.#pass(passage)
  }

  /** Lets a visitor pass who needs no password, or has entered it. */
  #pass(passage: Passage): Answer {
    const { visit, short, destination } = passage
    const closed = findClosed(destination, visit.now)
    if (closed) return this.#leadBack(short, closed)
    if (destination.program?.limit)
      return this.#passLimited(passage).catch((error: unknown) => this.#unavailable(short.request, error))
    const choice = chooseLocation(destination, visit)
    // The destination of a link may be another short URL of this instance. A title fetch is not a
    // click on it.
    if (visit.isPreview) {
      this.outcomes.uncounted++
      return this.#redirectTo(choice.location, passage)
    }
    const commit = this.#append(passage, choice)
    this.outcomes.redirected++
    return commit.then(() => this.#redirectTo(choice.location, passage))
  }

  /** Counts a visitor of a link with a maximum before the redirect, exactly (L26.3). */
  async #passLimited(passage: Passage): Promise<Response> {
    const { visit, short, destination } = passage
    const { limits } = this.#options
    const { linkId } = destination
    const isEntered = short.request.method === 'POST'
    if (!isEntered && isBotOrPreview(visit)) {
      if (await limits.hasPlaces(linkId)) return this.#page(previewPage(short.request))
      return this.#leadBack(short, usedUp(destination))
    }
    if (!(await limits.take(linkId))) return this.#leadBack(short, usedUp(destination))
    const choice = chooseLocation(destination, visit)
    if (!(await this.#append(passage, choice))) {
      await limits.giveBack(linkId)
      throw new Error('The click of a link with a limit cannot be stored')
    }
    this.outcomes.redirected++
    return this.#redirectTo(choice.location, passage)
  }

  /** Asks for the password of a link, or checks the one that was entered (L26.4). */
  #protect(passage: Passage): Answer {
    const { visit, short } = passage
    if (short.request.method !== 'POST')
      return this.#page(
        isBotOrPreview(visit) ? previewPage(short.request) : passwordPage(short.request, 'password'),
      )
    return this.#checkPassword(passage).catch((error: unknown) => this.#unavailable(short.request, error))
  }

  async #checkPassword(passage: Passage): Promise<Response> {
    const { visit, short, destination } = passage
    const password = await readPassword(short.request)
    if (password === undefined) return this.#page(passwordPage(short.request, 'wrongPassword'))
    const result = await this.#options.passwords.check(destination.linkId, prefixOf(visit.address), password)
    if (result === 'right') return this.#pass(passage)
    return this.#page(
      result === 'wrong'
        ? passwordPage(short.request, 'wrongPassword')
        : tooManyTriesPage(short.request, result.retryAfterSeconds),
    )
  }

  #append({ visit, short, destination }: Passage, { variant }: Choice): Promise<boolean> {
    const { journal, isLean, honorsGpc } = this.#options
    const isAnonymous = honorsGpc && short.request.headers.get('sec-gpc') === '1'
    const click: JournalledClick = {
      slug: short.slug,
      linkId: destination.linkId,
      clickedAt: visit.now,
      host: visit.ownHost,
      query: short.query,
      referrer: isAnonymous ? null : visit.referrer,
      userAgent: visit.userAgent,
      country: isAnonymous ? null : visit.country(),
      visitorFp: isAnonymous ? null : visit.visitorFp(),
      variant,
    }
    return journal.append(isLean ? leanClick(click) : click)
  }

  #redirectTo(location: string, { short, destination }: Pick<Passage, 'short' | 'destination'>): Response {
    const status = destination.program === null ? this.#options.status : this.#statusFor(short.request)
    return redirect(status, location)
  }

  /** 303 turns the POST of a form into a GET of the destination. */
  #statusFor({ method }: Request): number {
    return method === 'POST' ? 303 : this.#temporaryStatus
  }

  /** Leads visitors of a closed link elsewhere, or answers as if the link did not exist. */
  #leadBack(short: ShortUrlRequest, closed: Closed): Answer {
    if (closed.fallback === null) return this.#missed(short, closed)
    this.outcomes.uncounted++
    return redirect(this.#statusFor(short.request), closed.fallback)
  }

  #page(page: Response): Response {
    this.outcomes.page++
    return page
  }

  /** One answer for every path that is no link. */
  #refuse(request: Request): Answer {
    return request.method === 'POST' ? methodNotAllowed() : this.#notFound(request)
  }

  /** Nothing before the look-up has missed depends on who is asking (L12.6). */
  async #missed(short: ShortUrlRequest, closed: Closed | undefined): Promise<Response> {
    const strangersAnswer = this.#notFound(short.request)
    return (await this.#options.ownerPage(short, closed)) ?? strangersAnswer
  }

  #notFound(request: Request): Answer {
    this.outcomes.not_found++
    const answer = (url: string | null) =>
      url === null ? notFoundPage(request) : redirect(this.#statusFor(request), url)
    const url = this.#options.notFoundUrl.current()
    return url instanceof Promise ? url.then(answer) : answer(url)
  }

  #unavailable(request: Request, error: unknown): Response {
    this.outcomes.unavailable++
    this.#options.onLookupError(error)
    return unavailablePage(request)
  }
}

function redirect(status: number, location: string): Response {
  return new Response(null, { status, headers: { Location: location, 'Cache-Control': 'private, no-store' } })
}

/** A visitor who is no person: a preview uses nothing up, and learns no destination. */
function isBotOrPreview(visit: RequestVisit): boolean {
  return visit.isPreview || classifyUserAgent(visit.userAgent).isBot
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
