import { type Database, inList } from '@latchkey/database/database'
import { sql } from 'kysely'
import { numberRows } from '../db/rows.ts'
import { isSnapshot } from '../db/snapshot.ts'
import type { ClickPeriodTable, PeriodUnit, Tables } from '../db/tables.ts'
import {
  type Cover,
  type Found,
  type Gap,
  type Period,
  cutTo,
  endOf,
  fill,
  joined,
  nearHours,
  periodUnits,
  startsIn,
} from './cover.ts'
import { HOUR, type Window } from './window.ts'

export type Db = Database<Tables>

/** Whose clicks: those of some links, or all there are. */
export type Scope = readonly number[] | 'instance'

/** Stands for the whole instance where sums are kept. */
export const INSTANCE = 0

/** How large the periods may be that a figure is made of. */
export type Largest = PeriodUnit | 'none'

export function unitsUpTo(largest: Largest): PeriodUnit[] {
  return largest === 'none' ? [] : periodUnits.slice(periodUnits.indexOf(largest))
}

/** Units that are looked up together: where larger ones leave gaps, the smaller ones are few. */
const SEARCHES: readonly (readonly PeriodUnit[])[] = [['quarter', 'month', '10d'], ['day'], ['6h', 'hour']]

/** By name: a handle of SQLite that was opened before a migration would take `*` for the columns of before. */
const columns = sql.raw(
  `period.link_id, period.unit, period.start, period.clicks, period.bots, period.self_referrers,
   period.bot_self_referrers, period.distinct_raw, period.distinct_no_bots, period.distinct_no_self,
   period.distinct_neither, period.stamp`,
)

/** What is to be covered by periods of these units. */
export interface Wish {
  gaps: readonly Gap[]
  units: readonly PeriodUnit[]
}

/** Where one search has looked for a link's periods, and which it has found. */
interface Searched {
  stretches: Gap[]
  found: Found[]
}

/** The periods that one snapshot has been asked for: a page asks for the same ones again and again. */
class Known {
  readonly searches: Map<number, Searched>[] = SEARCHES.map(() => new Map<number, Searched>())
  /** The hours of each link that still change: what sums say of them may be out of date. */
  readonly openHours = new Map<number, number[]>()
  /** Where the forgotten clicks of each link end, 0 where there are none. */
  readonly forgottenTo = new Map<number, number>()

  /** What of these stretches nobody has looked at. */
  unsearched(search: number, gaps: readonly Gap[]): Gap[] {
    const searched = this.searches[search]
    return joined(
      gaps.filter(({ link_id, low, high }) => {
        const stretches = searched?.get(link_id)?.stretches
        return !stretches?.some((stretch) => stretch.low <= low && high <= stretch.high)
      }),
    )
  }

  add(search: number, stretches: readonly Gap[], found: readonly Found[]): void {
    const searched = this.searches[search]
    const foundOf = Map.groupBy(found, (period) => period.link_id)
    for (const [link_id, own] of Map.groupBy(stretches, (stretch) => stretch.link_id)) {
      const before = searched?.get(link_id)
      const added = foundOf.get(link_id) ?? []
      const known = new Set(before?.found.map(({ unit, start }) => `${unit} ${start}`))
      const fresh = before ? added.filter(({ unit, start }) => !known.has(`${unit} ${start}`)) : added
      searched?.set(link_id, {
        stretches: before ? joined([...before.stretches, ...own]) : own,
        found: [...(before?.found ?? []), ...fresh].toSorted((one, other) => one.start - other.start),
      })
    }
  }

