import type { Database } from '@latchkey/database/database'
import { sql } from 'kysely'
import type { Tables } from '../../src/db/tables.ts'
import { unequalRecords } from './event-checks.ts'

export type Stored = Pick<Database<Tables>, 'dialect' | 'read'>

/** The state of a link as its writer sees it. */
export interface State {
  url: string
  label: string | null
  disabled: boolean
  primary: string
}

export interface LedgerLink {
  id: number
  /** The last answered state. */
  state: State
  /** A change that was sent and not answered: it may or may not be stored. */
  pending: State | undefined
  /** All slugs that were answered. */
  slugs: Set<string>
  /** Every URL that was ever sent for the link. A redirect leads to one of them. */
  urls: Set<string>
  wasEverDisabled: boolean
}

export interface NewLink {
  url: string
  label: string | null
  slug: string | undefined
}

/** Redirects of one slug, as the visitors saw them. */
export interface Visits {
  sent: number
  redirected: number
  unanswered: number
}

const WRITES = ['create', 'create with slug', 'update', 'new primary slug', 'disable', 'enable'] as const
export type Write = (typeof WRITES)[number]

/**
 * The requests of the clients and their outcomes, recorded outside the server: the reference for
 * the stored state.
 */
export class Ledger {
  readonly links = new Map<number, LedgerLink>()
  readonly visits = new Map<string, Visits>()
  readonly writes = Object.fromEntries(
    WRITES.map((write) => [write, { answered: 0, unanswered: 0, stored: 0 }]),
  ) as Record<Write, { answered: number; unanswered: number; stored: number }>
  readonly problems: string[] = []
  /** Clicks that the only node has counted as lost, as on a full disk. */
  lost = 0
  /** Creations that were sent and not answered, by their URL, which no other link ever had. */
  readonly #unconfirmed = new Map<string, NewLink>()

  begin(link: NewLink): void {
    this.#unconfirmed.set(link.url, link)
  }

  recordCreated(link: NewLink, { id, slugs }: { id: number; slugs: string[] }): LedgerLink {
    this.#unconfirmed.delete(link.url)
    const { url, label } = link
    const existing: LedgerLink = {
      id,
      state: { url, label, disabled: false, primary: link.slug ?? slugs[0] ?? '' },
      pending: undefined,
      slugs: new Set(slugs),
      urls: new Set([url]),
      wasEverDisabled: false,
    }
    this.links.set(id, existing)
    return existing
  }

  /** A creation whose answer says that nothing is stored. */
  recordRefused({ url }: NewLink): void {
    this.#unconfirmed.delete(url)
  }

  visitsOf(slug: string): Visits {
    const existing = this.visits.get(slug)
    if (existing) return existing
    const visits = { sent: 0, redirected: 0, unanswered: 0 }
    this.visits.set(slug, visits)
    return visits
  }

  require(holds: boolean, problem: () => string): void {
    if (!holds) this.problems.push(problem())
  }

  /**
   * Compares the stored state with the answers. The outcome of an unanswered request is read from
   * the database and recorded, and must not change afterwards.
   */
  async reconcileWrites(database: Stored): Promise<void> {
    const stored = await readLinks(database)
    this.#adoptUnconfirmed(stored)
    for (const link of this.links.values()) this.#checkLink(stored.get(link.id), link)
    this.require(
      stored.size === this.links.size,
      () => `${stored.size} links stored, ${this.links.size} made`,
    )
    const { rows } = await sql.raw(unequalRecords(database.dialect)).execute(database.read)
    this.require(rows.length === 0, () => `changes or events of links: ${JSON.stringify(rows)}`)
  }

