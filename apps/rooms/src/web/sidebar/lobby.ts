import { useThrottledCallback } from '@mantine/hooks'
import { useEffect } from 'react'
import type { Result } from '../call.ts'
import { live } from '../live/live.ts'
import { follow, invalidate, usePages } from '../queries.ts'

export type ListedRoom = Result<'listRooms'>['rooms'][number]

/** Minimum time between two reads of the rooms. One read covers all changes of busy rooms. */
const REFRESH_EVERY_MS = 2_000

/** Keeps the lists of rooms on every page up to date while a user is signed in. */
export function useLobbyUpdates(isSignedIn: boolean): void {
  const refresh = useThrottledCallback(() => void invalidate('rooms'), REFRESH_EVERY_MS)
  useEffect(() => {
    if (!isSignedIn) return undefined
    const stopLobby = live.followLobby((reason) => (reason === 'changed' ? refresh() : follow('rooms')))
    // Another tab has read a room, or this one.
    const stopNotices = live.onNotice(({ notice }) => {
      if (notice === 'read') refresh()
    })
    return () => {
      stopLobby()
      stopNotices()
    }
  }, [isSignedIn, refresh])
}

/** Rooms of which the user is a member. Undefined until they are read. */
export function useOwnRooms(): readonly ListedRoom[] | undefined {
  const { pages } = usePages('rooms', 'listRooms', { query: { q: '' } })
  return pages?.flatMap(({ rooms }) => rooms).filter(({ role }) => role !== null)
}
