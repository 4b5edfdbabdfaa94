import type { Database as SqliteFile } from 'bun:sqlite'
import { findUnequalRecords } from './event-checks.ts'

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
  reconcileWrites(file: SqliteFile): void {
    this.#adoptUnconfirmed(file)
    for (const link of this.links.values()) this.#checkLink(file, link)
    const { count } = file.query<{ count: number }, []>('select count(*) as count from link').get() ?? {
      count: -1,
    }
    this.require(count === this.links.size, () => `${count} links stored, ${this.links.size} made`)
    const unequal = findUnequalRecords(file)
    this.require(unequal.length === 0, () => `changes or events of links: ${JSON.stringify(unequal)}`)
  }

  #adoptUnconfirmed(file: SqliteFile): void {
    for (const [url, link] of this.#unconfirmed) {
      const kind = link.slug === undefined ? 'create' : 'create with slug'
      this.writes[kind].unanswered++
      const row = file.query<{ id: number }, [string]>('select id from link where url = ?').get(url)
      if (!row) {
        const slugRow = file.query('select 1 from slug where slug = ?').get(link.slug ?? '')
        this.require(!slugRow, () => `slug ${link.slug} of a link that was not made is taken`)
        continue
      }
      this.writes[kind].stored++
      this.recordCreated(link, { id: row.id, slugs: slugsOf(file, row.id).map(({ slug }) => slug) })
    }
    this.#unconfirmed.clear()
  }

  #checkLink(file: SqliteFile, link: LedgerLink): void {
    const stored = storedState(file, link.id)
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
    const slugs = new Set(slugsOf(file, link.id).map(({ slug }) => slug))
    this.require(
      slugs.size === link.slugs.size && slugs.isSupersetOf(link.slugs),
      () => `link ${link.id} has slugs ${[...slugs].join()}, answered were ${[...link.slugs].join()}`,
    )
  }

  /**
   * Each answered redirect counts exactly once, each unanswered one at most once, and the three
   * totals are equal.
   */
  reconcileVisits(file: SqliteFile): { clicks: number; maybe: number } {
    const stored = file
      .query<{ slug: string; sum: number; hours: number; raw: number }, []>(
        `select slug, clicks as sum,
          (select coalesce(sum(clicks), 0) from click_hour where click_hour.slug = slug.slug) as hours,
          (select count(*) from click where click.slug = slug.slug) as raw
        from counted_slug as slug where clicks > 0 or slug in (select slug from click union select slug from click_hour)`,
      )
      .all()
    const counts = new Map(stored.map((row) => [row.slug, row]))
    let [clicks, maybe] = [0, 0]
    for (const slug of new Set([...counts.keys(), ...this.visits.keys()])) {
      const { sum, hours, raw } = counts.get(slug) ?? { sum: 0, hours: 0, raw: 0 }
      const { redirected, unanswered } = this.visitsOf(slug)
      this.require(sum === hours && sum === raw, () => `${slug}: ${sum} in all, ${hours} by hour, ${raw} raw`)
      this.require(
        redirected <= sum && sum <= redirected + unanswered,
        () => `${slug}: ${redirected} redirected, ${unanswered} without an answer, ${sum} counted`,
      )
      clicks += sum
      maybe += sum - redirected
    }
    return { clicks, maybe }
  }
}

export function kindOf(before: State, after: State): Write {
  if (before.primary !== after.primary) return 'new primary slug'
  if (before.disabled !== after.disabled) return after.disabled ? 'disable' : 'enable'
  return 'update'
}

function storedState(file: SqliteFile, id: number): State | undefined {
  const row = file
    .query<{ url: string; label: string | null; disabled_at: number | null; primary_slug: string }, [number]>(
      'select url, label, disabled_at, primary_slug from link where id = ?',
    )
    .get(id)
  return row
    ? { url: row.url, label: row.label, disabled: row.disabled_at !== null, primary: row.primary_slug }
    : undefined
}

function slugsOf(file: SqliteFile, id: number): { slug: string }[] {
  return file
    .query<{ slug: string }, [number]>('select slug from slug where link_id = ? order by is_custom')
    .all(id)
}

function same(a: State, b: State): boolean {
  return a.url === b.url && a.label === b.label && a.disabled === b.disabled && a.primary === b.primary
}
