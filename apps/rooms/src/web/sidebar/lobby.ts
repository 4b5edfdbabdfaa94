import { queries } from '@latchkey/web/queries'
import { useThrottledCallback } from '@mantine/hooks'
import type { InfiniteData } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Result } from '../call.ts'
import { live } from '../live/live.ts'
import { follow, invalidate, usePages } from '../queries.ts'

export type ListedRoom = Result<'listRooms'>['rooms'][number]

/** Minimum time between two reads of the rooms. One read covers all changes of busy rooms. */
const REFRESH_EVERY_MS = 2_000

/** Rooms that the user is a member of or has marked as read, last active first. */
const FOLLOWED_ROOMS = { query: { followed: true, limit: 100 } }

/** Keeps the lists of rooms on every page up to date while a user is signed in. */
export function useLobbyUpdates(isSignedIn: boolean): void {
  const refresh = useThrottledCallback(() => void invalidate('rooms'), REFRESH_EVERY_MS)
  useEffect(() => {
    if (!isSignedIn) return undefined
    const stopLobby = live.followLobby((reason) => (reason === 'changed' ? refresh() : follow('rooms')))
    // A room was read, in this tab or another.
    const stopNotices = live.onNotice(({ notice, data }) => {
      if (notice === 'read' && !isListedAsRead(String(data['roomId']))) refresh()
    })
    return () => {
      stopLobby()
      stopNotices()
    }
  }, [isSignedIn, refresh])
}

/**
 * Rooms that the user is a member of or has marked as read, last active first. Undefined until they
 * are read.
 */
export function useFollowedRooms(): readonly ListedRoom[] | undefined {
  const { pages } = usePages('rooms', 'listRooms', FOLLOWED_ROOMS)
  return pages?.flatMap(({ rooms }) => rooms)
}

function isListedAsRead(roomId: string): boolean {
  const key = ['rooms', 'listRooms', FOLLOWED_ROOMS, 'pages']
  const rooms = queries
    .getQueryData<InfiniteData<Result<'listRooms'>>>(key)
    ?.pages.flatMap((page) => page.rooms)
  return rooms?.some(({ id, unread }) => id === roomId && !unread) ?? false
}
