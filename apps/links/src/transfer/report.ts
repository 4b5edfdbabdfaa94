import type { ParsedRow } from './formats.ts'
import type { CodedReason, Reason } from './reason.ts'

export interface RowOutcome {
  line: number
  result: 'imported' | 'skipped' | 'conflict' | 'bad'
  /** The primary slug of the link, with its host off the default domain; missing for bad rows. */
  slug?: string
  /** The first code of the row that is a legacy path. */
  legacy_path?: string
  url?: string
  /** Reasons for the result; for an imported row, the differences between the link and the file. */
  reasons?: CodedReason[]
  /** The reasons in English. */
  reason?: string
}

export interface ImportReport {
  imported: number
  skipped: number
  conflicts: number
  bad: number
  /**
   * Clicks that the file gives only as totals, which cannot be imported; null without such a
   * column.
   */
  clickTotals: number | null
  /** Number of bundles that were created from tags. */
  bundles: number
  /** Imported rows with a legacy path. */
  legacyPaths: number
  /** Imported rows with each note, by the code of the note. */
  notes: Record<string, number>
  /** Short URLs of the file that differ from another one only in case. */
  caseConflicts: CaseConflicts
}

export interface CaseConflicts {
  count: number
  /** The first conflicts. */
  first: CaseConflict[]
}

interface CaseConflict {
  line: number
  /** The slug as the file spells it. */
  slug: string
  /** The slug that answers its visitors. */
  other_slug: string
  /** Where its visitors land. */
  url: string
}

const MAX_CASE_CONFLICTS = 1_000

export function newReport(): ImportReport {
  return {
    imported: 0,
    skipped: 0,
    conflicts: 0,
    bad: 0,
    clickTotals: null,
    bundles: 0,
    legacyPaths: 0,
    notes: {},
    caseConflicts: { count: 0, first: [] },
  }
}

export function addClickTotals(report: ImportReport, batch: readonly ParsedRow[]): void {
  for (const { clicks } of batch)
    if (clicks !== undefined) report.clickTotals = (report.clickTotals ?? 0) + clicks
}

const reportFields = { imported: 'imported', skipped: 'skipped', conflict: 'conflicts', bad: 'bad' } as const

export function addOutcome(
  report: ImportReport,
  { line, result, reasons = [], legacy_path: legacyPath }: RowOutcome,
): void {
  report[reportFields[result]]++
  if (result === 'imported' && legacyPath !== undefined) report.legacyPaths++
  if (result === 'imported')
    for (const code of new Set(reasons.map((reason) => reason.code)))
      report.notes[code] = (report.notes[code] ?? 0) + 1
  const { caseConflicts } = report
  for (const { code, slug = '', other_slug = '', url = '' } of reasons) {
    if (code !== 'slug_case') continue
    caseConflicts.count++
    if (caseConflicts.first.length < MAX_CASE_CONFLICTS)
      caseConflicts.first.push({ line, slug, other_slug, url })
  }
}

export function reasonFields(reasons: readonly Reason[]): Pick<RowOutcome, 'reason' | 'reasons'> {
  if (reasons.length === 0) return {}
  return {
    reason: reasons.map(({ text }) => text).join('; '),
    reasons: reasons.map(({ text: _, ...coded }) => coded),
  }
}
