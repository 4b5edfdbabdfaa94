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

export function momentFormat(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return cachedFormat(
    moments,
    `${language} ${JSON.stringify(options)}`,
    () => new Intl.DateTimeFormat(language, options),
  )
}

function cachedFormat<Format>(formats: Map<string, Format>, key: string, create: () => Format): Format {
  const format = formats.get(key) ?? create()
  formats.set(key, format)
  return format
}
