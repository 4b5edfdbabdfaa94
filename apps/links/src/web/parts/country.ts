/** Names of countries by ISO code, in a language. Other codes (`T1`, `XX`) are unchanged. */
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
