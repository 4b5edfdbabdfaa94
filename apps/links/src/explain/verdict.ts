import { classifyClick, isClassified } from '../clicks/click.ts'
import { type Choice, type Closed, chooseLocation, usedUp } from '../links/behaviour/evaluate.ts'
import {
  type CountingOptions,
  type Passage,
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
  hasPlaces: boolean
  notFoundUrl: string | null
  /** The status of redirects in the settings. */
  status: number
}

/**
 * Answers a visit as the redirect does, but counts nothing and uses nothing up. The password of a
 * posted form is taken to be right.
 */
export function reachVerdict(passage: Passage, circumstances: Circumstances): Verdict {
  const { destination, visit } = passage
  if (circumstances.isDisabled)
    return visit.method === 'POST' ? METHOD : leadBack('disabled', null, { passage, circumstances })
  const hasEntered = visit.method === 'POST' && destination.program?.password === true
  const gate = findGate(passage, hasEntered)
  if (typeof gate === 'object') return closed(gate, { passage, circumstances })
  if (['limit', 'confirm', 'preview'].includes(gate) && !circumstances.hasPlaces)
    return closed(usedUp(destination), { passage, circumstances })
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
      return open(passage, circumstances)
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

function open(passage: Passage, circumstances: Circumstances): Verdict {
  const { destination, visit } = passage
  const choice = chooseLocation(destination, visit)
  return {
    outcome: 'open',
    status: redirectStatus(destination, visit.method, circumstances.status),
    ...choice,
    visitClass: visit.previewKind ?? classOfClick(passage, choice, circumstances),
  }
}

function classOfClick(
  passage: Passage,
  choice: Choice,
  circumstances: Circumstances,
): 'human' | 'bot' | 'self' {
  const click = clickOf(passage, choice, circumstances)
  const { isBot, isSelfReferrer } = isClassified(click) ? click : classifyClick(click)
  if (isBot) return 'bot'
  return isSelfReferrer ? 'self' : 'human'
}

interface Situation {
  passage: Passage
  circumstances: Circumstances
}

function closed({ outcome, fallback }: Closed, situation: Situation): Verdict {
  return leadBack(outcome, fallback, situation)
}

function leadBack(
  outcome: Closed['outcome'] | 'disabled',
  fallback: string | null,
  { passage, circumstances }: Situation,
): Verdict {
  if (fallback === null && isUnknownForm(passage)) return { ...METHOD, outcome, visitClass: outcome }
  const location = fallback ?? circumstances.notFoundUrl
  const status = location === null ? 404 : temporaryStatus(passage.visit.method, circumstances.status)
  return { outcome, status, location, variant: null, visitClass: outcome }
}
