import type { Database } from '@latchkey/database/database'
import type { Transaction } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { findPreferences } from '../preferences/store.ts'
import { recordWrites } from '../record-changes.ts'
import type { Domain } from '../urls/slug.ts'
import { SlugSpace, generateFreshSlugs } from '../links/slugs/generator.ts'
import { type ParsedRow, readRows } from './formats.ts'
import type { ImportRow } from './import-row.ts'
import { SlugRace } from '../links/insert.ts'

import { RedirectLoopFound, requireFinalDestinations } from './redirect-loops.ts'
import { type TaggedRow, bundleByTags, findBundleIds } from './tags.ts'
import { type ExistingLinks, type RowPlan, STRICT_POLICY, Spellings, planRow, renameTaken } from './plan.ts'
import { PasswordHashes } from './password-hashes.ts'
import {
  type ImportReport,
  type RowOutcome,
  addClickTotals,
  addOutcome,
  newReport,
  reasonFields,
} from './report.ts'
import { DEFAULT_DOMAIN_ONLY } from './row-domain.ts'
import { openScratch } from './scratch.ts'
import {
  type CompleteRow,
  loadExisting,
  overwriteLink,
  primaryOf,
  lockImports,
  slugsOf,
  storeRows,
} from './store.ts'
import type { ImportOptions } from './import-job.ts'

/** Rows per transaction: enough to share its cost, few enough not to delay other writers. */
const ROWS_PER_BATCH = 500
const SLUGS_PER_BATCH = 5_000
/** Factor by which batches shrink while others write to the same file. */
const BACKGROUND_SHARE = 0.2

/**
 * Imports a file of any length, row by row. Good rows are stored, whatever the others contain
 * (L21).
 */
export async function importLinks(options: ImportOptions): Promise<ImportReport> {
  const report = newReport()
  for await (const { outcomes } of importBatches(options, report))
    for (const outcome of outcomes) await options.onRow?.(outcome)
  return report
}

export interface StoredBatch {
  outcomes: RowOutcome[]
  /** Whether the file ends with these rows. */
  isLast: boolean
}

/**
 * Imports batch by batch, and yields each batch once it is stored. Updates `report` with each of
 * them. The import stops when the consumer does.
 */
export async function* importBatches(
  options: ImportOptions,
  report: ImportReport,
): AsyncGenerator<StoredBatch, void> {
  const scratch = options.dryRun ? await openScratch() : undefined
  try {
    const importDatabase = scratch ?? options.database
    const batches = new BatchWriter(options, importDatabase, report)
    const isPaced = options.isBackground === true && importDatabase.dialect === 'sqlite'
    const share = isPaced ? BACKGROUND_SHARE : 1
    const passwords = new PasswordHashes(options.dryRun === true)
    for await (const { rows, isLast } of groupRows(readRows(options, options), share)) {
      const batch = rows.map((row) => passwords.add(row))
      const startedMs = performance.now()
      addClickTotals(report, batch)
      const outcomes = await batches.store(batch)
      for (const outcome of outcomes) addOutcome(report, outcome)
      yield { outcomes, isLast }
      // Leaves as much time to other writers as the batch took.
      if (isPaced && !isLast) await Bun.sleep(performance.now() - startedMs)
    }
  } finally {
    await scratch?.close()
  }
}

interface RowGroup {
  rows: ParsedRow[]
  /** Whether the file ends with these rows. */
  isLast: boolean
}

async function* groupRows(rows: AsyncIterable<ParsedRow>, share: number): AsyncGenerator<RowGroup> {
  let batch: ParsedRow[] = []
  let slugs = 0
  for await (const row of rows) {
    if (batch.length >= ROWS_PER_BATCH * share || slugs >= SLUGS_PER_BATCH * share) {
      yield { rows: batch, isLast: false }
      batch = []
      slugs = 0
    }
    batch.push(row)
    slugs += 'value' in row ? row.value.custom.length + row.value.tags.length + 1 : 0
  }
  if (batch.length > 0) yield { rows: batch, isLast: true }
}

