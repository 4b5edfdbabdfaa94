import { inList, lockKey } from '@latchkey/database/database'
import type { Transaction } from 'kysely'
import type { Context } from '../../context.ts'
import type { Tables } from '../../db/tables.ts'
import { failure } from '../../failures.ts'
import { foldSlug, isSlug } from '../slugs/slug.ts'
import type { LinkRow } from '../store.ts'
import { type Program, type Split, parseProgram } from './program.ts'

/** Own short URLs that may follow each other on the way of a visitor. */
const MAX_DEPTH = 5
/** Own short URLs that are looked up for one behaviour. Only an attack has more. */
const MAX_SLUGS = 1_000

/** Any number that all writes with own short URLs share. */
const RINGS_LOCK = 4_170_619

type LinkWay = Pick<LinkRow, 'id' | 'url' | 'behaviour'>
type WayContext = Pick<Context, 'database' | 'origin'>

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
  { database: { dialect }, origin }: WayContext,
  link: LinkWay,
): Promise<'link_ring' | 'link_chain' | undefined> {
  const ownSlugs = (row: Omit<LinkWay, 'id'>) =>
    locationsOf(row).flatMap((location) => ownSlugOf(location, origin) ?? [])
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

/** The folded slug of one of our own short URLs; undefined for any other URL. */
function ownSlugOf(url: string, origin: string): string | undefined {
  const own = URL.parse(url)
  if (!own || own.hostname !== URL.parse(origin)?.hostname) return undefined
  const slug = own.pathname.slice(1)
  return isSlug(slug) ? foldSlug(slug) : undefined
}
