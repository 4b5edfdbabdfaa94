import { useSyncExternalStore } from 'react'

/** A part of the drawer in which a room is managed. */
export type ManagedPart = 'members' | 'invitations' | 'bans' | 'settings'

let opened: ManagedPart | null = null
const watchers = new Set<() => void>()

/** Opens the drawer of the room on display at a part, or closes it. */
export function openManage(part: ManagedPart | null): void {
  opened = part
  for (const watcher of watchers) watcher()
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => void watchers.delete(watcher)
}

export const useManagedPart = () => useSyncExternalStore(watch, () => opened)