  /** Fills the gaps with what one search has found of these units. */
  fill(search: number, cover: Cover, units: readonly PeriodUnit[]): Cover {
    const linkIds = new Set(cover.gaps.map((gap) => gap.link_id))
    let left = cover
    for (const unit of SEARCHES[search] ?? [])
      if (units.includes(unit)) left = fill(left, this.#complete(search, unit, linkIds))
    return left
  }

  /** The periods of this unit that are over and complete. */
  #complete(search: number, unit: PeriodUnit, linkIds: Iterable<number>): Found[] {
    return [...linkIds].flatMap((id) => {
      const open = this.openHours.get(id) ?? []
      const found = this.searches[search]?.get(id)?.found ?? []
      if (found.length === 0) return found
      return found.filter(
        (period) =>
          period.unit === unit &&
          !open.some((hour) => hour >= period.start && hour < endOf(unit, period.start)),
      )
    })
  }
}

const knownOf = new WeakMap<Db, Known>()

/** Only what a snapshot says stays true. */
function knownIn(db: Db): Known {
  if (!isSnapshot(db)) return new Known()
  const known = knownOf.get(db) ?? new Known()
  knownOf.set(db, known)
  return known
}

/**
 * Looks for all periods of these wishes, so that `filled` finds them known: at once for those that are needed if nothing is
 * missing, then for smaller ones instead of what was.
 */
export async function lookUp(db: Db, wishes: readonly Wish[]): Promise<void> {
  const known = knownIn(db)
  const needed = wishes.map((wish) => neededFor(wish))
  await find(
    db,
    known,
    SEARCHES.map((_, search) => needed.flatMap((gaps) => gaps[search] ?? [])),
  )
  // A single one is looked for by whoever fills it.
  if (wishes.length === 1) return
  let left = wishes.map(({ gaps: whole, units }) => ({
    cover: { periods: [], gaps: whole.map((gap) => ({ ...gap, n: undefined })) } as Cover,
    units,
  }))
  for (const search of SEARCHES.keys()) {
    left = left.filter(({ cover }) => cover.gaps.length > 0)
    const looking = left.filter(({ units }) => units.some((unit) => SEARCHES[search]?.includes(unit)))
    await findIn(
      db,
      known,
      search,
      looking.flatMap(({ cover }) => cover.gaps),
    )
    for (const one of looking) one.cover = known.fill(search, one.cover, one.units)
  }
}

/** Where each search has to look if the ones before it find all that there might be. */
function neededFor({ gaps, units }: Wish): Gap[][] {
  const needed = SEARCHES.map((): Gap[] => [])
  // Links of one page have the same gaps, which need to be thought about once.
  const sameGaps = Map.groupBy(
    Map.groupBy(gaps, (gap) => gap.link_id),
    ([, own]) => own.map(({ low, high }) => `${low} ${high}`).join(),
  )
  for (const links of sameGaps.values()) {
    let left: Cover<Period> = { periods: [], gaps: [...(links[0]?.[1] ?? [])] }
    for (const [search, some] of searchesOf(units)) {
      const stretches = joined(left.gaps)
      needed[search]?.push(...links.flatMap(([link_id]) => stretches.map((gap) => ({ ...gap, link_id }))))
      for (const unit of some) left = fill(left, wished(unit, left.gaps))
    }
  }
  return needed
}

function searchesOf(units: readonly PeriodUnit[]): [search: number, units: PeriodUnit[]][] {
  return SEARCHES.map((all, search): [number, PeriodUnit[]] => [
    search,
    all.filter((unit) => units.includes(unit)),
  ]).filter(([, some]) => some.length > 0)
}

/** All periods that there might be. */
function wished(unit: PeriodUnit, gaps: readonly Gap[]): Period[] {
  return joined(gaps).flatMap(({ link_id, low, high }) =>
    startsIn(unit, low, high).map((start) => ({ link_id, unit, start })),
  )
}

/** The largest complete periods in these gaps, and what they leave of them. */
export async function filled(db: Db, gaps: readonly Gap[], units: readonly PeriodUnit[]): Promise<Cover> {
  const known = knownIn(db)
  let cover: Cover = { periods: [], gaps: [...gaps] }
  for (const [search] of searchesOf(units)) {
    if (cover.gaps.length === 0) break
    await findIn(db, known, search, cover.gaps)
    cover = known.fill(search, cover, units)
  }
  return cover
}

