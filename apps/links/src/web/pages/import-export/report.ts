import { escapeFormulas } from '../../../transfer/formula.ts'
import type { Row } from './job.ts'

const COLUMNS = ['line', 'result', 'slug', 'url', 'reason'] as const

function cell(value: string | number | undefined): string {
  return `"${escapeFormulas(String(value ?? '')).replaceAll('"', '""')}"`
}

function createReport(rows: readonly Row[]): Blob {
  const lines = rows.map((row) => COLUMNS.map((name) => cell(row[name])).join(','))
  return new Blob([[COLUMNS.join(','), ...lines, ''].join('\r\n')], { type: 'text/csv' })
}

/** Downloads the result of each row as CSV, with the reasons in the words of the server. */
export function downloadReport(rows: readonly Row[]): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(createReport(rows))
  link.download = `import-report-${new Date().toISOString().slice(0, 10)}.csv`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
