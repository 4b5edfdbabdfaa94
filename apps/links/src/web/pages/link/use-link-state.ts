import { useEffect, useState } from 'react'
import type { Link } from './link.ts'

export type State = 'active' | 'disabled' | 'expired'

/** Longest delay of `setTimeout`. */
const MAX_WAIT_MS = 2 ** 31 - 1

/** Current state of the link (L7). The component re-renders when the link expires. */
export function useLinkState({ disabled_at, expires_at }: Link): State {
  const [now, setNow] = useState(Date.now)
  const isExpired = expires_at !== null && expires_at * 1000 <= Date.now()
  useEffect(() => {
    if (expires_at === null || isExpired) return undefined
    const timer = setTimeout(() => setNow(Date.now()), Math.min(expires_at * 1000 - Date.now(), MAX_WAIT_MS))
    return () => clearTimeout(timer)
  }, [expires_at, isExpired, now])
  if (disabled_at !== null) return 'disabled'
  return isExpired ? 'expired' : 'active'
}
