import { csvHeader, csvRecord } from '@latchkey/http/csv'
import { getTimeZone } from '@latchkey/web/formats'
import { dayOf } from '../../analytics/days.ts'
import type { Row } from './job.ts'

const COLUMNS = ['line', 'result', 'slug', 'url', 'reason'] as const

function createReport(rows: readonly Row[]): Blob {
  const records = rows.map((row) => csvRecord(COLUMNS.map((name) => row[name])))
  return new Blob([csvHeader(COLUMNS), ...records], { type: 'text/csv' })
}

/** Downloads the result of each row as CSV, with the reasons in the words of the server. */
export function downloadReport(rows: readonly Row[]): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(createReport(rows))
  link.download = `import-report-${dayOf(Date.now() / 1000, getTimeZone())}.csv`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
