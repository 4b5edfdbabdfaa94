import { useSyncExternalStore } from 'react'
import type { RoomStore } from '../../live/room-store.ts'
import type { Pictured } from '../../parts/person.tsx'

/** Name and picture of a person in the room. */
export type NameOf = (userId: string) => Pictured

export function useNames(store: RoomStore): NameOf {
  const { present } = useSyncExternalStore(store.watch, store.state)
  return (userId) => present.get(userId) ?? { nickname: '…', avatarColor: '#565c6a', avatarUrl: null }
}
