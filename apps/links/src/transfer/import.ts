import type { Database } from '@latchkey/database/database'
import type { Transaction } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { findPreferences } from '../preferences/store.ts'
import { LengthUse } from '../slugs/generator.ts'
import { type ImportFormat, type ReadRow, readRows } from './formats.ts'
import type { ImportRow } from './import-row.ts'
import type { Source } from './lines.ts'
import { type Tagged, bundleByTags } from './tags.ts'
import { type Known, type Policy, type Verdict, judge, renameTaken, strict } from './plan.ts'
import { openScratch } from './scratch.ts'
import {
  type CompleteRow,
  SlugRace,
  freshSlugs,
  lookUp,
  overwriteLink,
  primaryOf,
  serialiseImports,
  slugsOf,
  storeRows,
} from './store.ts'

export interface ImportOptions {
  database: Database<Tables>
  source: Source
  format: ImportFormat
  /** Owner of the rows that name none; its preferred slug length holds for all. */
  owner: string
  /** False: `owner` owns all rows, whomever they name. */
  ownedByFile?: boolean
  /** Runs in a process that also redirects: on SQLite it leaves others as much time to write as it takes. */
  besideOthers?: boolean
  /** Stores nothing, but tells what a run would do. */
  dryRun?: boolean
  /** With `csv`: fields and the columns they are read from. */
  columnOf?: Readonly<Record<string, string>>
  policy?: Policy
  /** Each tag of a row becomes a bundle of its owner, with the row's link as a member. */
  bundlesFromTags?: boolean
  /** Unix seconds. */
  now: number
  /** Called with every slug that is stored, unless it is a dry run. */
  onSlug?: (slug: string) => void
  /** Told of every row, in the order of the file, when its batch is stored. */
  onRow?: (outcome: RowOutcome) => void | Promise<void>
}

export interface RowOutcome {
  line: number
  result: 'imported' | 'skipped' | 'conflict' | 'bad'
  /** The slug that the link shows; missing for bad rows. */
  slug?: string
  url?: string
  /** What stands in the way; for an imported row, what is not as the file says. */
  reason?: string
}

export interface ImportReport {
  imported: number
  skipped: number
  conflicts: number
  bad: number
  /** Clicks that the file gives only as sums, which cannot be imported; null when it has no such column. */
  clickTotals: number | null
  /** Bundles that were made of tags. */
  bundles: number
}

/** Rows in one transaction: enough to share its cost, few enough that other writers do not notice. */
const ROWS_AT_ONCE = 500
const SLUGS_AT_ONCE = 5_000
/** Batches are as much smaller where others write to the same file meanwhile. */
const SHARE_BESIDE_OTHERS = 0.2

export function newReport(): ImportReport {
  return { imported: 0, skipped: 0, conflicts: 0, bad: 0, clickTotals: null, bundles: 0 }
}

/** Imports a file of any length, row by row; good rows are stored whatever the others are like (L21). */
export async function importLinks(options: ImportOptions): Promise<ImportReport> {
  const report = newReport()
  for await (const outcomes of importBatches(options, report))
    for (const outcome of outcomes) await options.onRow?.(outcome)
  return report
}

/** The same batch by batch, each when it is stored; `report` grows with them. Who stops listening stops the import. */
export async function* importBatches(
  options: ImportOptions,
  report: ImportReport,
): AsyncGenerator<RowOutcome[], void> {
  const scratch = options.dryRun ? await openScratch() : undefined
  try {
    const target = scratch ?? options.database
    const batches = new Batches(options, target, report)
    const gently = options.besideOthers === true && target.dialect === 'sqlite'
    const share = gently ? SHARE_BESIDE_OTHERS : 1
    for await (const batch of inBatches(readRows(options, options), share)) {
      const startedMs = performance.now()
      addClickTotals(report, batch)
      const outcomes = await batches.store(batch)
      for (const { result } of outcomes) report[countedAs[result]]++
      yield outcomes
      // As long for the others as for itself.
      if (gently) await Bun.sleep(performance.now() - startedMs)
    }
  } finally {
    await scratch?.close()
  }
}

function addClickTotals(report: ImportReport, batch: readonly ReadRow[]): void {
  for (const { clicks } of batch)
    if (clicks !== undefined) report.clickTotals = (report.clickTotals ?? 0) + clicks
}

const countedAs = { imported: 'imported', skipped: 'skipped', conflict: 'conflicts', bad: 'bad' } as const

async function* inBatches(rows: AsyncIterable<ReadRow>, share: number): AsyncGenerator<ReadRow[]> {
  let batch: ReadRow[] = []
  let slugs = 0
  for await (const row of rows) {
    batch.push(row)
    slugs += 'value' in row ? row.value.custom.length + row.value.tags.length + 1 : 0
    if (batch.length < ROWS_AT_ONCE * share && slugs < SLUGS_AT_ONCE * share) continue
    yield batch
    batch = []
    slugs = 0
  }
  if (batch.length > 0) yield batch
}

/** Automatic slugs beside a slug that the file brings: nobody looks at them, so short ones are left to the others. */
const HIDDEN_LENGTH = 10
/** Each time, a slug that somebody else took meanwhile has become a known one. */
const RACES = 20

