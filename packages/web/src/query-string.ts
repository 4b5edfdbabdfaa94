import { useLocation } from 'wouter'
import { useSearch } from 'wouter/use-browser-location'

/**
 * The page's own state, kept in its query string: what is set to its default, or to nothing, is left out of it. Each change
 * can be gone back from, except `isTyping`: letters of a search are no steps.
 */
export function useQueryString<Names extends string>(defaults: Readonly<Record<Names, string>>) {
  // As it stands in the address: wouter's other `useSearch` decodes it, and what is typed must not be decoded twice.
  const given = new URLSearchParams(useSearch())
  const [path, go] = useLocation()
  const values: Record<Names, string> = { ...defaults }
  for (const name of Object.keys(defaults) as Names[]) values[name] = given.get(name) ?? defaults[name]
  const set = (changes: Partial<Record<Names, string>>, { isTyping = false } = {}) => {
    const next = new URLSearchParams()
    for (const [name, value] of Object.entries<string>({ ...values, ...changes }))
      if (value !== defaults[name as Names]) next.set(name, value)
    const isSame = `${next}` === `${given}`
    go(next.size === 0 ? path : `${path}?${next}`, { replace: isTyping || isSame })
  }
  return [values, set] as const
}
