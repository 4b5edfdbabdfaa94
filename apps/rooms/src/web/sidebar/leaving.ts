import { useSyncExternalStore } from 'react'

/** Rooms that the user is leaving, while they can undo it. */
let leaving: ReadonlySet<string> = new Set()
const watchers = new Set<() => void>()

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => void watchers.delete(watcher)
}

/** Takes a room out of the lists of this tab, or puts it back. */
export function setLeaving(roomId: string, isLeaving: boolean): void {
  const next = new Set(leaving)
  if (isLeaving) next.add(roomId)
  else next.delete(roomId)
  leaving = next
  for (const watcher of watchers) watcher()
}

export const useLeaving = (): ReadonlySet<string> => useSyncExternalStore(watch, () => leaving)
