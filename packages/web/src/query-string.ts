import { useLocation } from 'wouter'
import { useSearch } from 'wouter/use-browser-location'

/**
 * The page's state in its query string. Defaults and empty values are left out. Each change is a
 * step in the history, except with `isTyping`: the letters of a search are not steps.
 */
export function useQueryString<Names extends string>(defaults: Readonly<Record<Names, string>>) {
  // The raw query string: wouter's other `useSearch` decodes it, and typed text must not be decoded
  // twice.
  const current = new URLSearchParams(useSearch())
  const [path, go] = useLocation()
  const values: Record<Names, string> = { ...defaults }
  for (const name of Object.keys(defaults) as Names[]) values[name] = current.get(name) ?? defaults[name]
  const set = (changes: Partial<Record<Names, string>>, { isTyping = false } = {}) => {
    const next = new URLSearchParams()
    for (const [name, value] of Object.entries<string>({ ...values, ...changes }))
      if (value !== defaults[name as Names]) next.set(name, value)
    const isSame = `${next}` === `${current}`
    go(next.size === 0 ? path : `${path}?${next}`, { replace: isTyping || isSame })
  }
  return [values, set] as const
}
