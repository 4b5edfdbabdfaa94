import { holds, observedBy } from '../links/behaviour/conditions.ts'
import type { Condition, Program } from '../links/behaviour/program.ts'
import { fillParameters } from '../links/behaviour/parameters.ts'
import type { RedirectAttempt } from '../redirect/decide.ts'
import type { Verdict } from './verdict.ts'

export const STEP_RESULTS = ['pass', 'stop', 'holds', 'fails', 'chosen', 'added', 'unchanged'] as const

/** One check on the way to the answer, named after the field that it reads. */
export interface Step {
  /** The path of a field, such as `rules.0.when.country`. */
  check: string
  saw: string | number | null
  result: (typeof STEP_RESULTS)[number]
}

/** Properties of the link that its destination does not have. */
export interface TracedLink {
  slug: string
  slugDisabledAt: number | null
  disabledAt: number | null
  clicksLeft: number | undefined
  notFoundUrl: string | null
}

/** The checks of the redirect in their order, up to the one that has decided (L26.1). */
export function trace(attempt: RedirectAttempt, verdict: Verdict, link: TracedLink): Step[] {
  const stop = gateSteps(attempt, verdict, link)
  if (verdict.outcome === 'open') return [...stop, ...choiceSteps(attempt, verdict)]
  return [...stop, ...fallbackSteps(attempt, verdict, link)]
}

function gateSteps({ destination, visit }: RedirectAttempt, { outcome }: Verdict, link: TracedLink): Step[] {
  const { program, expiresAt } = destination
  const isStarted = outcome !== 'early'
  const steps: (Step | false)[] = [
    step('method', visit.method, outcome !== 'method'),
    step('slug', link.slug, link.slugDisabledAt === null),
    step('disabled_at', link.disabledAt, link.disabledAt === null),
    program?.password === true && step('password', visit.method, visit.method === 'POST'),
    program?.starts !== undefined && step('starts_at', visit.now, isStarted),
    expiresAt !== null && step('expires_at', visit.now, outcome !== 'expired'),
    link.clicksLeft !== undefined && step('max_clicks', link.clicksLeft, outcome !== 'used_up'),
    program?.confirm === true && step('confirm_visit', visit.method, outcome !== 'confirm'),
  ]
  const all = steps.filter((check) => check !== false)
  const end = all.findIndex(({ result }) => result === 'stop')
  return end < 0 ? all : all.slice(0, end + 1)
}

function step(check: string, saw: Step['saw'], passes: boolean): Step {
  return { check, saw, result: passes ? 'pass' : 'stop' }
}

/** The URL to which a closed link leads, and the page for visitors who may be no person. */
function fallbackSteps({ destination }: RedirectAttempt, verdict: Verdict, link: TracedLink): Step[] {
  const { outcome, location, visitClass } = verdict
  if (outcome === 'preview') return [{ check: 'visitor', saw: visitClass, result: 'stop' }]
  if (location === null) return []
  const own = outcome === 'early' ? destination.program?.starts?.[1] : destination.program?.after
  const isOwn = outcome !== 'disabled' && own !== undefined && own !== null
  const field = isOwn ? (outcome === 'early' ? 'before_url' : 'after_url') : 'not_found_url'
  return [{ check: field, saw: isOwn ? location : link.notFoundUrl, result: 'chosen' }]
}

function choiceSteps({ destination, visit }: RedirectAttempt, { location, variant }: Verdict): Step[] {
  const { program } = destination
  const rules = program?.rules ?? []
  const [rule = 0, part] = variant?.split('.').map(Number) ?? []
  const tried = rule > 0 ? rules.slice(0, rule) : rules
  const path = rule > 0 ? `rules.${rule - 1}.to` : part === undefined ? 'url' : ''
  const target = targetOf(program, rule, part) ?? destination.location
  const steps: Step[] = tried.flatMap(({ when }, index) => {
    const failing = when.findIndex((condition) => !holds(condition, visit))
    const read = failing < 0 ? when : when.slice(0, failing + 1)
    return read.map((condition) => ({
      check: `rules.${index}.when.${fieldOf(condition)}`,
      saw: observedBy(condition, visit),
      result: holds(condition, visit) ? ('holds' as const) : ('fails' as const),
    }))
  })
  const split = part === undefined ? [] : ['split', `${part - 1}`]
  steps.push({ check: [path, ...split].filter(Boolean).join('.'), saw: target, result: 'chosen' })
  return [...steps, ...passedOnSteps({ program, visit, target, location })]
}

interface PassedOn {
  program: Program | null
  visit: RedirectAttempt['visit']
  /** The destination as it is stored. */
  target: string
  location: string | null
}

const resultOf = (before: string, after: string | null) => (before === after ? 'unchanged' : 'added')

/** What of the short URL becomes a part of the destination. */
function passedOnSteps({ program, visit, target, location }: PassedOn): Step[] {
  const { parameters, forward } = program ?? {}
  const base = parameters ? fillParameters(target, visit.parameters) : target
  const path: Step = { check: 'parameters', saw: visit.parameters.join('/'), result: resultOf(target, base) }
  const query: Step = { check: 'forward_query', saw: visit.query, result: resultOf(base, location) }
  return [...(parameters ? [path] : []), ...(forward ? [query] : [])]
}

function fieldOf([name, , isNegated]: Condition): string {
  return isNegated ? `not_${name}` : name
}

function targetOf(program: Program | null, rule: number, part: number | undefined): string | undefined {
  const to = rule > 0 ? program?.rules?.[rule - 1]?.to : program?.split
  return typeof to === 'object' ? to.parts[(part ?? 0) - 1]?.[1] : to
}
