import type { Context } from '../../api/context.ts'
import { MAX_LEGACY_PATHS, findLegacyPathProblem, legacyKey } from '../../urls/legacy-path.ts'
import { type Domain, isSlug, foldSlug, parseSlugKey, slugKey } from '../../urls/slug.ts'
import { requireNoLoop } from '../behaviour/redirect-loops.ts'
import { findSlug } from '../slugs/store.ts'
import { lockLinkForWrite, raiseVersion } from '../store.ts'
import {
  findLegacyPath,
  findPrimaryOfLegacyPath,
  hasTooManyLegacyPaths,
  insertLegacyPaths,
  removeLegacyPath,
} from './store.ts'

/** The path cannot be added, or is none. The message says why. */
export class LegacyPathRefused extends Error {
  override readonly name = 'LegacyPathRefused'
}

type WriteContext = Pick<Context, 'database' | 'origin' | 'sites' | 'now'>

interface Address {
  domain: Domain
  /** With or without its leading slash. */
  path: string
}

/** Lets the link of a slug answer a path, too. Throws `LegacyPathRefused`, and `Failure` for a loop. */
export async function addLegacyPath(
  context: WriteContext,
  { domain, path: text, slug }: Address & { slug: string },
): Promise<void> {
  const path = withoutSlash(text)
  const problem = findLegacyPathProblem(path)
  if (problem !== undefined) throw new LegacyPathRefused(`The path "${path}" ${problem}`)
  if (!isSlug(slug)) throw new LegacyPathRefused(`"${slug}" is no slug`)
  const { database, now } = context
  await database.write(async (tx) => {
    const findLinkId = async () => (await findSlug(tx, slugKey(domain, foldSlug(slug))))?.link_id
    const linkId = await findLinkId()
    const link = linkId === undefined ? undefined : await lockLinkForWrite(tx, database, linkId)
    // The slug may have changed hands before the lock.
    if (!link || (await findLinkId()) !== link.id) throw new LegacyPathRefused(`There is no slug "${slug}"`)
    const row = { domain: domain ?? '', path, link_id: link.id, source: 'cli', created_at: now }
    if (!(await insertLegacyPaths(tx, [row]))) {
      const primary = await findPrimaryOfLegacyPath(tx, legacyKey(domain, path))
      const owner = primary === undefined ? 'a link' : `the link of the slug "${parseSlugKey(primary).slug}"`
      throw new LegacyPathRefused(`The path "${path}" is already one of ${owner}`)
    }
    if (await hasTooManyLegacyPaths(tx, link.id))
      throw new LegacyPathRefused(`A link has at most ${MAX_LEGACY_PATHS} legacy paths`)
    await raiseVersion(tx, link, now)
    await requireNoLoop(tx, context, link)
  })
}

/** Throws `LegacyPathRefused` if there is no such path. */
export async function deleteLegacyPath(
  { database, now }: Pick<Context, 'database' | 'now'>,
  { domain, path: text }: Address,
): Promise<void> {
  const path = withoutSlash(text)
  await database.write(async (tx) => {
    const row = await findLegacyPath(tx, domain, path)
    const link = row && (await lockLinkForWrite(tx, database, row.link_id))
    // The path may have changed hands before the lock.
    if (!link || (await findLegacyPath(tx, domain, path))?.link_id !== link.id)
      throw new LegacyPathRefused(`There is no legacy path "${path}"`)
    await removeLegacyPath(tx, row)
    await raiseVersion(tx, link, now)
  })
}

/** Paths are written with a slash before them, too. */
function withoutSlash(path: string): string {
  return path.replace(/^\//, '')
}