type Target = Pick<Database<Tables>, 'dialect' | 'write'>

class Batches {
  readonly #options: ImportOptions
  readonly #lengthUse = new LengthUse()
  /** Where rows are stored: a dry run has a database of its own, so that later rows meet earlier ones. */
  readonly #target: Target
  readonly #report: ImportReport

  constructor(options: ImportOptions, target: Target, report: ImportReport) {
    this.#options = options
    this.#target = target
    this.#report = report
  }

  async store(batch: readonly ReadRow[]): Promise<RowOutcome[]> {
    for (let races = 0; ; races++) {
      try {
        const { outcomes, bundles, slugs } = await this.#target.write((tx) => this.#storeIn(tx, batch))
        this.#report.bundles += bundles
        for (const slug of slugs) this.#noteSlug(slug)
        return outcomes
      } catch (error) {
        if (!(error instanceof SlugRace) || races >= RACES) throw error
      }
    }
  }

  #noteSlug(slug: string): void {
    this.#lengthUse.added(slug)
    if (!this.#options.dryRun) this.#options.onSlug?.(slug)
  }

  async #storeIn(
    tx: Transaction<Tables>,
    batch: readonly ReadRow[],
  ): Promise<{ outcomes: RowOutcome[]; bundles: number; slugs: string[] }> {
    await serialiseImports(tx, this.#target)
    const judged = await this.#judge(tx, batch)
    const complete = await this.#complete(tx, judged.rows, judged.known)
    await storeRows(tx, [...complete.values()])
    for (const { row, verdict } of judged.rows)
      if ('overwrites' in verdict) await overwriteLink(tx, verdict.overwrites, row)
    const stored: Tagged[] = judged.rows.flatMap(({ row, verdict }) => {
      const shown = 'overwrites' in verdict ? { ...row, primary: verdict.overwrites } : complete.get(row)
      return shown ? [shown] : []
    })
    const { bundlesFromTags, now } = this.#options
    return {
      slugs: [...complete.values()].flatMap(slugsOf),
      bundles: bundlesFromTags ? await bundleByTags(tx, this.#target, stored, now) : 0,
      outcomes: judged.all.map((each) =>
        'problem' in each
          ? { line: each.line, result: 'bad', reason: each.problem }
          : outcomeOf(each, complete.get(each.row)),
      ),
    }
  }

  async #judge(tx: Transaction<Tables>, batch: readonly ReadRow[]) {
    const { database, dryRun, policy = strict } = this.#options
    const rows = batch.flatMap((read) => ('value' in read ? [read.value] : []))
    const known: Known = { urlOf: new Map(), ownerOf: new Map(), links: new Set() }
    // What a dry run has stored is the newer.
    if (dryRun) await lookUp({ db: database.read, dialect: database.dialect }, rows, known, policy)
    await lookUp({ db: tx, dialect: this.#target.dialect }, rows, known, policy)
    const all = batch.map((read) => {
      if ('problem' in read) return read
      const row = policy.onConflict === 'rename' ? renameTaken(read.value, known) : read.value
      return { line: read.line, row, verdict: judge(row, known, policy) }
    })
    return { all, rows: all.filter((each) => 'row' in each), known }
  }

  /** The rows to be stored, each with its automatic slug. */
  async #complete(
    tx: Transaction<Tables>,
    judged: readonly Judged[],
    known: Known,
  ): Promise<Map<ImportRow, CompleteRow>> {
    const kept = judged.flatMap(({ row, verdict }) =>
      'auto' in verdict ? [{ row, auto: verdict.auto }] : [],
    )
    const lacking = kept.filter(({ auto }) => auto === null).map(({ row }) => row)
    const shownLength = lacking.some(({ primary }) => primary === null) ? await this.#shownLength(tx) : 0
    const fresh = await freshSlugs(
      { db: tx, dialect: this.#target.dialect },
      lacking.map(({ primary }) => (primary === null ? shownLength : HIDDEN_LENGTH)),
      known.urlOf,
    )
    const freshOf = new Map(lacking.map((row, at) => [row, fresh[at] ?? '']))
    return new Map(
      kept.map(({ row, auto }) => {
        const made = { slug: freshOf.get(row) ?? '', createdAt: row.createdAt, disabledAt: null }
        return [row, { ...row, auto: auto ?? made }]
      }),
    )
  }

  async #shownLength(tx: Transaction<Tables>): Promise<number> {
    const { database, owner } = this.#options
    const { slug_default_length: preferred } = await findPreferences(database.read, owner)
    return this.#lengthUse.firstRoomy(tx, preferred)
  }
}

interface Judged {
  line: number
  row: ImportRow
  verdict: Verdict
}

function outcomeOf({ line, row, verdict }: Judged, stored: CompleteRow | undefined): RowOutcome {
  const { result } = verdict
  const reasons = [result === 'imported' ? row.note : undefined, verdict.reason].filter(Boolean)
  const slug = stored ? primaryOf(stored) : row.key
  return {
    line,
    result,
    ...(slug === null ? {} : { slug }),
    url: row.url,
    ...(reasons.length === 0 ? {} : { reason: reasons.join('; ') }),
  }
}
