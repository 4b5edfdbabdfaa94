import { getTimeZone } from '@latchkey/web/formats'
import { fromField, toField } from '../moment-field.ts'
import type { When } from './types.ts'

/** The conditions in the order in which they are offered. */
export const CONDITION_NAMES = [
  'device',
  'os',
  'browser',
  'country',
  'language',
  'referrer_host',
  'query',
  'hours',
  'after',
  'before',
] as const
export type ConditionName = (typeof CONDITION_NAMES)[number]
export type Hours = NonNullable<When['hours']>

/** A condition in a form. Only the value that its name needs is used. */
export interface Condition {
  name: ConditionName
  isNegated: boolean
  /** Devices, systems, browsers and countries. */
  values: readonly string[]
  /** Languages, hosts and parameters as they are typed, and moments as their fields have them. */
  text: string
  hours: Hours & { days: number[] }
}

const CHOICES: readonly ConditionName[] = ['device', 'os', 'browser', 'country']

export const isChoice = (name: ConditionName): boolean => CHOICES.includes(name)

export const fieldOf = ({ name, isNegated }: Pick<Condition, 'name' | 'isNegated'>) =>
  isNegated ? (`not_${name}` as const) : name

/** A new condition; its twin if the rule has the condition itself. */
export function newCondition(name: ConditionName, others: readonly Condition[] = []): Condition {
  return {
    name,
    isNegated: others.some((other) => other.name === name && !other.isNegated),
    values: [],
    text: '',
    hours: { days: [1, 2, 3, 4, 5], from: '09:00', to: '17:00', tz: getTimeZone() },
  }
}

export const isEmpty = ({ name, values, text }: Condition): boolean =>
  name !== 'hours' && (isChoice(name) ? values.length === 0 : text.trim() === '')

export function toConditions(when: When): Condition[] {
  return CONDITION_NAMES.flatMap((name) =>
    [false, true].flatMap((isNegated) => {
      const value = when[fieldOf({ name, isNegated })]
      return value === undefined ? [] : [{ ...newCondition(name), isNegated, ...toDraft(name, value) }]
    }),
  )
}

function toDraft(name: ConditionName, value: NonNullable<When[keyof When]>): Partial<Condition> {
  if (typeof value === 'number') return { text: toField(value) }
  if (!Array.isArray(value)) return { hours: { ...value, days: value.days ?? [] } }
  if (name === 'query') return { text: toQueryText(value as NonNullable<When['query']>) }
  return isChoice(name) ? { values: value as string[] } : { text: (value as string[]).join(', ') }
}

export function toWhen(conditions: readonly Condition[]): When {
  return Object.fromEntries(conditions.map((condition) => [fieldOf(condition), toValue(condition)]))
}

function toValue({ name, values, text, hours }: Condition): unknown {
  if (name === 'hours') {
    const { days, ...rest } = hours
    return days.length === 0 ? rest : { days: days.toSorted((a, b) => a - b), ...rest }
  }
  if (name === 'after' || name === 'before') return fromField(text)
  if (name === 'query') return fromQueryText(text)
  return isChoice(name) ? values : text.split(/[\s,;]+/).filter(Boolean)
}

/** Parameters as in an address: `source=mail&ref`, where `ref` has any value. */
export function toQueryText(parameters: NonNullable<When['query']>): string {
  return parameters
    .map(({ name, is }) =>
      [name, is]
        .filter((part) => part !== undefined)
        .map(encodeURIComponent)
        .join('='),
    )
    .join('&')
}

export function fromQueryText(text: string): NonNullable<When['query']> {
  const parts = text.trim().replace(/^\?/, '').split('&').filter(Boolean)
  return parts.flatMap((part) => {
    const [parameter] = [...new URLSearchParams(part)]
    if (!parameter) return []
    const [name, is] = parameter
    return part.includes('=') ? { name, is } : { name }
  })
}
