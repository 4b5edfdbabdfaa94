import { useState } from 'react'

/** What is typed into fields. When something else is shown, as by a link, they take that over, and the focus stays. */
export function useFieldText<Shown>(shown: Shown) {
  const [typed, setTyped] = useState(shown)
  const now = JSON.stringify(shown)
  const [before, setBefore] = useState(now)
  if (now !== before) {
    setBefore(now)
    setTyped(shown)
  }
  return [typed, setTyped] as const
}
