import { getTimeZone, momentFormat } from '@latchkey/web/formats'
import { useValueNames } from '../../analytics/value-names.ts'
import { dayAndTime } from '../time-zone.ts'
import { type Translate, useText } from '../../texts/text.ts'
import type { Behaviour, NewBehaviour, When } from './types.ts'
import { toQueryText } from './conditions.ts'

interface Words {
  t: Translate
  language: string
  nameOf: ReturnType<typeof useValueNames>
  /** A destination within a sentence. */
  urlName: (url: string) => string
}

/** Sentences about a behaviour, in the user's language. */
export function useSentences({ urlName = (url: string) => url } = {}) {
  const { t, language } = useText()
  const words: Words = { t, language, nameOf: useValueNames(), urlName }
  return {
    conditions: (when: When) => describeConditions(when, words),
    times: (times: Times) => describeTimes(times, words),
  }
}

const AGENTS = ['device', 'os', 'browser'] as const
const OTHERS = ['country', 'language', 'referrer_host', 'query', 'after', 'before', 'hours'] as const

/** "iPhone or iPad in Sweden": who a rule is for. */
export function describeConditions(when: When, words: Words): string {
  const { t } = words
  const agents = AGENTS.flatMap((name) => when[name] && anyOf(agentNames(name, when[name], words), words))
  const subject = agents.filter(Boolean).join(', ') || t('behaviour.visitors')
  const details = [
    ...AGENTS.flatMap((name) => {
      const values = when[`not_${name}`]
      return values
        ? t(`behaviour.not.${name}`, { values: anyOf(agentNames(name, values, words), words) })
        : []
    }),
    ...OTHERS.flatMap((name) => {
      const [value, notValue] = [when[name], when[`not_${name}`]]
      return [
        ...(value === undefined ? [] : [t(`behaviour.is.${name}`, { values: valueText(name, when, words) })]),
        ...(notValue === undefined
          ? []
          : [t(`behaviour.not.${name}`, { values: valueText(`not_${name}`, when, words) })]),
      ]
    }),
  ]
  return [subject, details.join(', ')].filter(Boolean).join(' ')
}

function agentNames(name: (typeof AGENTS)[number], values: readonly string[], { nameOf }: Words): string[] {
  return values.flatMap((value) => (value === 'ios' ? ['iPhone', 'iPad'] : nameOf(name, value)))
}

function anyOf(values: readonly string[], { language }: Words): string {
  return new Intl.ListFormat(language, { type: 'disjunction' }).format(values)
}

function valueText(field: keyof When, when: When, words: Words): string {
  const name = field.replace(/^not_/, '')
  if (name === 'hours') return hoursText(when[field as 'hours'], words)
  if (name === 'after' || name === 'before') return momentName(when[field as 'after'] ?? 0, words.language)
  if (name === 'query')
    return anyOf(
      (when[field as 'query'] ?? []).map((condition) => toQueryText([condition])),
      words,
    )
  const values = when[field as 'language'] ?? []
  if (name === 'country')
    return anyOf(
      values.map((code) => words.nameOf('country', code)),
      words,
    )
  if (name === 'language') return anyOf(values.map(languageNames(words.language)), words)
  return anyOf(values, words)
}

/** Names of languages by tag, in a language. */
export function languageNames(language: string): (tag: string) => string {
  const names = new Intl.DisplayNames(language, { type: 'language' })
  return (tag) => {
    try {
      return names.of(tag) ?? tag
    } catch {
      return tag
    }
  }
}

/** Short names of the days of the week, Monday first. */
export function dayNames(language: string): string[] {
  const format = new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' })
  // 1 January 2024 was a Monday.
  return Array.from({ length: 7 }, (_, index) => format.format(Date.UTC(2024, 0, 1 + index)))
}

/** "Mon–Fri 09:00–17:00", with the time zone if it is not that of the page. */
function hoursText(hours: When['hours'], { language }: Words): string {
  if (!hours) return ''
  const { days = [], from, to, tz } = hours
  const zone = tz === getTimeZone() ? '' : `(${tz})`
  return [daysText(days, language), `${from}–${to}`, zone].filter(Boolean).join(' ')
}

function daysText(days: readonly number[], language: string): string {
  const names = dayNames(language)
  const runs: number[][] = []
  for (const day of days.toSorted((a, b) => a - b)) {
    const run = runs.at(-1)
    if (run?.at(-1) === day - 1) run.push(day)
    else runs.push([day])
  }
  const nameOf = (day: number | undefined) => names[(day ?? 1) - 1] ?? ''
  return runs
    .flatMap((run) => (run.length > 2 ? `${nameOf(run[0])}–${nameOf(run.at(-1))}` : run.map(nameOf)))
    .join(', ')
}

const WEEK_S = 6 * 86_400

/** A moment in the coming days by the day of the week: "Monday 09:00". */
export function momentName(seconds: number, language: string, now = Date.now() / 1000): string {
  if (seconds < now || seconds > now + WEEK_S) return dayAndTime(seconds, language)
  const day = momentFormat(language, { weekday: 'long' }).format(seconds * 1000)
  return `${day} ${momentFormat(language, { timeStyle: 'short' }).format(seconds * 1000)}`
}

export interface Times extends Pick<
  NewBehaviour,
  'starts_at' | 'before_url' | 'after_url' | 'max_clicks' | 'confirm_visit' | 'password'
> {
  clicks_left?: Behaviour['clicks_left']
  expires_at: number | null
}

/** "From Monday 09:00, 50 visits, then https://…": when a link works. */
export function describeTimes(times: Times, { t, language, urlName }: Words): string {
  const { starts_at, before_url, after_url, max_clicks, confirm_visit, expires_at, password } = times
  const isLimited = max_clicks !== undefined || expires_at !== null
  const parts = [
    starts_at !== undefined && t('behaviour.from', { when: momentName(starts_at, language) }),
    before_url !== undefined && t('behaviour.untilThen', { url: urlName(before_url) }),
    Boolean(password) && t('behaviour.withPassword'),
    max_clicks !== undefined && describeVisits(max_clicks, times.clicks_left, t),
    Boolean(confirm_visit) && t('behaviour.withButton'),
    expires_at !== null && t('behaviour.until', { when: momentName(expires_at, language) }),
    after_url !== undefined && t('behaviour.then', { url: urlName(after_url) }),
    after_url === undefined && isLimited && t('behaviour.thenNotFound'),
  ].filter((part) => part !== false)
  if (parts.length === 0) return t('link.always')
  const [first = '', ...others] = parts
  return [first.charAt(0).toLocaleUpperCase(language) + first.slice(1), ...others].join(', ')
}

function describeVisits(max: number, left: number | undefined, t: Translate): string {
  const visits = t('behaviour.visits', { count: max })
  return left === undefined ? visits : t('behaviour.visitsLeft', { visits, left })
}
