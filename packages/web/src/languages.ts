/** Each language by its own name, which its speakers recognise. */
export const LANGUAGES = { en: 'English', sv: 'Svenska', id: 'Bahasa Indonesia' } as const
export type Language = keyof typeof LANGUAGES

export const isLanguage = (value: string | null | undefined): value is Language =>
  Object.hasOwn(LANGUAGES, value ?? '')

/** Returns the first language among these tags, such as `sv-SE`, or English. */
export function firstLanguage(tags: readonly string[]): Language {
  return tags.map((tag) => tag.trim().split('-', 1)[0]?.toLowerCase()).find(isLanguage) ?? 'en'
}

/** Splits the header `Accept-Language`, in which browsers list the preferred language first. */
export function acceptedLanguages(header: string | null): string[] {
  return (header ?? '').split(',').map((part) => part.split(';', 1)[0] ?? '')
}
