import { prefixOf } from '@latchkey/http/client-prefix'
import type { Journal } from '../counting/journal.ts'
import type { Site } from '../domains/sites.ts'
import { type ClosedReason, type Choice, chooseLocation, limitReached } from '../links/behaviour/evaluate.ts'
import { isLegacyKey, keysOfPath, parseLegacyKey } from '../urls/legacy-path.ts'
import { keysBeforeParameters, parametersOf } from '../links/behaviour/parameters.ts'
import type { ClickLimits } from './click-limits.ts'
import {
  type CountingOptions,
  type RedirectAttempt,
  clickOf,
  findGate,
  isUnknownForm,
  redirectStatus,
  temporaryStatus,
} from './decide.ts'
import type { Lookup, LookupResult } from './lookup.ts'
import type { NotFoundUrl } from './not-found-url.ts'
import { confirmPage, passwordPage, tooManyTriesPage } from './gate-pages.ts'
import { formNotAllowedPage, methodNotAllowed, notFoundPage, unavailablePage } from './pages.ts'
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

export interface RedirectOptions extends VisitOptions, CountingOptions {
  lookup: Lookup
  journal: Journal
  limits: ClickLimits
  passwords: PasswordCheck
  notFoundUrl: NotFoundUrl
  /** The page for the owner of a slug that does not redirect; undefined for all other people. */
  ownerPage: (target: ShortUrlRequest, closed: ClosedReason | undefined) => Promise<Response | undefined>
  /** Milliseconds since 1970. */
  now: () => number
  /** Receives errors that visitors must not see. */
  onLookupError: (error: unknown) => void
}

/** A request for a path that may be a slug, without its leading slash. */
export interface VisitedPath {
  request: Request
  path: string
  query: string | null
  server: PeerSource
  site: Site
}

type Answer = Response | Promise<Response>

/**
 * Handles a redirect: a request whose path is one segment outside the `_` namespace. No middleware,
 * no log line, and no exception reaches a visitor. The click is on disk before the answer is sent
 * (L12.4).
 */
export class Redirect {
  readonly outcomes: Outcomes = { redirected: 0, uncounted: 0, page: 0, not_found: 0, unavailable: 0 }
  readonly #options: RedirectOptions

  constructor(options: RedirectOptions) {
    this.#options = options
  }

  answer(visited: VisitedPath): Answer {
    const { request, path, query, server, site } = visited
    const { method } = request
    if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') return methodNotAllowed()
    const keys = [...keysOfPath(path, site), ...keysBeforeParameters(path, site)]
    const [first] = keys
    if (first === undefined) return this.#refuse(request, site)
    const target = { request, slug: first, query, parameters: parametersOf(path), server, site }
    return this.#lookUp(target, keys, 1)
  }

  /** Looks the target up, and if it is unknown, under its next key, if it has one. */
  #lookUp(target: ShortUrlRequest, keys: readonly string[], next: number): Answer {
    const follow = (result: LookupResult) => {
      const key = result === undefined ? keys[next] : undefined
      if (key !== undefined) return this.#lookUp({ ...target, slug: key }, keys, next + 1)
      return result === undefined && isLegacyKey(target.slug)
        ? this.#refuse(target.request, target.site)
        : this.#follow(target, result)
    }
    try {
      const result = this.#options.lookup.find(target.slug)
      if (!(result instanceof Promise)) return follow(result)
      return result.then(follow, (error) => this.#unavailable(target.request, error))
    } catch (error) {
      return this.#unavailable(target.request, error)
    }
  }

  #follow(visited: ShortUrlRequest, destination: LookupResult): Answer {
    const target =
      destination?.primarySlug === undefined
        ? visited
        : {
            ...visited,
            slug: destination.primarySlug,
            legacyPath: parseLegacyKey(visited.slug).path,
            parameters: [],
          }
    if (target.parameters.length > 0 && !destination?.program?.parameters)
      return this.#refuse(target.request, target.site)
    if (!destination)
      return target.request.method === 'POST'
        ? formNotAllowedPage(target.request)
        : this.#notFoundOrOwnerPage(target, undefined)
    const visit = new RequestVisit(target, this.#options, Math.floor(this.#options.now() / 1000))
    return this.#continue({ visit, target, destination }, false)
  }

