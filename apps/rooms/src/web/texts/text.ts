import { DAY_MS } from '@latchkey/http/duration'
import { OUTCOME_UNKNOWN } from '@latchkey/http/failure'
import { momentFormat, numberFormat, relativeTime } from '@latchkey/web/formats'
import { type Translate as TranslateAny, type Wording, hasText, useTexts } from '@latchkey/web/texts'
import type { SharedTextKey } from '@latchkey/web/texts/shared'
import { instance } from '../instance.ts'
import { type OwnKey, texts } from './index.ts'

export type TextKey = OwnKey | SharedTextKey
export type Translate = TranslateAny<TextKey>

export const wording: Wording = {
  texts,
  product: instance.product,
  failureKey({ code, message }) {
    // R15.2 has no code for it.
    if (message === OUTCOME_UNKNOWN) return 'error.outcomeUnknown'
    return code !== undefined && isKey(`error.${code}`) ? `error.${code}` : undefined
  },
}

export function isKey(key: string): key is OwnKey {
  return hasText(key)
}

/** Key of the text for an error code of a failed login. Unknown codes get a general text. */
export function loginErrorKey(code: string): TextKey {
  const key = `loginError.${code}`
  return isKey(key) ? key : 'loginError.unknown'
}

/** Key of the text for a reason why a session ended. Undefined for unknown reasons. */
export function endedKey(reason: string): TextKey | undefined {
  const key = `login.ended.${reason}`
  return isKey(key) ? key : undefined
}

const startOf = (date: Date) => date.setHours(0, 0, 0, 0)

/** "Today" or "Yesterday"; undefined for other days. */
function relativeDay(language: string, at: string): string | undefined {
  // A day is not always 24 hours long.
  const days = Math.round((startOf(new Date()) - startOf(new Date(at))) / DAY_MS)
  if (days < 0 || days > 1) return undefined
  const text = new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(-days, 'day')
  return text.charAt(0).toLocaleUpperCase(language) + text.slice(1)
}

/** Time of day without AM and PM, for narrow places. */
function timeWithoutPeriod(language: string, at: string): string {
  const parts = momentFormat(language, { timeStyle: 'short' }).formatToParts(new Date(at))
  return parts
    .map(({ type, value }) => (type === 'dayPeriod' ? '' : value))
    .join('')
    .trim()
}

const SIZE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** Size of a file, such as "1.5 MB". */
function fileSize(language: string, bytes: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), SIZE_UNITS.length - 1)
  const value = bytes / 1024 ** power
  return numberFormat(language, {
    style: 'unit',
    unit: SIZE_UNITS[power],
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: value < 10 ? 1 : 0,
  }).format(value)
}

/** Length of time, such as "1 hr, 5 min". */
function lengthOfTime(language: string, seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  const parts: [number, string][] =
    seconds < 60
      ? [[seconds, 'second']]
      : [
          [Math.floor(minutes / 60), 'hour'],
          [minutes % 60, 'minute'],
        ]
  const units = parts
    .filter(([value]) => value > 0 || parts.length === 1)
    .map(([value, unit]) =>
      numberFormat(language, { style: 'unit', unit, unitDisplay: 'short' }).format(value),
    )
  return new Intl.ListFormat(language, { style: 'narrow', type: 'unit' }).format(units)
}

/**
 * Texts, numbers and times in the user's language. The component re-renders when the language
 * changes. Times are ISO strings, as in the API.
 */
export function useText() {
  const { day: _day, moment: _moment, ...rest } = useTexts<OwnKey>()
  const format = (options: Intl.DateTimeFormatOptions) => {
    return (at: string) => momentFormat(rest.language, options).format(new Date(at))
  }
  return {
    ...rest,
    day: format({ dateStyle: 'medium' }),
    relativeDay: (at: string) => relativeDay(rest.language, at) ?? format({ dateStyle: 'full' })(at),
    time: format({ timeStyle: 'short' }),
    timeWithoutPeriod: (at: string) => timeWithoutPeriod(rest.language, at),
    moment: format({ dateStyle: 'medium', timeStyle: 'short' }),
    fileSize: (bytes: number) => fileSize(rest.language, bytes),
    list: (names: readonly string[]) => new Intl.ListFormat(rest.language).format(names),
    duration: (seconds: number) => lengthOfTime(rest.language, seconds),
    ago: (at: string) => relativeTime(rest.language, Date.parse(at), Date.now()),
  }
}
