import { inList, lockKey } from '@latchkey/database/database'
import type { DialectName } from '@latchkey/database/url'
import type { Kysely } from 'kysely'
import type { Context } from '../../api/context.ts'
import type { Tables, Tx } from '../../db/tables.ts'
import { failure } from '../../api/failures.ts'
import { isLegacyKey, keysOfPath } from '../../urls/legacy-path.ts'
import type { Domain } from '../../urls/slug.ts'
import { findLegacyTargets } from '../legacy/store.ts'
import type { LinkRow } from '../store.ts'
import { beginsWithParameter, keysBeforeParameters } from './parameters.ts'
import { type Program, type Split, parseProgram } from './program.ts'

/** Own short URLs that may follow each other on the way of a visitor. */
const MAX_HOPS = 5
/** Own short URLs that are looked up for one behaviour. Only an attack has more. */
const MAX_SLUGS = 1_000

/** Any number that all writes with own short URLs share. */
const REDIRECT_LOOPS_LOCK = 4_170_619

export type RedirectProblem = 'redirect_loop' | 'too_many_hops'
export type RedirectingLink = Pick<LinkRow, 'id' | 'url' | 'behaviour'>

/** The short domains of the instance. */
export interface OwnDomains {
  /** Undefined for the hosts of others. */
  domainOf: (host: string) => Domain | undefined
  /** The domain whose slugs it answers with as well; undefined for none. */
  aliasOf: (domain: Domain) => Domain | undefined
}

type LoopContext = Pick<Context, 'database' | 'origin' | 'sites'>
/**
 * Throws if a visitor of the link could come back to it, or would pass more than five of our own
 * short URLs. Call this once the link and its slugs are stored, at the end of the transaction: of
 * two writes that close a loop together, the second then sees the first.
 */
export async function requireFinalDestination(
  tx: Tx,
  context: LoopContext,
  link: RedirectingLink,
): Promise<void> {
  const problem = await findProblem(tx, context, link)
  if (problem) throw failure(problem)
}

/** Like `requireFinalDestination`, for a new slug of the link: it makes no chain of redirects longer. */
export async function requireNoLoop(tx: Tx, context: LoopContext, link: RedirectingLink): Promise<void> {
  if ((await findProblem(tx, context, link)) === 'redirect_loop') throw failure('redirect_loop')
}

async function findProblem(
  tx: Tx,
  context: LoopContext,
  link: RedirectingLink,
): Promise<RedirectProblem | undefined> {
  const { dialect } = context.database
  const domains = ownDomainsOf(context)
  if (!leadsToOwnUrl(link, domains)) return undefined
  await lockRedirectLoops(tx, dialect)
  return findRedirectProblem(link, domains, (slugs) => findLinksOf({ db: tx, dialect }, slugs))
}

/** The short domains, as the caller reaches them. */
export function ownDomainsOf({ origin, sites }: Pick<Context, 'origin' | 'sites'>): OwnDomains {
  return {
    domainOf: (host) => sites.domainOf(host, origin),
    aliasOf: (domain) => sites.of(domain).aliasOf,
  }
}

/** Serialises the writes of links that lead to our own short URLs. */
export async function lockRedirectLoops(tx: Tx, dialect: DialectName): Promise<void> {
  await lockKey(dialect, tx, REDIRECT_LOOPS_LOCK)
}

/** Whether the link leads to a short URL of this instance. */
export function leadsToOwnUrl(
  link: Omit<RedirectingLink, 'id'>,
  domains: Pick<OwnDomains, 'domainOf'>,
): boolean {
  return (
    ownSlugsOf(link, { ...domains, aliasOf: () => undefined }).length > 0 || mayLeadAnywhere(link, domains)
  )
}

/** Whether a visitor could choose the own short URL to which the link leads, even that of the link itself. */
function mayLeadAnywhere(
  link: Omit<RedirectingLink, 'id'>,
  { domainOf }: Pick<OwnDomains, 'domainOf'>,
): boolean {
  if (link.behaviour === null || !parseProgram(link.behaviour).parameters) return false
  return locationsOf(link).some((location) => {
    const host = URL.parse(location)?.hostname
    return host !== undefined && domainOf(host) !== undefined && beginsWithParameter(location)
  })
}

/** The links of these slugs and legacy paths. */
export async function findLinksOf(
  { db, dialect }: { db: Kysely<Tables>; dialect: DialectName },
  keys: readonly string[],
): Promise<(RedirectingLink & { slug: string })[]> {
  const links = await db
    .selectFrom('slug')
    .innerJoin('link', 'link.id', 'slug.link_id')
    .select(['slug.slug', 'link.id', 'link.url', 'link.behaviour'])
    .where(inList(dialect, 'slug.slug', keys))
    .execute()
  const legacyKeys = keys.filter(isLegacyKey)
  if (legacyKeys.length === 0) return links
  const targets = await findLegacyTargets({ db, dialect }, legacyKeys)
  return [
    ...links,
    ...targets.map(({ key, link_id: id, url, behaviour }) => ({ slug: key, id, url, behaviour })),
  ]
}

/** Returns the reason why the redirects of a link do not end, or are too many. */
export async function findRedirectProblem(
  link: RedirectingLink,
  domains: OwnDomains,
  findLinks: (slugs: readonly string[]) => Promise<readonly RedirectingLink[]>,
): Promise<RedirectProblem | undefined> {
  if (mayLeadAnywhere(link, domains)) return 'redirect_loop'
  const seen = new Set<string>()
  let slugs = ownSlugsOf(link, domains)
  for (let hops = 1; slugs.length > 0; hops++) {
    for (const slug of slugs) seen.add(slug)
    if (hops > MAX_HOPS || seen.size > MAX_SLUGS) return 'too_many_hops'
    const links = await findLinks(slugs)
    if (links.some(({ id }) => id === link.id)) return 'redirect_loop'
    const next = links.flatMap((nextLink) => ownSlugsOf(nextLink, domains))
    slugs = [...new Set(next)].filter((slug) => !seen.has(slug))
  }
  return undefined
}

function ownSlugsOf(link: Omit<RedirectingLink, 'id'>, domains: OwnDomains): string[] {
  return locationsOf(link).flatMap((location) => slugKeysOf(location, domains))
}

/** All destinations of a link. */
function locationsOf({ url, behaviour }: Omit<RedirectingLink, 'id'>): string[] {
  const program: Program = behaviour === null ? {} : parseProgram(behaviour)
  const { starts, after, rules = [], split } = program
  const before = starts?.[1] ?? null
  return [
    url,
    ...(before === null ? [] : [before]),
    ...(after === undefined ? [] : [after]),
    ...rules.flatMap(({ to }) => (typeof to === 'string' ? [to] : partsOf(to))),
    ...partsOf(split),
  ]
}

function partsOf(split: Split | undefined): string[] {
  return split?.parts.map(([, location]) => location) ?? []
}

/** The keys that one of our own short URLs may have; none for any other URL. */
function slugKeysOf(url: string, { domainOf, aliasOf }: OwnDomains): string[] {
  const own = URL.parse(url)
  const domain = own ? domainOf(own.hostname) : undefined
  if (!own || domain === undefined) return []
  const domains = { domain, aliasOf: aliasOf(domain) }
  const path = own.pathname.slice(1)
  return [...keysOfPath(path, domains), ...keysBeforeParameters(path, domains)]
}
