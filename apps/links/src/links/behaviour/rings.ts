import { type DialectName } from '@latchkey/database/url'
import { inList } from '@latchkey/database/database'
import type { Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { failure } from '../../failures.ts'
import { foldSlug, isSlug } from '../slugs/slug.ts'
import { type Program, type Split, parseProgram } from './program.ts'

/** Own short URLs that may follow each other on the way of a visitor. */
const MAX_DEPTH = 5
/** Own short URLs that are looked up for one behaviour. Only an attack has more. */
const MAX_SLUGS = 1_000

interface WayOptions {
  tx: Transaction<Tables>
  dialect: DialectName
  /** The link whose behaviour is written. */
  linkId: number
  /** Origin of our own short URLs. */
  origin: string
}

/**
 * Throws if a visitor of this program could come back to the link, or would pass more than five of
 * our own short URLs.
 */
export async function requireEnd(
  program: Program,
  { tx, dialect, linkId, origin }: WayOptions,
): Promise<void> {
  const ownSlugs = (locations: readonly string[]) => locations.flatMap((url) => ownSlugOf(url, origin) ?? [])
  const seen = new Set<string>()
  let slugs = ownSlugs(locationsOf(program))
  for (let depth = 1; slugs.length > 0; depth++) {
    for (const slug of slugs) seen.add(slug)
    if (depth > MAX_DEPTH || seen.size > MAX_SLUGS) throw failure('behaviour_chain')
    const links = await tx
      .selectFrom('slug')
      .innerJoin('link', 'link.id', 'slug.link_id')
      .select(['link.id', 'link.url', 'link.behaviour'])
      .where(inList(dialect, 'slug.slug', slugs))
      .execute()
    if (links.some(({ id }) => id === linkId)) throw failure('behaviour_ring')
    const next = links.flatMap(({ url, behaviour }) =>
      ownSlugs([url, ...(behaviour === null ? [] : locationsOf(parseProgram(behaviour)))]),
    )
    slugs = [...new Set(next)].filter((slug) => !seen.has(slug))
  }
}

/** All destinations of a program. */
function locationsOf({ starts, after, rules = [], split }: Program): string[] {
  const before = starts?.[1] ?? null
  return [
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
