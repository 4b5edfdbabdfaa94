import { type Range, ranges } from '../../time/ranges.ts'

const DAY_SECONDS = 86_400

interface Window {
  /** Null for a custom window. */
  range: Range | null
  /** Unix seconds, both inclusive. The window of all time begins with the first click. */
  from: number
  to: number
}

/** Number of days for an average, at least 1. Of all time, only whole days since the first click count. */
export function countDays({ range, from, to }: Window): number {
  const days = (range && ranges[range].seconds) ?? to - from + 1
  return Math.max(1, range === 'all' ? Math.floor(days / DAY_SECONDS) : days / DAY_SECONDS)
}

/** Formats 0 as `0`, below 1 with two decimals, below 10 with one, else without (L18.5). */
export function formatAverage(value: number, language: string): string {
  const digits = value === 0 || value >= 10 ? 0 : value < 1 ? 2 : 1
  return new Intl.NumberFormat(language, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(value)
}
