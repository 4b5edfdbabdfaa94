import { type ExplorerDimension, explorerDimensions } from '../../analytics/explorer/dimensions.ts'
import type { Range } from '../../time/ranges.ts'
import { parseRange } from '../parts/range.tsx'

/** A value that clicks must have. An empty value stands for clicks without one. */
export interface Filter {
  dimension: ExplorerDimension
  value: string
}

/** Unix seconds, both inclusive. */
export interface TimeWindow {
  from: number
  to: number
}

export const comparisons = ['previous', 'year', 'none'] as const
export type Comparison = (typeof comparisons)[number]

/** What the statistics of a page show. The address of the page holds it. */
export interface AnalyticsView {
  /** Undefined for the user's default range. */
  range: Range | undefined
  /** A custom window, which replaces the range. */
  window: TimeWindow | undefined
  compare: Comparison
  filters: readonly Filter[]
}

/** Parses the query string of an address. Invalid parts count as missing. */
export function parseView(search: string): AnalyticsView {
  const query = new URLSearchParams(search)
  const compare = query.get('compare')
  return {
    range: parseRange(query.get('range') ?? ''),
    window: parseWindow(query.get('from'), query.get('to')),
    compare: comparisons.find((name) => name === compare) ?? 'previous',
    filters: explorerDimensions.flatMap((dimension) =>
      [...new Set(query.getAll(dimension))]
        .filter((value) => !isId(dimension) || ID.test(value))
        .map((value) => ({ dimension, value })),
    ),
  }
}

/** True for dimensions whose values are ids. */
export const isId = (dimension: ExplorerDimension) => dimension === 'link' || dimension === 'bundle'

const ID = /^\d{1,15}$/

const SECONDS = /^\d{1,11}$/

function parseWindow(from: string | null, to: string | null): TimeWindow | undefined {
  if (from === null || to === null || !SECONDS.test(from) || !SECONDS.test(to)) return undefined
  return Number(from) <= Number(to) ? { from: Number(from), to: Number(to) } : undefined
}

/** Formats a view as a query string without `?`. Defaults are left out. */
export function formatView({ range, window, compare, filters }: AnalyticsView): string {
  const query = new URLSearchParams()
  if (window) {
    query.set('from', String(window.from))
    query.set('to', String(window.to))
  } else if (range) query.set('range', range)
  if (compare !== 'previous') query.set('compare', compare)
  for (const { dimension, value } of filters) query.append(dimension, value)
  return String(query)
}

export const isSameFilter = (a: Filter, b: Filter) => a.dimension === b.dimension && a.value === b.value
