import type { Destination } from '../links/behaviour/evaluate.ts'
import { zonedTime } from '../links/behaviour/conditions.ts'
import type { Hours } from '../links/behaviour/program.ts'

export const MAX_CHANGES = 10
/** Hours recur forever, and most of their boundaries may change nothing. */
const MAX_MOMENTS = 200
const DAYS_AHEAD = 8

/**
 * The next moments at which the answer differs from the one before, in order. `answerAt` returns a
 * text that is equal for equal answers.
 */
export function findChanges(
  destination: Destination,
  from: number,
  answerAt: (moment: number) => string,
): number[] {
  const changes: number[] = []
  const next = momentsAfter(destination, from)
  let answer = answerAt(from)
  for (let count = 0; count < MAX_MOMENTS && changes.length < MAX_CHANGES; count++) {
    const moment = next()
    if (moment === undefined) break
    const later = answerAt(moment)
    if (later !== answer) changes.push(moment)
    answer = later
  }
  return changes
}

/** Returns the moments on which the link depends, one by one and in order. */
function momentsAfter({ expiresAt, program }: Destination, from: number): () => number | undefined {
  const conditions = program?.rules?.flatMap(({ when }) => when) ?? []
  const fixed = [expiresAt, program?.starts?.[0] ?? null].concat(
    conditions.map((condition) =>
      condition[0] === 'after' || condition[0] === 'before' ? condition[1] : null,
    ),
  )
  const boundaries = [
    ...fixed.map((at) => ({ at: at ?? undefined, next: () => undefined })),
    ...conditions.flatMap((condition) => {
      if (condition[0] !== 'hours') return []
      const [, hours] = condition
      return [{ at: nextBoundary(hours, from), next: (moment: number) => nextBoundary(hours, moment) }]
    }),
  ].filter(({ at }) => at !== undefined && at > from)
  return () => {
    const moment = Math.min(...boundaries.map(({ at }) => at ?? Infinity))
    if (moment === Infinity) return undefined
    for (const boundary of boundaries) if (boundary.at === moment) boundary.at = boundary.next(moment)
    return moment
  }
}

/**
 * The first moment after this one at which the hours may begin or end. Clocks that are put back show
 * a time twice, and clocks that are put forward may skip it.
 */
function nextBoundary({ from, to, tz }: Hours, moment: number): number | undefined {
  const now = zonedTime(tz, moment)
  const moments: number[] = []
  for (let day = 0; day <= DAYS_AHEAD && moments.length === 0; day++) {
    const date = now.toPlainDate().add({ days: day })
    for (const minutes of [from, to])
      for (const disambiguation of ['earlier', 'later'] as const) {
        const time = date.toPlainDateTime().add({ minutes })
        moments.push(Math.floor(time.toZonedDateTime(tz, { disambiguation }).epochMilliseconds / 1000))
      }
    moments.splice(0, moments.length, ...moments.filter((at) => at > moment))
  }
  const change = now.getTimeZoneTransition('next')?.epochMilliseconds
  if (change !== undefined) moments.push(change / 1000)
  return moments.length === 0 ? undefined : Math.min(...moments)
}