  #adoptUnconfirmed(stored: ReadonlyMap<number, StoredLink>): void {
    const byUrl = new Map([...stored.values()].map((link) => [link.url, link]))
    const allSlugs = new Set([...stored.values()].flatMap(({ slugs }) => slugs))
    for (const [url, link] of this.#unconfirmed) {
      const kind = link.slug === undefined ? 'create' : 'create with slug'
      this.writes[kind].unanswered++
      const row = byUrl.get(url)
      if (row) {
        this.writes[kind].stored++
        this.recordCreated(link, row)
      } else
        this.require(
          !allSlugs.has(link.slug ?? ''),
          () => `slug ${link.slug} of a link that was not made is taken`,
        )
    }
    this.#unconfirmed.clear()
  }

  #checkLink(stored: StoredLink | undefined, link: LedgerLink): void {
    if (!stored) return void this.problems.push(`link ${link.id} is gone`)
    const { pending } = link
    link.pending = undefined
    if (pending) {
      const kind = kindOf(link.state, pending)
      this.writes[kind].unanswered++
      if (same(stored, pending)) {
        this.writes[kind].stored++
        link.state = pending
        link.slugs.add(pending.primary)
      }
    }
    this.require(
      same(stored, link.state),
      () => `link ${link.id} is ${JSON.stringify(stored)}, answered was ${JSON.stringify(link.state)}`,
    )
    const slugs = new Set(stored.slugs)
    this.require(
      slugs.size === link.slugs.size && slugs.isSupersetOf(link.slugs),
      () => `link ${link.id} has slugs ${[...slugs].join()}, answered were ${[...link.slugs].join()}`,
    )
  }

  /**
   * Each answered redirect counts exactly once unless it is lost, each unanswered one at most once,
   * and the three totals are equal.
   */
  async reconcileVisits({ read }: Pick<Stored, 'read'>): Promise<{ clicks: number; maybe: number }> {
    const { rows: stored } = await sql<{ slug: string; sum: number; hours: number; raw: number }>`
      select counted.slug, clicks as sum,
        (select coalesce(sum(clicks), 0) from click_hour where click_hour.slug = counted.slug) as hours,
        (select count(*) from click where click.slug = counted.slug) as raw
      from counted_slug as counted
      where clicks > 0 or counted.slug in (select slug from click union select slug from click_hour)`.execute(
      read,
    )
    const counts = new Map(stored.map((row) => [row.slug, row]))
    let [clicks, maybe, missing] = [0, 0, 0]
    for (const slug of new Set([...counts.keys(), ...this.visits.keys()])) {
      const { sum, hours, raw } = counts.get(slug) ?? { sum: 0, hours: 0, raw: 0 }
      const { redirected, unanswered } = this.visitsOf(slug)
      this.require(sum === hours && sum === raw, () => `${slug}: ${sum} in all, ${hours} by hour, ${raw} raw`)
      this.require(
        (redirected <= sum || this.lost > 0) && sum <= redirected + unanswered,
        () => `${slug}: ${redirected} redirected, ${unanswered} without an answer, ${sum} counted`,
      )
      clicks += sum
      maybe += Math.max(0, sum - redirected)
      missing += Math.max(0, redirected - sum)
    }
    this.require(missing <= this.lost, () => `${missing} clicks are missing, ${this.lost} are lost`)
    return { clicks, maybe }
  }
}

export function kindOf(before: State, after: State): Write {
  if (before.primary !== after.primary) return 'new primary slug'
  if (before.disabled !== after.disabled) return after.disabled ? 'disable' : 'enable'
  return 'update'
}

interface StoredLink extends State {
  id: number
  slugs: string[]
}

async function readLinks({ read }: Pick<Stored, 'read'>): Promise<Map<number, StoredLink>> {
  const rows = await read
    .selectFrom('link')
    .select(['id', 'url', 'label', 'disabled_at', 'primary_slug'])
    .execute()
  const slugs = await read.selectFrom('slug').select(['link_id', 'slug']).orderBy('is_custom').execute()
  const slugsOf = Map.groupBy(slugs, ({ link_id }) => link_id)
  return new Map(
    rows.map(({ id, url, label, disabled_at, primary_slug }) => [
      id,
      {
        id,
        url,
        label,
        disabled: disabled_at !== null,
        primary: primary_slug,
        slugs: (slugsOf.get(id) ?? []).map(({ slug }) => slug),
      },
    ]),
  )
}

function same(a: State, b: State): boolean {
  return a.url === b.url && a.label === b.label && a.disabled === b.disabled && a.primary === b.primary
}
