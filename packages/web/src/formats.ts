const numbers = new Map<string, Intl.NumberFormat>()
const moments = new Map<string, Intl.DateTimeFormat>()

/**
 * Returns a cached formatter: formatters are slow to create, and a page may show thousands of
 * times.
 */
export function numberFormat(language: string, options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  return cachedFormat(
    numbers,
    `${language} ${JSON.stringify(options)}`,
    () => new Intl.NumberFormat(language, options),
  )
}

/** Dates and times as in the browser's region, if its language is that of the interface. */
export function momentFormat(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return cachedFormat(
    moments,
    `${language} ${JSON.stringify(options)}`,
    () => new Intl.DateTimeFormat(withRegion(language, navigator.languages), options),
  )
}

/**
 * Adds the region of the first of the browser's languages that is `language`, such as `en-GB` for
 * `en`. Returns `language` itself if there is none.
 */
export function withRegion(language: string, browserLanguages: readonly string[]): string {
  return browserLanguages.find((tag) => tag.split('-', 1)[0] === language) ?? language
}

function cachedFormat<Format>(formats: Map<string, Format>, key: string, create: () => Format): Format {
  const format = formats.get(key) ?? create()
  formats.set(key, format)
  return format
}
