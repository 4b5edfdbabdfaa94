import { inList, lockKey } from '@latchkey/database/database'
import type { Transaction } from 'kysely'
import type { Context } from '../../context.ts'
import type { Tables } from '../../db/tables.ts'
import { failure } from '../../failures.ts'
import type { Sites } from '../../domains/sites.ts'
import { foldSlug, isSlug, slugKey } from '../slugs/slug.ts'
import type { LinkRow } from '../store.ts'
import { type Program, type Split, parseProgram } from './program.ts'

/** Own short URLs that may follow each other on the way of a visitor. */
const MAX_DEPTH = 5
/** Own short URLs that are looked up for one behaviour. Only an attack has more. */
const MAX_SLUGS = 1_000

/** Any number that all writes with own short URLs share. */
const RINGS_LOCK = 4_170_619

type LinkWay = Pick<LinkRow, 'id' | 'url' | 'behaviour'>
type WayContext = Pick<Context, 'database' | 'origin' | 'sites'>

/**
 * Throws if a visitor of the link could come back to it, or would pass more than five of our own
 * short URLs. Call this once the link and its slugs are stored, at the end of the transaction: of
 * two writes that close a ring together, the second then sees the first.
 */
export async function requireEnd(tx: Transaction<Tables>, context: WayContext, link: LinkWay): Promise<void> {
  const problem = await findWayProblem(tx, context, link)
  if (problem) throw failure(problem)
}

/** Like `requireEnd`, for a new slug of the link: it makes no way longer. */
export async function requireNoRing(
  tx: Transaction<Tables>,
  context: WayContext,
  link: LinkWay,
): Promise<void> {
  if ((await findWayProblem(tx, context, link)) === 'link_ring') throw failure('link_ring')
}

async function findWayProblem(
  tx: Transaction<Tables>,
  { database: { dialect }, origin, sites }: WayContext,
  link: LinkWay,
): Promise<'link_ring' | 'link_chain' | undefined> {
  const ownSlugs = (row: Omit<LinkWay, 'id'>) =>
    locationsOf(row).flatMap((location) => ownSlugsOf(location, origin, sites))
  const seen = new Set<string>()
  let slugs = ownSlugs(link)
  if (slugs.length > 0) await lockKey(dialect, tx, RINGS_LOCK)
  for (let depth = 1; slugs.length > 0; depth++) {
    for (const slug of slugs) seen.add(slug)
    if (depth > MAX_DEPTH || seen.size > MAX_SLUGS) return 'link_chain'
    const links = await tx
      .selectFrom('slug')
      .innerJoin('link', 'link.id', 'slug.link_id')
      .select(['link.id', 'link.url', 'link.behaviour'])
      .where(inList(dialect, 'slug.slug', slugs))
      .execute()
    if (links.some(({ id }) => id === link.id)) return 'link_ring'
    slugs = [...new Set(links.flatMap(ownSlugs))].filter((slug) => !seen.has(slug))
  }
  return undefined
}

/** All destinations of a link. */
function locationsOf({ url, behaviour }: Omit<LinkWay, 'id'>): string[] {
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
function ownSlugsOf(url: string, origin: string, sites: Sites): string[] {
  const own = URL.parse(url)
  const domain = own ? sites.domainOf(own.hostname, origin) : undefined
  if (!own || domain === undefined) return []
  const path = own.pathname.slice(1)
  if (!isSlug(path)) return []
  const slug = foldSlug(path)
  const { alsoOf } = sites.of(domain)
  return [slugKey(domain, slug), ...(alsoOf === undefined ? [] : [slugKey(alsoOf, slug)])]
}
