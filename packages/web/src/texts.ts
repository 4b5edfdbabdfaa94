import { OUTCOME_UNKNOWN } from '@latchkey/http/failure'
import { createInstance } from 'i18next'
import { initReactI18next, useTranslation } from 'react-i18next'
import { CallError } from './call.ts'
import { momentFormat, numberFormat } from './formats.ts'
import { type SharedTextKey, sharedTexts } from './shared-texts.ts'

export const languages = ['en', 'sv', 'id'] as const
export type Language = (typeof languages)[number]

/** Flat keys; plural forms end in `_one` and `_other`. `app.name` is what the app is called. */
export type Texts = Readonly<Record<string, string>> & { readonly 'app.name': string }

/** The keys to show texts of `T` by: plural forms have one. */
export type TextKey<T> = keyof T extends infer Key
  ? Key extends `${infer Base}_one` | `${infer Base}_other`
    ? Base
    : Key
  : never

type Area = Readonly<Record<Language, Readonly<Record<string, string>>>>
type KeysOf<A> = A extends { en: infer Own } ? keyof Own : never

/**
 * The texts of several areas as one map for each language.
 *
 * @example import * as shell from './areas/shell.ts' // exports en, sv and id
 * const texts = together([shell])
 */
export function mergeAreas<A extends Area>(areas: readonly A[]) {
  const every = languages.map((language) => [language, Object.assign({}, ...areas.map((a) => a[language]))])
  return Object.fromEntries(every) as Record<Language, Readonly<Record<KeysOf<A>, string>>>
}

export interface Wording {
  /** Every text of the app; `sharedTexts` are there beside them. */
  texts: Readonly<Record<Language, Texts>>
  /** The key that words a refusal; without one the server's own words are shown. */
  failureKey: (error: CallError) => string | undefined
}

const i18next = createInstance()
let keyOfFailure: Wording['failureKey'] = () => undefined

/** The language of the person's settings, else the first of the browser's that there is. */
function firstLanguage(): Language {
  const wanted = [document.documentElement.lang, ...navigator.languages].map((tag) => tag.split('-')[0])
  return wanted.find((tag): tag is Language => languages.some((known) => known === tag)) ?? 'en'
}

export async function startTexts({ texts, failureKey }: Wording): Promise<void> {
  keyOfFailure = failureKey
  i18next.on('languageChanged', (language) => {
    document.documentElement.lang = language
  })
  const resources = languages.map((language) => [
    language,
    { translation: { ...sharedTexts[language], ...texts[language] } },
  ])
  await i18next.use(initReactI18next).init({
    lng: firstLanguage(),
    fallbackLng: 'en',
    keySeparator: false,
    nsSeparator: false,
    resources: Object.fromEntries(resources),
    // React writes text, never markup.
    interpolation: { escapeValue: false },
  })
}

/** `null` follows the browser again. */
export async function changeLanguage(language: Language | null): Promise<void> {
  if (language === null) document.documentElement.lang = ''
  await i18next.changeLanguage(language ?? firstLanguage())
}

/** Numbers are shown as the language writes them; `count` chooses the plural. */
export type Translate<Key extends string = SharedTextKey> = (
  key: Key,
  values?: Record<string, string | number>,
) => string

/**
 * Texts, figures and moments in the person's language; the component follows a change of it. An app gives it its own
 * keys once: `export const useText = () => useTexts<TextKey<typeof texts.en>>()`.
 */
export function useTexts<Key extends string = SharedTextKey>() {
  const { t, i18n } = useTranslation()
  const number = numberFormat(i18n.language)
  const translate: Translate<Key | SharedTextKey> = (key, values = {}) => {
    const replace = Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'number' ? number.format(value) : value,
    ])
    return t(key as string, { ...values, replace: Object.fromEntries(replace) })
  }
  return {
    t: translate,
    language: i18n.language,
    number: (value: number) => number.format(value),
    day: (at: Date) => momentFormat(i18n.language, { dateStyle: 'medium' }).format(at),
    moment: (at: Date) => momentFormat(i18n.language, { dateStyle: 'full', timeStyle: 'short' }).format(at),
    /** What went wrong, worded here where it is known, else in the server's words. */
    failure: (error: unknown) => {
      if (!(error instanceof CallError)) return t('page.error')
      if (error.status === 401) return t('shell.stale')
      if (error.status === 0 && error.message === 'offline') return t('error.offline')
      if (error.message === OUTCOME_UNKNOWN) return t('error.outcomeUnknown')
      const key = keyOfFailure(error)
      return key === undefined ? error.message || t('page.error') : t(key)
    },
  }
}
