import { useSyncExternalStore } from 'react'

let leaving: ReadonlySet<number> = new Set()
const listeners = new Set<() => void>()

function set(next: ReadonlySet<number>) {
  leaving = next
  for (const notify of listeners) notify()
}

function subscribe(notify: () => void) {
  listeners.add(notify)
  return () => listeners.delete(notify)
}

/** Links that are out of sight while their deletion may still be undone, on whatever page somebody is meanwhile. */
export const useLeaving = () => useSyncExternalStore(subscribe, () => leaving)

export const leave = (ids: readonly number[]) => set(leaving.union(new Set(ids)))
export const stay = (ids: readonly number[]) => set(leaving.difference(new Set(ids)))
