import { type ClassifiedClick, type JournalledClick, leanClick } from '../clicks/click.ts'
import { classifyUserAgent } from '../clicks/user-agent.ts'
import {
  type Choice,
  type ClosedReason,
  type Destination,
  findClosedReason,
} from '../links/behaviour/evaluate.ts'
import type { Program } from '../links/behaviour/program.ts'
import type { RequestVisit, ShortUrlRequest } from './visit.ts'

/** A visit of a link that exists. */
export interface RedirectAttempt {
  visit: RequestVisit
  target: ShortUrlRequest
  destination: Destination
}

/**
 * How far a visit gets before anything is asked of the database: the redirect and its explanation
 * both start from here (L26.1, L27).
 */
export type Gate =
  /** Closed: too early or expired. */
  | ClosedReason
  /** A form was posted to a link that has none. */
  | 'method'
  /** The link asks for its password. */
  | 'form'
  /** A password was entered and has to be checked. */
  | 'password'
  /** A page with a button, if places are left, because the link asks for it. */
  | 'confirm'
  /** The page with the button, because the visitor may be no person. */
  | 'preview'
  /** Leads to a destination, if places are left. */
  | 'limit'
  /** Leads to a destination. */
  | 'open'

export function findGate({ destination, visit }: RedirectAttempt, hasEntered: boolean): Gate {
  const { program } = destination
  const isPost = visit.method === 'POST'
  if (program?.password && !hasEntered) return isPost && !visit.isCrossOrigin ? 'password' : 'form'
  // A form is posted to the link that shows it, and to no other.
  if (isPost && !hasEntered && !program?.limit) return 'method'
  const closed = findClosedReason(destination, visit.now)
  if (closed) return closed
  return program?.limit ? findLimitGate(program, visit) : 'open'
}

function findLimitGate(program: Program, visit: RequestVisit): Gate {
  if (visit.method === 'POST') return visit.isCrossOrigin ? 'confirm' : 'limit'
  if (program.confirm) return 'confirm'
  return isBotOrPreview(visit) ? 'preview' : 'limit'
}

/**
 * Whether a form to a closed link is answered like one to an unknown slug (L12.3). The form of a
 * password has shown that the link exists.
 */
export function isUnknownForm({ visit, destination }: RedirectAttempt): boolean {
  return visit.method === 'POST' && !destination.program?.password
}

/** The status of a redirect by this link. */
export function redirectStatus({ program }: Destination, method: string, configured: number): number {
  return program === null ? configured : temporaryStatus(method, configured)
}

/**
 * The status of redirects that may change: browsers would keep a permanent one (L25.2). 303 turns
 * the POST of a form into a GET of the destination.
 */
export function temporaryStatus(method: string, configured: number): number {
  if (method === 'POST') return 303
  return configured === 307 ? 307 : 302
}

/** Whether the visitor may be no person. That is a guess, so the page for it has a way on. */
function isBotOrPreview(visit: RequestVisit): boolean {
  return visit.isPreview || classifyUserAgent(visit.userAgent).isBot
}

export interface CountingOptions {
  /** Whether the journal receives only what `LINKS_PRIVACY=lean` keeps. */
  isLean: boolean
  /** Whether a visitor with `Sec-GPC: 1` is counted without hash, country and referrer. */
  honorsGpc: boolean
}

/** The click of a visit, as the journal stores it. */
export function clickOf(
  { visit, target, destination }: RedirectAttempt,
  { variant }: Choice,
  { isLean, honorsGpc }: CountingOptions,
): JournalledClick | ClassifiedClick {
  const isAnonymous = honorsGpc && target.request.headers.get('sec-gpc') === '1'
  const click: JournalledClick = {
    slug: target.slug,
    linkId: destination.linkId,
    clickedAt: visit.now,
    host: visit.ownHost,
    query: target.query,
    referrer: isAnonymous ? null : visit.referrer,
    userAgent: visit.userAgent,
    country: isAnonymous ? null : visit.country(),
    visitorFp: isAnonymous ? null : visit.visitorFp(),
    variant,
    legacyPath: target.legacyPath ?? null,
  }
  return isLean ? leanClick(click) : click
}
