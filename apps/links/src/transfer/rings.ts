import type { Database } from '@latchkey/database/database'
import type { Transaction } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { DEFAULT_HOST, listDomainRows } from '../domains/store.ts'
import { failures } from '../api/failures.ts'
import { compile } from '../links/behaviour/compile.ts'
import {
  type WayProblem,
  findLinksOf,
  findWayProblem,
  leadsToOwnUrl,
  lockRings,
} from '../links/behaviour/rings.ts'
import type { Domain } from '../urls/slug.ts'
import type { ParsedRow } from './formats.ts'
import type { ImportRow } from './import-row.ts'
import type { ImportDomains } from './row-domain.ts'
import type { Queries } from '../links/slugs/store.ts'

/** A row whose link is stored in this transaction. */
interface StoredRow extends Pick<ImportRow, 'url' | 'behaviour'> {
  line: number
  slug: string | undefined
}

interface RingOptions {
  dialect: Queries['dialect']
  domains: ImportDomains
  /** The database of the instance, which has the domains; a dry run writes to another one. */
  database: Database<Tables>
  dryRun: boolean
}

/** Throws `RingFound` if the way of a stored link's visitors comes back to it, or is too long (L26.5). */
export async function requireEnds(
  tx: Transaction<Tables>,
  rows: readonly StoredRow[],
  { dialect, domains, database, dryRun }: RingOptions,
): Promise<void> {
  const { hosts, defaultHost } = domains
  const domainOf = (host: string) => (host === defaultHost ? null : hosts.includes(host) ? host : undefined)
  const own = rows.filter(({ url, behaviour }) =>
    leadsToOwnUrl({ url, behaviour: behaviour && compile(behaviour, false) }, { domainOf }),
  )
  if (own.length === 0) return
  await lockRings(tx, dialect)
  const findLinks = async (slugs: readonly string[]) => {
    const links = await findLinksOf({ db: tx, dialect }, slugs)
    if (!dryRun) return links
    const missing = slugs.filter((slug) => !links.some((link) => link.slug === slug))
    const others = await findLinksOf({ db: database.read, dialect: database.dialect }, missing)
    // A dry run has a database of its own, where the ids mean other links.
    return [...links, ...others.map((link) => ({ ...link, id: -link.id }))]
  }
  const settings = await listDomainRows(database.read)
  const aliasOf = (domain: Domain) => {
    const other = settings.find(({ host }) => host === (domain ?? DEFAULT_HOST))?.alias_of ?? undefined
    return other === DEFAULT_HOST ? null : other
  }
  const problems = new Map<number, WayProblem>()
  for (const { line, slug } of own) {
    const [link] = slug === undefined ? [] : await findLinks([slug])
    const problem = link && (await findWayProblem(link, { domainOf, aliasOf }, findLinks))
    if (problem) problems.set(line, problem)
  }
  if (problems.size > 0) throw new RingFound(problems)
}

/** The batch has to be planned again without these rows. */
export class RingFound extends Error {
  override readonly name = 'RingFound'
  readonly #problems: ReadonlyMap<number, WayProblem>

  constructor(problems: ReadonlyMap<number, WayProblem>) {
    super()
    this.#problems = problems
  }

  /** Returns the row, or its problem if it has one. */
  refuse(row: ParsedRow): ParsedRow {
    const code = this.#problems.get(row.line)
    return code === undefined ? row : { line: row.line, problem: { code, text: failures[code].text } }
  }
}
