import type { Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'
import type { Site } from '../domains/sites.ts'
import { failure } from '../api/failures.ts'
import type { Destination } from '../links/behaviour/evaluate.ts'
import { findBehaviour } from '../links/behaviour/store.ts'
import { parseParameters } from '../links/behaviour/parameters.ts'
import { locationOf } from '../urls/location.ts'
import { slugKey } from '../urls/slug.ts'
import { findSlug } from '../links/slugs/store.ts'
import { findLinkRow } from '../links/store.ts'
import { findNotFoundUrl } from '../preferences/operations.ts'
import type { RedirectAttempt } from '../redirect/decide.ts'
import { toDestination } from '../redirect/lookup.ts'
import { RequestVisit, type VisitOptions } from '../redirect/visit.ts'
import { findChanges } from './changes.ts'
import type { Explanation, VisitQuery } from './schema.ts'
import { type TracedLink, trace } from './trace.ts'
import { type Circumstances, type VisitClass, reachVerdict } from './verdict.ts'
import type { VisitSource } from './visit-source.ts'

const reasons: Record<VisitClass, string> = {
  human: 'It is a GET by a browser that leads to a destination',
  bot: 'The user agent is missing, or one of a known bot',
  self: 'The referrer is a short URL of this instance',
  head: 'A HEAD request follows no link',
  prefetch: 'A prefetch follows no link yet',
  own_check: 'This instance fetches the title of a destination',
  confirm: 'The link asks for the press of a button, which is the click',
  preview: 'A bot sees a page with a button, and pressing it would be the click',
  locked: 'The link asks for its password',
  early: 'The link has not started',
  expired: 'The link has expired',
  used_up: 'As many people as the link lets through have been there',
  disabled: 'The link or this slug is disabled',
  method: 'A form can only be posted to a link with a password or a limit',
}

/** Explains where a slug leads a visitor, without a click and without using anything up (L27). */
export async function explain(
  read: Kysely<Tables>,
  visited: VisitedSlug,
  { source, query, now }: { source: VisitSource; query: VisitQuery; now: number },
): Promise<{ linkId: number; explanation: Explanation }> {
  const link = await readLink(read, visited)
  return { linkId: link.destination.linkId, explanation: explainVisit(link, source, { query, now }) }
}

/** A slug, and the domain that the visitor comes to. */
interface VisitedSlug {
  site: Site
  slug: string
}

/** A link as one of its slugs leads to it. */
export interface ExplainedLink extends TracedLink {
  /** The slug key. */
  key: string
  site: Site
  destination: Destination
  version: number
}

async function readLink(read: Kysely<Tables>, { site, slug }: VisitedSlug): Promise<ExplainedLink> {
  const own = await findSlug(read, slugKey(site.domain, slug))
  const slugRow =
    own ?? (site.aliasOf === undefined ? undefined : await findSlug(read, slugKey(site.aliasOf, slug)))
  const row = slugRow && (await findLinkRow(read, slugRow.link_id))
  const destination = row && toDestination(row)
  if (!destination) throw failure('slug_not_found')
  const { clicksLeft } = await findBehaviour(read, row.id)
  return {
    slug,
    key: slugRow.slug,
    site,
    slugDisabledAt: slugRow.disabled_at,
    disabledAt: row.disabled_at,
    clicksLeft,
    destination,
    version: row.version,
    notFoundUrl:
      site.domain === null ? (locationOf((await findNotFoundUrl(read)) ?? '') ?? null) : site.notFoundUrl,
  }
}

/** Explains the visit that the query describes; `now` is in Unix seconds. */
export function explainVisit(
  link: ExplainedLink,
  source: VisitSource,
  { query, now }: { query: VisitQuery; now: number },
): Explanation {
  const { destination, version, key, site } = link
  const visitAt = visitorOf(source, { key, site, query, now })
  const circumstances: Circumstances = {
    isDisabled: link.disabledAt !== null || link.slugDisabledAt !== null,
    hasVisitsLeft: link.clicksLeft === undefined || link.clicksLeft > 0,
    notFoundUrl: link.notFoundUrl,
    status: site.status,
    ...source.options,
  }
  const verdictAt = (moment: number) => reachVerdict({ ...visitAt(moment), destination }, circumstances)
  const at = query.at ?? now
  const verdict = verdictAt(at)
  const { visitClass, ...answer } = verdict
  return {
    ...answer,
    counted: { as: visitClass, because: reasons[visitClass] },
    steps: trace({ ...visitAt(at), destination }, verdict, link),
    changes_at: findChanges(destination, at, (moment) => JSON.stringify(verdictAt(moment))),
    as_of: at,
    version,
  }
}

interface VisitAt {
  key: string
  site: Site
  query: VisitQuery
  /** Unix seconds. */
  now: number
}

/** Returns the visit at any moment. Its country, its visitor and its chance are always the same. */
function visitorOf(
  { request, peer, options }: VisitSource,
  { key, site, query, now }: VisitAt,
): (moment: number) => Omit<RedirectAttempt, 'destination'> {
  const { method = 'GET', country } = query
  const search =
    query.query === undefined ? '' : new URL(`?${query.query.replace(/^\?/, '')}`, 'http://short').search
  const target = {
    request: new Request(request.url, { method, headers: headersOf(request, query) }),
    slug: key,
    site,
    query: search || null,
    parameters: parseParameters(query.path ?? '') ?? [],
    server: { requestIP: () => null },
  }
  const chance = options.random?.() ?? Math.random()
  const visitOptions: VisitOptions = {
    ...options,
    ...(country !== undefined && { countryHeader: null, countryOf: () => country.toUpperCase() || null }),
    // Other days have other salts: those of past days are deleted, those of days to come do not exist.
    visitorOf: (address, userAgent) => options.visitorOf(address, userAgent, now),
    peerOf: () => peer,
    random: () => chance,
  }
  return (moment) => ({ target, visit: new RequestVisit(target, visitOptions, moment) })
}

const headerNames = { user_agent: 'user-agent', language: 'accept-language', referrer: 'referer' } as const

function headersOf(request: Request, query: VisitQuery): Headers {
  const headers = new Headers(request.headers)
  for (const [parameter, name] of Object.entries(headerNames)) {
    const value = query[parameter as keyof typeof headerNames]
    if (value === '') headers.delete(name)
    else if (value !== undefined) headers.set(name, value)
  }
  // The form of the explained visit is on our own page.
  headers.delete('sec-fetch-site')
  return headers
}
