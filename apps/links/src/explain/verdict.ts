import { classifyClick, isClassified } from '../clicks/click.ts'
import { type Choice, type ClosedReason, chooseLocation, limitReached } from '../links/behaviour/evaluate.ts'
import {
  type CountingOptions,
  type RedirectAttempt,
  clickOf,
  findGate,
  isUnknownForm,
  redirectStatus,
  temporaryStatus,
} from '../redirect/decide.ts'
import type { RequestVisit } from '../redirect/visit.ts'

export const OUTCOMES = [
  'open',
  'early',
  'expired',
  'used_up',
  'disabled',
  'locked',
  'confirm',
  'preview',
  'method',
] as const
export type Outcome = (typeof OUTCOMES)[number]

/** What counts as a click, and every reason why a request is none. */
export const CLASSES = ['human', 'bot', 'self', 'head', 'prefetch', 'own_check', ...OUTCOMES.slice(1)] as [
  VisitClass,
  ...VisitClass[],
]
export type VisitClass =
  | 'human'
  | 'bot'
  | 'self'
  | NonNullable<RequestVisit['previewKind']>
  | Exclude<Outcome, 'open'>

/** The answer to a visit. */
export interface Verdict {
  outcome: Outcome
  status: number
  location: string | null
  variant: string | null
  visitClass: VisitClass
}

/** Conditions of the answer beside the link and the visit. */
export interface Circumstances extends CountingOptions {
  /** The link, or the slug of this visit, is disabled. */
  isDisabled: boolean
  /** True for a link without a limit. */
  hasVisitsLeft: boolean
  notFoundUrl: string | null
  /** The status of redirects in the settings. */
  status: number
}

/**
 * Answers a visit as the redirect does, but counts nothing and uses nothing up. The password of a
 * posted form is taken to be right.
 */
export function reachVerdict(attempt: RedirectAttempt, circumstances: Circumstances): Verdict {
  const { destination, visit } = attempt
  if (circumstances.isDisabled)
    return visit.method === 'POST' ? METHOD : redirectClosed('disabled', null, { attempt, circumstances })
  const hasEntered = visit.method === 'POST' && destination.program?.password === true
  const gate = findGate(attempt, hasEntered)
  if (typeof gate === 'object') return closed(gate, { attempt, circumstances })
  if (['limit', 'confirm', 'preview'].includes(gate) && !circumstances.hasVisitsLeft)
    return closed(limitReached(destination), { attempt, circumstances })
  switch (gate) {
    case 'method':
      return METHOD
    case 'form':
    case 'password':
      return page('locked', 'locked')
    case 'confirm':
    case 'preview':
      return page(gate, visit.previewKind ?? gate)
    default:
      return open(attempt, circumstances)
  }
}

const METHOD: Verdict = {
  outcome: 'method',
  status: 405,
  location: null,
  variant: null,
  visitClass: 'method',
}

function page(outcome: 'locked' | 'confirm' | 'preview', visitClass: VisitClass): Verdict {
  return { outcome, status: 200, location: null, variant: null, visitClass }
}

function open(attempt: RedirectAttempt, circumstances: Circumstances): Verdict {
  const { destination, visit } = attempt
  const choice = chooseLocation(destination, visit)
  return {
    outcome: 'open',
    status: redirectStatus(destination, visit.method, circumstances.status),
    ...choice,
    visitClass: visit.previewKind ?? classOfClick(attempt, choice, circumstances),
  }
}

function classOfClick(
  attempt: RedirectAttempt,
  choice: Choice,
  circumstances: Circumstances,
): 'human' | 'bot' | 'self' {
  const click = clickOf(attempt, choice, circumstances)
  const { isBot, isSelfReferrer } = isClassified(click) ? click : classifyClick(click)
  if (isBot) return 'bot'
  return isSelfReferrer ? 'self' : 'human'
}

interface Situation {
  attempt: RedirectAttempt
  circumstances: Circumstances
}

function closed({ outcome, fallback }: ClosedReason, situation: Situation): Verdict {
  return redirectClosed(outcome, fallback, situation)
}

function redirectClosed(
  outcome: ClosedReason['outcome'] | 'disabled',
  fallback: string | null,
  { attempt, circumstances }: Situation,
): Verdict {
  if (fallback === null && isUnknownForm(attempt)) return { ...METHOD, outcome, visitClass: outcome }
  const location = fallback ?? circumstances.notFoundUrl
  const status = location === null ? 404 : temporaryStatus(attempt.visit.method, circumstances.status)
  return { outcome, status, location, variant: null, visitClass: outcome }
}
