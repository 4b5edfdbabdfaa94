import { type Range, ranges } from './ranges.ts'

export const DAY = 86_400
export const HOUR = 3_600

/** The start of the UTC hour that contains this moment, in Unix seconds. */
export function hourOf(moment: number): number {
  return moment - (moment % HOUR)
}

/** Both ends inclusive, Unix seconds. */
export interface Window {
  from: number
  to: number
}

/** `now - span <= clicked_at <= now` (L14.1). */
export function currentWindow(range: Range, now: number): Window {
  const { seconds } = ranges[range]
  return { from: seconds === null ? 0 : now - seconds, to: now }
}

/** `[now - 2·span, now - span)`. The range `all` has no previous window. */
export function previousWindow(range: Range, now: number): Window | undefined {
  const { seconds } = ranges[range]
  return seconds === null ? undefined : { from: now - 2 * seconds, to: now - seconds - 1 }
}

/** The window of a range and the previous one, if any. */
export function windowsOf(range: Range, now: number): { current: Window; previous: Window | undefined } {
  return { current: currentWindow(range, now), previous: previousWindow(range, now) }
}

/** A whole percentage, with halves rounded away from zero. */
export function percentage(part: number, whole: number): number {
  const exact = (100 * part) / whole
  return Math.sign(exact) * Math.round(Math.abs(exact)) + 0
}

/**
 * The change against the previous window (L14.2), in a field with this name. Absent without a
 * percentage.
 */
export function delta<Name extends string>(
  name: Name,
  current: number,
  previous: number | undefined,
): Partial<Record<Name, number>> {
  if (previous === undefined || previous === 0) return {}
  return { [name]: percentage(current - previous, previous) } as Partial<Record<Name, number>>
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
