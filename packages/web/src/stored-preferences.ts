/** A cookie, which the server reads before it sends the page. */
const COOKIES = { lang: 'latchkey_lang', scheme: 'latchkey_scheme' } as const

type PreferenceName = keyof typeof COOKIES

const ONE_YEAR_SECONDS = 31_536_000

/**
 * Reads a preference that is stored in the browser, for a client whose server stores none. Null
 * follows the browser.
 */
export function readPreference(preference: PreferenceName, cookies: string = document.cookie): string | null {
  return new RegExp(`(?:^|;\\s*)${COOKIES[preference]}=([a-z]+)`).exec(cookies)?.[1] ?? null
}

/** Stores a preference for the next page, if the browser allows it. Null removes it. */
export function storePreference(preference: PreferenceName, value: string | null): void {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  const maxAge = value === null ? 0 : ONE_YEAR_SECONDS
  document.cookie = `${COOKIES[preference]}=${value ?? ''}; Path=/; Max-Age=${maxAge}; SameSite=Lax${secure}`
}
