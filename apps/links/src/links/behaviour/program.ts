/**
 * The compiled behaviour of a link, as the redirect reads it from the link's row. URLs are values
 * of the `Location` header already.
 */
export interface Program {
  /** A visitor must enter the password first. */
  password?: true
  /** Unix seconds, and the destination before them; without one, the link does not exist yet. */
  starts?: [at: number, before: string | null]
  /** The destination of an expired or used-up link. */
  after?: string
  /** Visitors are counted, up to a maximum. */
  limit?: true
  /** A visitor of a link with a limit must press a button first. */
  confirm?: true
  rules?: Rule[]
  split?: Split
  forward?: 'utm' | 'all'
  /** What follows the slug fills the destination. */
  parameters?: true
}

interface Rule {
  when: Condition[]
  to: string | Split
}

export interface Split {
  by: 'day' | 'visit'
  parts: [weight: number, location: string][]
}

/** A condition, negated with a third element. */
export type Condition = [...Test, not?: true]

type Test =
  | [name: 'device' | 'os' | 'browser' | 'country' | 'language' | 'referrer_host', values: string[]]
  | [name: 'query', values: { name: string; is?: string }[]]
  | [name: 'after' | 'before', at: number]
  | [name: 'hours', hours: Hours]

export interface Hours {
  /** ISO days, on which the hours begin; without them, every day. */
  days?: number[]
  /** Minutes of the day. Hours that end at or before their start end on the next day. */
  from: number
  to: number
  tz: string
}

/** What a link may have besides its URL, as the list of links shows it. */
export const behaviourParts = [
  'rules',
  'split',
  'start',
  'limit',
  'password',
  'fallback',
  'query',
  'parameters',
] as const
export type BehaviourPart = (typeof behaviourParts)[number]

/** The parts that a program has. */
export function partsOfProgram({
  rules,
  split,
  starts,
  limit,
  password,
  after,
  forward,
  parameters,
}: Program): BehaviourPart[] {
  const has = { rules, split, start: starts, limit, password, fallback: after, query: forward, parameters }
  return behaviourParts.filter((part) => has[part] !== undefined)
}

/** A program takes up to 4 KB as text, and about three times that as an object. */
const MAX_PROGRAMS = 2_000
const programs = new Map<string, Program>()

/**
 * Parses the text of a program once. Nothing is ever invalidated: a changed behaviour is another
 * text.
 */
export function parseProgram(text: string): Program {
  const existing = programs.get(text)
  if (existing) return existing
  const program = JSON.parse(text) as Program
  const [oldest] = programs.keys()
  if (oldest !== undefined && programs.size >= MAX_PROGRAMS) programs.delete(oldest)
  programs.set(text, program)
  return program
}
