import type { Explanation } from '@latchkey/links/explain/schema'
import { plain } from './output.ts'

type Step = Explanation['steps'][number]

/** The explanation of a redirect as sentences, one on each line. */
export function formatExplanation(slug: string, explanation: Explanation): string {
  const { outcome, status, location, steps, changes_at: changes } = explanation
  const answer =
    location === null ? `shows ${pageNames[outcome] ?? 'the 404 page'}` : `leads to ${plain(location)}`
  return [
    `/${slug} ${answer} (${status}).`,
    `Counted as ${explanation.counted.as}: ${explanation.counted.because}.`,
    ...steps.map(formatStep).filter((line) => line !== undefined),
    ...(changes.length === 0 ? [] : [`The answer changes at ${changes.map(formatMoment).join(', ')}.`]),
  ].join('\n')
}

const pageNames: Partial<Record<Explanation['outcome'], string>> = {
  locked: 'the form that asks for the password',
  confirm: 'a page with a button',
  preview: 'a page with a button',
  method: 'an error',
}

/** Checks that stop a visit, and those whose success says something. */
const sentences: Record<string, { stop: string; pass?: string }> = {
  method: { stop: 'A form can only be posted to a link with a password or a limit.' },
  slug: { stop: 'The slug is disabled.' },
  disabled_at: { stop: 'The link is disabled.' },
  password: { stop: 'The link asks for its password.', pass: 'The password is taken to be right.' },
  starts_at: { stop: 'The link has not started.', pass: 'The link has started.' },
  expires_at: { stop: 'The link has expired.', pass: 'The link has not expired.' },
  confirm_visit: { stop: 'The link asks for the press of a button.', pass: 'The button is pressed.' },
  visitor: { stop: 'Previews and bots see a button first.' },
}

function formatStep({ check, saw, result }: Step): string | undefined {
  const value = saw === null ? 'unknown' : plain(String(saw))
  if (check === 'max_clicks') return `The link lets ${value} more people through.`
  if (check === 'forward_query')
    return result === 'added' ? `Adds from the query: ${value}.` : 'Adds nothing from the query.'
  if (result === 'chosen') return `${placeOf(check)}: ${value}`
  if (result === 'holds' || result === 'fails') {
    const [, rule = '', , condition = ''] = check.split('.')
    return `Rule ${Number(rule) + 1}: ${condition} ${result} for ${formatSeen(condition, value)}.`
  }
  return sentences[check]?.[result === 'stop' ? 'stop' : 'pass']
}

function formatSeen(condition: string, value: string): string {
  return /^(?:not_)?(?:after|before)$/.test(condition) ? formatMoment(Number(value)) : value
}

/** `rules.0.to.split.1` is part 2 of rule 1. */
function placeOf(check: string): string {
  const rule = /^rules\.(\d+)/.exec(check)?.[1]
  const part = /split\.(\d+)$/.exec(check)?.[1]
  const places = [
    rule === undefined ? undefined : `rule ${Number(rule) + 1}`,
    part === undefined ? undefined : `part ${Number(part) + 1}`,
  ].filter((place) => place !== undefined)
  return places.length === 0 ? `Chosen ${check}` : `Chosen ${places.join(', ')}`
}

function formatMoment(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
}
