import { useSyncExternalStore } from 'react'

/** Rooms that the user is leaving or hiding, while they can undo it, with their unread messages then. */
let leaving: ReadonlyMap<string, number> = new Map()
const watchers = new Set<() => void>()

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => void watchers.delete(watcher)
}

/** Takes a room with so many unread messages out of the lists of this tab. Undefined puts it back. */
export function setLeaving(roomId: string, unread: number | undefined): void {
  const next = new Map(leaving)
  if (unread === undefined) next.delete(roomId)
  else next.set(roomId, unread)
  leaving = next
  for (const watcher of watchers) watcher()
}

export const useLeaving = (): ReadonlyMap<string, number> => useSyncExternalStore(watch, () => leaving)
