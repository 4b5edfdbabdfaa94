import { createInstance } from 'i18next'
import { initReactI18next, useTranslation } from 'react-i18next'
import { CallError } from '../call.ts'
import { type TextKey, en } from './en.ts'
import { id } from './id.ts'
import { sv } from './sv.ts'

export const languages = ['en', 'sv', 'id'] as const
export type Language = (typeof languages)[number]

const i18next = createInstance()

/** The language of the person's settings, else the first of the browser's that there is. */
function firstLanguage(): Language {
  const wanted = [document.documentElement.lang, ...navigator.languages].map((tag) => tag.split('-')[0])
  return wanted.find((tag): tag is Language => languages.some((known) => known === tag)) ?? 'en'
}

export async function startTexts(): Promise<void> {
  i18next.on('languageChanged', (language) => {
    document.documentElement.lang = language
  })
  await i18next.use(initReactI18next).init({
    lng: firstLanguage(),
    fallbackLng: 'en',
    keySeparator: false,
    nsSeparator: false,
    resources: { en: { translation: en }, sv: { translation: sv }, id: { translation: id } },
    // React writes text, never markup.
    interpolation: { escapeValue: false },
  })
}

/** `null` follows the browser again. */
export async function changeLanguage(language: Language | null): Promise<void> {
  if (language === null) document.documentElement.lang = ''
  await i18next.changeLanguage(language ?? firstLanguage())
}

const FAILURES: Readonly<Record<string, TextKey>> = {
  offline: 'error.offline',
  'Slug already exists': 'error.slugTaken',
  'url must be a valid URL': 'error.urlInvalid',
  'url must use http or https': 'error.urlInvalid',
  'Title is required': 'keys.titleRequired',
  'title: must be at most 120 characters': 'keys.titleLong',
  'Key not found': 'keys.gone',
  'root_redirect_url must be a valid http or https URL': 'settings.rootBad',
  'root_redirect_url: must be at most 2048 characters': 'settings.rootLong',
  'slug_default_length: must be at least 3': 'settings.slugLengthBad',
  'slug_default_length: must be at most 128': 'settings.slugLengthBad',
  'slug_default_length: must be an integer': 'settings.slugLengthBad',
  'the import was cut off': 'transfer.lost',
  'Request body too large': 'transfer.tooLarge',
  'request: the upload broke off; nothing was changed': 'transfer.brokeOff',
  'name is required': 'bundles.nameRequired',
  'name must not be blank': 'bundles.nameRequired',
  'name must be 120 characters or fewer': 'bundles.nameLong',
  'description: must be at most 2000 characters': 'bundles.descriptionLong',
  'icon: must be at most 64 characters': 'bundles.iconLong',
}

export type Say = (key: TextKey, values?: Record<string, string | number>) => string

/** Texts, figures and moments in the person's language; the component follows a change of it. */
export function useText() {
  const { t, i18n } = useTranslation()
  const say: Say = (key, values) => t(key, values ?? {})
  const number = new Intl.NumberFormat(i18n.language)
  return {
    say,
    language: i18n.language,
    number: (value: number) => number.format(value),
    /** Unix seconds. */
    day: (seconds: number) =>
      new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium' }).format(seconds * 1000),
    moment: (seconds: number) =>
      new Intl.DateTimeFormat(i18n.language, { dateStyle: 'full', timeStyle: 'short' }).format(
        seconds * 1000,
      ),
    percent: (value: number) =>
      new Intl.NumberFormat(i18n.language, { style: 'percent', signDisplay: 'exceptZero' }).format(
        value / 100,
      ),
    /** A part of a whole, 0 to 1; what is not nothing is never worded as 0 %. */
    share: (part: number) => {
      const format = new Intl.NumberFormat(i18n.language, { style: 'percent' })
      return part > 0 && part < 0.005 ? `<${format.format(0.01)}` : format.format(part)
    },
    /** What went wrong, worded here where it is known, else in the server's words. */
    failure: (error: unknown) => {
      if (!(error instanceof CallError)) return say('page.error')
      const key = error.status === 401 ? 'shell.stale' : FAILURES[error.message]
      return key ? say(key) : error.message || say('page.error')
    },
  }
}
