import { type Visit, holds } from './conditions.ts'
import { forwardQuery } from './forward-query.ts'
import { fillParameters } from './parameters.ts'
import type { Program, Split } from './program.ts'

/** The data of a redirect by an enabled slug of an enabled link. */
export interface Destination {
  linkId: number
  /** The value of the `Location` header. */
  location: string
  /** Unix seconds; null never expires. */
  expiresAt: number | null
  /** Null for a link without behaviour. */
  program: Program | null
  /** Set for a legacy path: the key of the slug for which its clicks count. */
  primarySlug?: string
}

/** Where a link leads a visitor. */
export interface Choice {
  location: string
  /**
   * Null for the link's own URL, else the number of the rule and of its part, such as `2` or `2.1`.
   * `0.1` is the first part of the split without a rule.
   */
  variant: string | null
}

/** A link that leads to none of its destinations now, and the URL to which it leads instead, if any. */
export interface ClosedReason {
  outcome: 'early' | 'expired' | 'used_up'
  /** Unix seconds of the moment at which this begins or ends; null if there is none. */
  at: number | null
  fallback: string | null
}

/** The first check that keeps visitors out at this moment; undefined for an open link. */
export function findClosedReason({ expiresAt, program }: Destination, now: number): ClosedReason | undefined {
  const starts = program?.starts
  if (starts && now < starts[0]) return { outcome: 'early', at: starts[0], fallback: starts[1] }
  if (expiresAt !== null && expiresAt <= now)
    return { outcome: 'expired', at: expiresAt, fallback: program?.after ?? null }
  return undefined
}

/** The state of a link whose visitors have used it up. */
export function limitReached({ program }: Destination): ClosedReason {
  return { outcome: 'used_up', at: null, fallback: program?.after ?? null }
}

/** Where an open link leads for this visit: by its rules, else by its split, else to its own URL. */
export function chooseLocation({ linkId, location, program }: Destination, visit: Visit): Choice {
  if (program === null) return { location, variant: null }
  const choice = chooseByRules(program, linkId, visit) ?? { location, variant: null }
  const { forward, parameters } = program
  if (forward === undefined && parameters === undefined) return choice
  const target = parameters ? fillParameters(choice.location, visit.parameters) : choice.location
  return { ...choice, location: forward ? forwardQuery(target, visit.query, forward) : target }
}

function chooseByRules({ rules = [], split }: Program, linkId: number, visit: Visit): Choice | undefined {
  const index = rules.findIndex(({ when }) => when.every((condition) => holds(condition, visit)))
  const to = rules[index]?.to ?? split
  if (to === undefined) return undefined
  const rule = index + 1
  if (typeof to === 'string') return { location: to, variant: `${rule}` }
  const part = choosePart(to, linkId, visit)
  return { location: to.parts[part]?.[1] ?? '', variant: `${rule}.${part + 1}` }
}

/** The part of a split, by weight. A visitor stays with a part for the day, without a cookie. */
function choosePart({ by, parts }: Split, linkId: number, visit: Visit): number {
  const total = parts.reduce((sum, [weight]) => sum + weight, 0)
  const visitor = by === 'day' ? visit.visitorFp() : null
  let left =
    visitor === null
      ? Math.floor(visit.random() * total)
      : Number(Bun.hash.xxHash64(`${linkId} ${visitor}`) % BigInt(total))
  return parts.findIndex(([weight]) => (left -= weight) < 0)
}