/**
 * Length of automatic slugs beside a slug from the file. They are not displayed, so short ones are
 * left for other links.
 */
const HIDDEN_LENGTH = 10
/**
 * Maximum number of races for slugs. After each one, the slug that another writer took is known.
 */
const MAX_RACES = 20

type ImportDatabase = Pick<Database<Tables>, 'dialect' | 'write'>

class BatchWriter {
  readonly #options: ImportOptions
  readonly #slugSpace = new SlugSpace()
  readonly #spellings = new Spellings()
  /** Database for the rows. A dry run has its own, in which later rows meet earlier ones. */
  readonly #importDatabase: ImportDatabase
  readonly #report: ImportReport

  constructor(options: ImportOptions, importDatabase: ImportDatabase, report: ImportReport) {
    this.#options = options
    const { owner, now } = options
    this.#importDatabase = recordWrites(importDatabase, { identity: owner, via: 'import', now })
    this.#report = report
  }

  async store(batch: readonly ParsedRow[]): Promise<RowOutcome[]> {
    let rows = batch
    for (let races = 0; ; races++) {
      try {
        const { outcomes, bundles, slugs } = await this.#importDatabase.write((tx) => this.#storeIn(tx, rows))
        this.#report.bundles += bundles
        for (const slug of slugs) this.#recordSlug(slug)
        return outcomes
      } catch (error) {
        if (error instanceof RedirectLoopFound) {
          rows = rows.map((entry) => error.refuse(entry))
          races--
        } else if (!(error instanceof SlugRace) || races >= MAX_RACES) throw error
      }
    }
  }

  #recordSlug(slug: string): void {
    this.#slugSpace.recordSlug(slug)
    if (!this.#options.dryRun) this.#options.onSlug?.(slug)
  }

