/** The names under which scheme.ts reads them. */
const NAMES = { lang: 'latchkey:lang', scheme: 'latchkey:scheme' } as const

type PreferenceName = keyof typeof NAMES

/** What was chosen in this browser, for a client whose server keeps no settings of the person; null follows the browser. */
export function readPreference(choice: PreferenceName): string | null {
  try {
    return localStorage.getItem(NAMES[choice])
  } catch {
    return null
  }
}

/** Keeps a choice for the next page, where the browser lets us. */
export function storePreference(choice: PreferenceName, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(NAMES[choice])
    else localStorage.setItem(NAMES[choice], value)
  } catch {
    // It holds for this page, then.
  }
}
