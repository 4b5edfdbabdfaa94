/** Names countries by their ISO code in a language; a code that is none (`T1`, `XX`) stays as it is. */
export function countryNames(language: string): (code: string) => string {
  const names = new Intl.DisplayNames(language, { type: 'region' })
  return (code) => {
    try {
      return (code === 'XX' ? undefined : names.of(code)) ?? code
    } catch {
      return code
    }
  }
}