  async #storeIn(
    tx: Transaction<Tables>,
    batch: readonly ParsedRow[],
  ): Promise<{ outcomes: RowOutcome[]; bundles: number; slugs: string[] }> {
    await lockImports(tx, this.#importDatabase)
    const planned = await this.#planRows(tx, batch)
    const complete = await this.#completeRows(tx, planned.rows, planned.existing)
    await storeRows(tx, [...complete.values()], this.#options.now)
    for (const { row, plan } of planned.rows)
      if ('overwrites' in plan)
        await overwriteLink(
          { db: tx, dialect: this.#importDatabase.dialect },
          plan.overwrites,
          row,
          this.#options.now,
        )
    const { domains = DEFAULT_DOMAIN_ONLY, dryRun = false, database } = this.#options
    const stored = planned.rows.flatMap(({ line, row, plan }) => {
      const storedRow = 'overwrites' in plan ? { ...row, primary: plan.overwrites } : complete.get(row)
      return storedRow ? [{ ...storedRow, line }] : []
    })
    await requireFinalDestinations(
      tx,
      stored.map((row) => ({ ...row, slug: row.primary ?? row.auto?.slug })),
      { dialect: this.#importDatabase.dialect, domains, database, dryRun },
    )
    return {
      slugs: [...complete.values()].flatMap(slugsOf),
      bundles: await this.#bundleByTags(tx, stored),
      outcomes: planned.all.map((each) =>
        'problem' in each
          ? { line: each.line, result: 'bad', ...reasonFields([each.problem]) }
          : outcomeOf(each, complete.get(each.row)),
      ),
    }
  }

  /** Returns the number of bundles that the import creates. */
  async #bundleByTags(tx: Transaction<Tables>, rows: readonly TaggedRow[]): Promise<number> {
    const { bundlesFromTags, dryRun, owner, database } = this.#options
    if (!bundlesFromTags) return 0
    const created = await bundleByTags(tx, this.#importDatabase.dialect, rows, this.#options)
    if (!dryRun || created.length === 0) return created.length
    const existing = await findBundleIds({ db: database.read, dialect: database.dialect }, owner, created)
    return created.length - existing.size
  }

  async #planRows(tx: Transaction<Tables>, batch: readonly ParsedRow[]) {
    const { database, dryRun, policy = STRICT_POLICY } = this.#options
    const rows = batch.flatMap((entry) => ('value' in entry ? [entry.value] : []))
    const existing: ExistingLinks = {
      urlOf: new Map(),
      ownerOf: new Map(),
      links: new Set(),
      spellings: this.#spellings,
    }
    // Rows stored by a dry run are newer and override these.
    if (dryRun) await loadExisting({ db: database.read, dialect: database.dialect }, rows, existing, policy)
    await loadExisting({ db: tx, dialect: this.#importDatabase.dialect }, rows, existing, policy)
    const all = batch.map((entry) => {
      if ('problem' in entry) return entry
      const row = policy.onConflict === 'rename' ? renameTaken(entry.value, existing, policy) : entry.value
      return { line: entry.line, row, plan: planRow(row, existing, policy) }
    })
    return { all, rows: all.filter((row) => 'row' in row), existing }
  }

  /** Returns the rows to store, each with its automatic slug. */
  async #completeRows(
    tx: Transaction<Tables>,
    plannedRows: readonly PlannedRow[],
    existing: ExistingLinks,
  ): Promise<Map<ImportRow, CompleteRow>> {
    const importedRows = plannedRows.flatMap(({ row, plan }) =>
      'auto' in plan ? [{ row, auto: plan.auto }] : [],
    )
    const rowsWithoutAuto = importedRows.filter(({ auto }) => auto === null).map(({ row }) => row)
    const freshAutoSlugs = await generateFreshSlugs(
      { db: tx, dialect: this.#importDatabase.dialect },
      await this.#autoLengths(tx, rowsWithoutAuto),
      existing.urlOf,
    )
    const autoSlugOf = new Map(rowsWithoutAuto.map((row, at) => [row, freshAutoSlugs[at] ?? '']))
    return new Map(
      importedRows.map(({ row, auto }) => {
        const newSlug = { slug: autoSlugOf.get(row) ?? '', createdAt: row.createdAt, disabledAt: null }
        return [row, { ...row, auto: auto ?? newSlug }]
      }),
    )
  }

  async #autoLengths(tx: Transaction<Tables>, rows: readonly ImportRow[]) {
    const lengthOf = new Map<Domain, number>()
    for (const { domain, primary } of rows)
      if (primary === null && !lengthOf.has(domain))
        lengthOf.set(domain, await this.#visibleLength(tx, domain))
    return rows.map(({ domain, primary }) => ({
      domain,
      length: primary === null ? (lengthOf.get(domain) ?? HIDDEN_LENGTH) : HIDDEN_LENGTH,
    }))
  }

  async #visibleLength(tx: Transaction<Tables>, domain: Domain): Promise<number> {
    const { database, owner } = this.#options
    const { slug_default_length: preferred } = await findPreferences(database.read, owner)
    return this.#slugSpace.findLength(tx, domain, preferred)
  }
}

interface PlannedRow {
  line: number
  row: ImportRow
  plan: RowPlan
}

function outcomeOf({ line, row, plan }: PlannedRow, stored: CompleteRow | undefined): RowOutcome {
  const { result } = plan
  const notes = result === 'imported' ? row.notes : row.notes.filter(({ code }) => code === 'slug_case')
  const reasons = [...notes, plan.reason, plan.caseReason].filter((reason) => reason !== undefined)
  const slug = stored ? primaryOf(stored) : row.key
  const [legacyPath] = row.legacyPaths
  return {
    line,
    result,
    ...(slug === null ? {} : { slug }),
    ...(legacyPath && { legacy_path: legacyPath.path }),
    url: row.url,
    ...reasonFields(reasons),
  }
}
