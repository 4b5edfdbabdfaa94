import { useSyncExternalStore } from 'react'
import type { RoomStore } from '../../live/room-store.ts'

/** Name and colour of a person in the room. */
export type NameOf = (userId: string) => { nickname: string; avatarColor: string }

export function useNames(store: RoomStore): NameOf {
  const { present } = useSyncExternalStore(store.watch, store.state)
  return (userId) => present.get(userId) ?? { nickname: '…', avatarColor: '#565c6a' }
}
