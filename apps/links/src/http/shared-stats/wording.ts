import { acceptedLanguages, firstLanguage, localeOf } from '@latchkey/web/languages'
import { type SharedStatsTexts, serverTexts } from '../../texts/texts.ts'

/** The words of a page, and the locale of its numbers and dates. */
export interface Wording {
  locale: string
  texts: SharedStatsTexts
}

/**
 * Chooses the first supported language of an `Accept-Language` header, with its region for dates:
 * `en-GB` is English with British dates.
 */
export function chooseWording(acceptLanguage: string | null): Wording {
  const tags = acceptedLanguages(acceptLanguage)
  const language = firstLanguage(tags)
  return { locale: localeOf(language, tags), texts: serverTexts[language].sharedStats }
}
