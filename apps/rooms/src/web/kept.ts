import { useState } from 'react'
import { useSession } from './session.ts'

const PREFIX = 'latchkey:'

/**
 * Text that a person is typing, which survives a reload and a new sign-in in this tab (R23.3). It is kept under their id,
 * so that nobody else who signs in here is shown it, and forgotten when they sign out.
 */
export function useKeptText(name: string): readonly [text: string, set: (text: string) => void] {
  const { data } = useSession()
  const key = `${PREFIX}${data?.user.id ?? ''}:${name}`
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '')
  const set = (next: string) => {
    setText(next)
    if (next === '') sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, next)
  }
  return [text, set]
}

/** After a person has signed out on purpose. */
export function forgetKeptTexts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key)
}
