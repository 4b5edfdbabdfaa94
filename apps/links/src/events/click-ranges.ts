/** Clicks in an event (L30.1). */
const CLICKS_PER_EVENT = 500

export interface ClickRange {
  first: number
  last: number
}

/** Splits ids of clicks, none of which is missing, into the ranges of events. */
export function clickRanges({ first, last }: ClickRange): ClickRange[] {
  const count = Math.ceil((last - first + 1) / CLICKS_PER_EVENT)
  return Array.from({ length: count }, (_, index) => {
    const start = first + index * CLICKS_PER_EVENT
    return { first: start, last: Math.min(last, start + CLICKS_PER_EVENT - 1) }
  })
}
