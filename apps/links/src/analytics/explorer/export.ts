import { csvHeader, csvRecord } from '@latchkey/http/csv'
import type { AnalyticsBreakdown } from './schema.ts'

/** Returns a breakdown as CSV: values, links or bundles with their clicks. */
export function breakdownCsv({ items }: AnalyticsBreakdown, dimension: string): string {
  if (dimension === 'link') return csvOf(['slug', 'label', 'url', 'clicks'], items, linkCells)
  return csvOf([dimension, 'clicks'], items, (item) => ['label' in item ? item.label : item.name, item.count])
}

type Item = AnalyticsBreakdown['items'][number]
type Cells = (string | number | null)[]

const linkCells = (item: Item): Cells =>
  'url' in item ? [item.slug, item.label, item.url, item.count] : [item.name, item.count]

function csvOf(columns: readonly string[], items: readonly Item[], cellsOf: (item: Item) => Cells): string {
  return [csvHeader(columns), ...items.map((item) => csvRecord(cellsOf(item)))].join('')
}
