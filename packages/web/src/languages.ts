/** Each language by its own name, which its speakers recognise. */
export const LANGUAGES = { en: 'English', sv: 'Svenska', id: 'Bahasa Indonesia' } as const
export type Language = keyof typeof LANGUAGES

export const isLanguage = (value: string | null | undefined): value is Language =>
  Object.hasOwn(LANGUAGES, value ?? '')

/** Renders something once in each language. */
export function inEachLanguage<T>(render: (language: Language) => T): Readonly<Record<Language, T>> {
  const languages = Object.keys(LANGUAGES) as Language[]
  return Object.fromEntries(languages.map((language) => [language, render(language)])) as Record<Language, T>
}

const languageOf = (tag: string) => tag.split('-', 1)[0]?.toLowerCase()

/** Returns the first language among these tags, such as `sv-SE`, or English. */
export function firstLanguage(tags: readonly string[]): Language {
  return tags.map(languageOf).find(isLanguage) ?? 'en'
}

/** Returns the locale for dates and numbers: the first tag of the language, such as `en-GB`. */
export function localeOf(language: Language, tags: readonly string[]): string {
  return tags.find((tag) => languageOf(tag) === language && /^[a-z]{2}(-[a-z]{2})?$/i.test(tag)) ?? language
}

/** More languages than any browser sends. */
const MAX_ACCEPTED = 20

/** Returns the tags of the header `Accept-Language`, the preferred one first. */
export function acceptedLanguages(header: string | null): string[] {
  return (header ?? '')
    .split(',', MAX_ACCEPTED)
    .map((part) => {
      const [tag = '', quality] = part.trim().split(/\s*;\s*q=/)
      return { tag, quality: quality === undefined ? 1 : Number(quality) }
    })
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag)
}