  #continue(attempt: RedirectAttempt, hasEntered: boolean): Answer {
    const { target } = attempt
    const { request } = target
    const gate = findGate(attempt, hasEntered)
    switch (gate) {
      case 'open':
        return this.#pass(attempt)
      case 'limit':
        return this.#passLimited(attempt).catch((error: unknown) => this.#unavailable(request, error))
      case 'confirm':
      case 'preview':
        return this.#askToConfirm(attempt).catch((error: unknown) => this.#unavailable(request, error))
      case 'form':
        return this.#page(passwordPage(request, 'password'))
      case 'password':
        return this.#checkPassword(attempt).catch((error: unknown) => this.#unavailable(request, error))
      case 'method':
        return formNotAllowedPage(request)
      default:
        return this.#redirectClosed(attempt, gate)
    }
  }

  #pass(attempt: RedirectAttempt): Answer {
    const { visit, destination } = attempt
    const choice = chooseLocation(destination, visit)
    // The destination of a link may be another short URL of this instance. A title fetch is not a
    // click on it.
    if (visit.isPreview) {
      this.outcomes.uncounted++
      return this.#redirectTo(choice.location, attempt)
    }
    const commit = this.#append(attempt, choice)
    this.outcomes.redirected++
    return commit.then(() => this.#redirectTo(choice.location, attempt))
  }

  /** Counts a visitor of a link with a maximum before the redirect, exactly (L26.3). */
  async #passLimited(attempt: RedirectAttempt): Promise<Response> {
    const { destination, visit } = attempt
    const { limits } = this.#options
    const { linkId } = destination
    if (!(await limits.reserve(linkId))) return this.#redirectClosed(attempt, limitReached(destination))
    const choice = chooseLocation(destination, visit)
    if (!(await this.#append(attempt, choice))) {
      await limits.release(linkId)
      throw new Error('The click of a link with a limit cannot be stored')
    }
    this.outcomes.redirected++
    return this.#redirectTo(choice.location, attempt)
  }

  /** Shows the page with a button, as long as places are left (L26.3). */
  async #askToConfirm(attempt: RedirectAttempt): Promise<Response> {
    const { target, destination } = attempt
    if (await this.#options.limits.hasVisitsLeft(destination.linkId))
      return this.#page(confirmPage(target.request))
    return this.#redirectClosed(attempt, limitReached(destination))
  }

  /** Checks the password that was entered (L26.4). */
  async #checkPassword(attempt: RedirectAttempt): Promise<Response> {
    const { visit, target, destination } = attempt
    const password = await readPassword(target.request)
    if (password === undefined) return this.#page(passwordPage(target.request, 'wrongPassword'))
    const result = await this.#options.passwords.check(destination.linkId, prefixOf(visit.address), password)
    if (result === 'right') return this.#continue(attempt, true)
    return this.#page(
      result === 'wrong'
        ? passwordPage(target.request, 'wrongPassword')
        : tooManyTriesPage(target.request, result.retryAfterSeconds),
    )
  }

  #append(attempt: RedirectAttempt, choice: Choice): Promise<boolean> {
    return this.#options.journal.append(clickOf(attempt, choice, this.#options))
  }

  #redirectTo(location: string, { target, destination }: RedirectAttempt): Response {
    return redirect(redirectStatus(destination, target.request.method, target.site.status), location)
  }

  /** Leads visitors of a closed link elsewhere, or answers as if the link did not exist. */
  #redirectClosed(attempt: RedirectAttempt, closed: ClosedReason): Answer {
    const { target } = attempt
    if (closed.fallback === null)
      return isUnknownForm(attempt)
        ? formNotAllowedPage(target.request)
        : this.#notFoundOrOwnerPage(target, closed)
    this.outcomes.uncounted++
    return redirect(temporaryStatus(target.request.method, target.site.status), closed.fallback)
  }

  #page(page: Response): Response {
    this.outcomes.page++
    return page
  }

  /** One answer for every path that is no link. */
  #refuse(request: Request, site: Site): Answer {
    return request.method === 'POST' ? formNotAllowedPage(request) : this.#notFound(request, site)
  }

  /** Asks who the visitor is, which a redirect must not depend on (L12.6): the look-up has missed. */
  async #notFoundOrOwnerPage(target: ShortUrlRequest, closed: ClosedReason | undefined): Promise<Response> {
    const strangersAnswer = this.#notFound(target.request, target.site)
    return (await this.#options.ownerPage(target, closed)) ?? strangersAnswer
  }

  #notFound(request: Request, site: Site): Answer {
    this.outcomes.not_found++
    const answer = (url: string | null) =>
      url === null ? notFoundPage(request) : redirect(temporaryStatus(request.method, site.status), url)
    if (site.domain !== null) return answer(site.notFoundUrl)
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
