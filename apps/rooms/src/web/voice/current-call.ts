import { useSyncExternalStore } from 'react'
import type { CallRoom } from './call-room.ts'
import type { CallSession } from './call-session.ts'

let current: CallSession | null = null
const watchers = new Set<() => void>()

function set(next: CallSession | null): void {
  current = next
  for (const watcher of watchers) watcher()
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => void watchers.delete(watcher)
}

/** The call that this page is in, or joins; null without one. */
export function useCurrentCall(): CallSession | null {
  return useSyncExternalStore(watch, () => current)
}

/** Leaves the call of a room that the user leaves. */
export function leaveCallOf(roomId: string): void {
  if (current?.room.id === roomId) current.leave()
}

/** Joins the call of a room and leaves any other. What calls need is loaded now. */
export async function joinCall(room: CallRoom): Promise<void> {
  const { CallSession: Session } = await import('./call-session.ts')
  if (current?.room.id === room.id && !current.isOver) return
  current?.leave()
  const session: CallSession = new Session(room, () => {
    if (current === session) set(null)
  })
  set(session)
}
