import { createInstance } from 'i18next'
import { initReactI18next, useTranslation } from 'react-i18next'
import { CallError } from './call.ts'
import { momentFormat, numberFormat } from './formats.ts'
import { type SharedTextKey, sharedTexts } from './shared-texts.ts'

/** Each language by its own name, which its speakers recognise. */
export const LANGUAGES = { en: 'English', sv: 'Svenska', id: 'Bahasa Indonesia' } as const
export type Language = keyof typeof LANGUAGES

export const isLanguage = (value: string | null | undefined): value is Language =>
  Object.hasOwn(LANGUAGES, value ?? '')

const languages = Object.keys(LANGUAGES).filter(isLanguage)

/** Flat keys. Plural forms end in `_one` and `_other`. `app.name` is the name of the app. */
export type Texts = Readonly<Record<string, string>> & { readonly 'app.name': string }

/** The keys of the texts of `T`. Plural forms share one key. */
export type TextKey<T> = keyof T extends infer Key
  ? Key extends `${infer Base}_one` | `${infer Base}_other`
    ? Base
    : Key
  : never

export interface Wording {
  /** All texts of the app, except `sharedTexts`. */
  texts: Readonly<Record<Language, Texts>>
  /** The operator's name for the instance. It replaces `app.name` in every language. */
  product?: string | undefined
  /** Returns the key of the text for a refusal. Without one, the server's own text is shown. */
  failureKey: (error: CallError) => string | undefined
}

const i18next = createInstance()
let keyOfFailure: Wording['failureKey'] = () => undefined

/**
 * Returns the language of the person's preferences, else the first supported language of the
 * browser.
 */
function firstLanguage(): Language {
  const wanted = [document.documentElement.lang, ...navigator.languages].map((tag) => tag.split('-')[0])
  return wanted.find(isLanguage) ?? 'en'
}

export async function startTexts({ texts, product, failureKey }: Wording): Promise<void> {
  keyOfFailure = failureKey
  const named = product === undefined ? {} : { 'app.name': product }
  i18next.on('languageChanged', (language) => {
    document.documentElement.lang = language
  })
  const resources = languages.map((language) => [
    language,
    { translation: { ...sharedTexts[language], ...texts[language], ...named } },
  ])
  await i18next.use(initReactI18next).init({
    lng: firstLanguage(),
    fallbackLng: 'en',
    keySeparator: false,
    nsSeparator: false,
    resources: Object.fromEntries(resources),
    // React escapes text itself.
    interpolation: { escapeValue: false },
  })
}

/** Changes the language. Null follows the browser. */
export async function changeLanguage(language: Language | null): Promise<void> {
  if (language === null) document.documentElement.lang = ''
  await i18next.changeLanguage(language ?? firstLanguage())
}

/**
 * Returns the text of a key. Numbers are formatted for the language, and `count` selects the plural
 * form.
 */
export type Translate<Key extends string = SharedTextKey> = (
  key: Key,
  values?: Record<string, string | number>,
) => string

/**
 * Texts, numbers and times in the person's language. The component re-renders when the language
 * changes. An app binds its own keys once: `export const useText = () => useTexts<TextKey<typeof
 * texts.en>>()`.
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
    /** The text of an error: translated if it is known, else the server's own text. */
    failure: (error: unknown) => {
      if (!(error instanceof CallError)) return t('page.error')
      if (error.status === 401) return t('shell.stale')
      if (error.code === 'offline') return t('error.offline')
      const key = keyOfFailure(error)
      return key === undefined ? error.message || t('page.error') : t(key)
    },
  }
}
