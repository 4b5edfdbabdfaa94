import { locationOf } from '../../urls/location.ts'
import type { Condition, Program, Split } from './program.ts'
import { type BehaviourDocument, CONDITION_NAMES, type NewBehaviour } from './schema.ts'

type Rule = NonNullable<NewBehaviour['rules']>[number]
type When = Rule['when']
type Parts = NonNullable<NewBehaviour['split']>

/** Each index page of a redirect holds the program, so it stays small. In bytes. */
export const MAX_PROGRAM = 4_096

/** Compiles a behaviour to the text in the link's row; null if it has nothing to say. */
export function compile(document: BehaviourDocument, hasPassword: boolean): string | null {
  const { rules, split, starts_at: startsAt, before_url: before, after_url: after } = document
  const {
    max_clicks: maxClicks,
    confirm_visit: confirm,
    forward_query: forward = 'none',
    sticky,
    parameters,
  } = document
  const program: Program = {
    ...(hasPassword && { password: true }),
    ...(startsAt !== undefined && {
      starts: [startsAt, before === undefined ? null : toLocation(before)],
    }),
    ...(after !== undefined && { after: toLocation(after) }),
    ...(maxClicks !== undefined && { limit: true }),
    ...(confirm && { confirm }),
    ...(rules && { rules: rules.map(compileRule) }),
    ...(split && { split: compileSplit(split, sticky) }),
    ...(forward !== 'none' && { forward }),
    ...(parameters && { parameters }),
  }
  return Object.keys(program).length === 0 ? null : JSON.stringify(program)
}

function compileRule({ when, to }: Rule) {
  return {
    when: CONDITION_NAMES.flatMap((name) => [
      ...compileCondition(name, when[name], false),
      ...compileCondition(name, when[`not_${name}`], true),
    ]),
    to: typeof to === 'string' ? toLocation(to) : compileSplit(to.split, to.sticky),
  }
}

function compileCondition<Name extends keyof When>(
  name: Name,
  value: When[Name],
  isNegated: boolean,
): Condition[] {
  if (value === undefined) return []
  const test = [name, name === 'hours' ? compileHours(value as NonNullable<When['hours']>) : value]
  return [(isNegated ? [...test, true] : test) as Condition]
}

function compileHours({ days, from, to, tz }: NonNullable<When['hours']>) {
  return { ...(days && { days }), from: minuteOf(from), to: minuteOf(to), tz }
}

function minuteOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
}

function compileSplit(parts: Parts, sticky: 'day' | 'visit' = 'day'): Split {
  return { by: sticky, parts: parts.map(({ url, weight }) => [weight, toLocation(url)]) }
}

function toLocation(url: string): string {
  return locationOf(url) ?? url
}
