import type { Database } from '@latchkey/database/database'
import type { Transaction } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { DEFAULT_HOST, listDomainRows } from '../domains/store.ts'
import { failures } from '../api/failures.ts'
import { compile } from '../links/behaviour/compile.ts'
import {
  type RedirectProblem,
  findLinksOf,
  findRedirectProblem,
  leadsToOwnUrl,
  lockRedirectLoops,
} from '../links/behaviour/redirect-loops.ts'
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

interface LoopOptions {
  dialect: Queries['dialect']
  domains: ImportDomains
  /** The database of the instance, which has the domains; a dry run writes to another one. */
  database: Database<Tables>
  dryRun: boolean
}

/** Throws `RedirectLoopFound` if the redirects of a stored link come back to it, or are too many (L26.5). */
export async function requireFinalDestinations(
  tx: Transaction<Tables>,
  rows: readonly StoredRow[],
  { dialect, domains, database, dryRun }: LoopOptions,
): Promise<void> {
  const { hosts, defaultHost } = domains
  const domainOf = (host: string) => (host === defaultHost ? null : hosts.includes(host) ? host : undefined)
  const own = rows.filter(({ url, behaviour }) =>
    leadsToOwnUrl({ url, behaviour: behaviour && compile(behaviour, false) }, { domainOf }),
  )
  if (own.length === 0) return
  await lockRedirectLoops(tx, dialect)
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
  const problems = new Map<number, RedirectProblem>()
  for (const { line, slug } of own) {
    const [link] = slug === undefined ? [] : await findLinks([slug])
    const problem = link && (await findRedirectProblem(link, { domainOf, aliasOf }, findLinks))
    if (problem) problems.set(line, problem)
  }
  if (problems.size > 0) throw new RedirectLoopFound(problems)
}

/** The batch has to be planned again without these rows. */
export class RedirectLoopFound extends Error {
  override readonly name = 'RedirectLoopFound'
  readonly #problems: ReadonlyMap<number, RedirectProblem>

  constructor(problems: ReadonlyMap<number, RedirectProblem>) {
    super()
    this.#problems = problems
  }

  /** Returns the row, or its problem if it has one. */
  refuse(row: ParsedRow): ParsedRow {
    const code = this.#problems.get(row.line)
    return code === undefined ? row : { line: row.line, problem: { code, text: failures[code].text } }
  }
}
