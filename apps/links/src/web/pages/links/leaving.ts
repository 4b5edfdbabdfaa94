import { useSyncExternalStore } from 'react'

/** A link by its id; a slug by that and itself. */
type Key = number | `${number} ${string}`

let leaving: ReadonlySet<Key> = new Set()
const listeners = new Set<() => void>()

function set(next: ReadonlySet<Key>) {
  leaving = next
  for (const notify of listeners) notify()
}

function subscribe(notify: () => void) {
  listeners.add(notify)
  return () => listeners.delete(notify)
}

/** Links and slugs that are out of sight while their deletion may still be undone, on whatever page somebody is meanwhile. */
export const useLeaving = () => useSyncExternalStore(subscribe, () => leaving)

export const leave = (keys: readonly Key[]) => set(leaving.union(new Set(keys)))
export const stay = (keys: readonly Key[]) => set(leaving.difference(new Set(keys)))
