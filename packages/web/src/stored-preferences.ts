/** The keys that scheme.ts reads. */
const NAMES = { lang: 'latchkey:lang', scheme: 'latchkey:scheme' } as const

type PreferenceName = keyof typeof NAMES

/**
 * Reads a preference stored in this browser, for a client whose server stores none. Null follows
 * the browser.
 */
export function readPreference(choice: PreferenceName): string | null {
  try {
    return localStorage.getItem(NAMES[choice])
  } catch {
    return null
  }
}

/** Stores a preference for the next page, if the browser allows it. */
export function storePreference(choice: PreferenceName, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(NAMES[choice])
    else localStorage.setItem(NAMES[choice], value)
  } catch {
    // The preference then applies to this page only.
  }
}