/** Finds the largest complete periods for a window. */
export async function coverOf(
  db: Db,
  scope: Scope,
  window: Window,
  largest: Largest = 'quarter',
): Promise<Cover> {
  const hours = hoursOfScope(scope, window)
  return cutTo(window, hours, await filled(db, hours, unitsUpTo(largest)))
}

/** What `coverOf` looks for. */
export function hoursOfScope(scope: Scope, window: Window): Gap[] {
  return nearHours(scope === 'instance' ? [INSTANCE] : scope, window)
}

async function findIn(db: Db, known: Known, search: number, gaps: readonly Gap[]): Promise<void> {
  await find(
    db,
    known,
    SEARCHES.map((_, other) => (other === search ? gaps : [])),
  )
}

/** Reads what nobody has looked for yet; `gaps` are those of each search. With it the open hours of links that are new. */
async function find(db: Db, known: Known, gaps: readonly (readonly Gap[])[]): Promise<void> {
  const missing = gaps.map((some, search) => known.unsearched(search, some))
  const linkIds = new Set(missing.flat().map((gap) => gap.link_id))
  const newIds = [...linkIds].filter((id) => !known.openHours.has(id))
  const parts = missing.flatMap((some, search) =>
    some.length === 0
      ? []
      : [
          sql`select ${columns} from ${numberRows(db.dialect, ['link_id', 'low', 'high'], some)} as gap
            cross join click_period as period
            where period.link_id = gap.link_id and ${inList(db.dialect, 'period.unit', SEARCHES[search] ?? [])}
              and period.start >= gap.low and period.start < gap.high`,
        ],
  )
  if (newIds.length > 0) parts.push(openHours(db, newIds), forgotten(db, newIds))
  if (parts.length === 0) return
  const { rows } = await sql<
    Omit<ClickPeriodTable, 'unit'> & { unit: PeriodUnit | 'open' | 'forgotten' }
  >`${sql.join(parts, sql` union all `)}`.execute(db.read)
  const found: Found[] = []
  for (const id of newIds) {
    known.openHours.set(id, [])
    known.forgottenTo.set(id, 0)
  }
  for (const { unit, ...row } of rows)
    if (unit === 'open') known.openHours.get(row.link_id)?.push(row.start)
    else if (unit === 'forgotten') known.forgottenTo.set(row.link_id, row.start + HOUR)
    else found.push({ ...row, unit })
  for (const [search, some] of missing.entries())
    known.add(
      search,
      some,
      found.filter(({ unit }) => SEARCHES[search]?.includes(unit)),
    )
}

/** As rows like those of periods. */
function openHours({ dialect }: Db, linkIds: readonly number[]) {
  const isInstance = linkIds[0] === INSTANCE
  return sql`select distinct ${isInstance ? sql.lit(INSTANCE) : sql.ref('link_id')}, 'open', hour, 0, 0, 0, 0, 0, 0, 0, 0, 0
    from click_hour_open where ${isInstance ? sql`1 = 1` : inList(dialect, 'link_id', linkIds)}`
}

/** The last hours of forgotten clicks, likewise. */
function forgotten({ dialect }: Db, linkIds: readonly number[]) {
  const rows = linkIds.map((link_id) => ({ link_id }))
  const last =
    linkIds[0] === INSTANCE
      ? sql`select max(hour) from click_forgotten`
      : sql`select max(hour) from click_forgotten as part where part.link_id = given.link_id`
  return sql`select link_id, 'forgotten', hour, 0, 0, 0, 0, 0, 0, 0, 0, 0
    from (select link_id, (${last}) as hour from ${numberRows(dialect, ['link_id'], rows)} as given) as ends
    where hour is not null`
}

/** Whether there may be forgotten clicks in this gap. */
export function mayBeForgotten(db: Db, { link_id, low }: Gap): boolean {
  return low < (knownIn(db).forgottenTo.get(link_id) ?? Infinity)
}
