import { queries } from '@latchkey/web/queries'
import { useThrottledCallback } from '@mantine/hooks'
import type { InfiniteData } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Result } from '../call.ts'
import type { Room } from '../live/frames.ts'
import { live } from '../live/live.ts'
import { follow, invalidate, usePages } from '../queries.ts'
import { useSession } from '../session.ts'
import { useLeaving } from './leaving.ts'

export type ListedRoom = Result<'listRooms'>['rooms'][number]

/** Minimum time between two reads of the rooms. One read covers all changes of busy rooms. */
const REFRESH_EVERY_MS = 2_000

/** Rooms that the user is a member of or has marked as read, last active first. */
const FOLLOWED_ROOMS = { query: { followed: true, limit: 100 } }

/** Direct conversations of the user, last active first. */
const DIRECTS = { query: { limit: 100 } }

/** Keeps the lists of rooms on every page up to date while a user is signed in. */
export function useLobbyUpdates(isSignedIn: boolean): void {
  const refresh = useThrottledCallback(() => void invalidate('rooms'), REFRESH_EVERY_MS)
  useEffect(() => {
    if (!isSignedIn) return undefined
    const stopLobby = live.followLobby((reason) => (reason === 'changed' ? refresh() : follow('rooms')))
    // A room was read or starred, in this tab or another.
    const stopNotices = live.onNotice(({ notice, data }) => {
      if (notice === 'read' && (data['unread'] || !isListedAsRead(String(data['roomId'])))) refresh()
      if (notice === 'preferences') {
        refresh()
        void invalidate('room')
      }
    })
    return () => {
      stopLobby()
      stopNotices()
    }
  }, [isSignedIn, refresh])
}

/**
 * Rooms that the user is a member of or has marked as read, last active first, without those that
 * they are leaving. Undefined until they are read.
 */
export function useFollowedRooms(): readonly ListedRoom[] | undefined {
  const { pages } = usePages('rooms', 'listRooms', FOLLOWED_ROOMS)
  const leaving = useLeaving()
  return pages?.flatMap(({ rooms }) => rooms.filter(({ id }) => !leaving.has(id)))
}

/** Direct conversations of the user, last active first. None for guests. Undefined until they are read. */
export function useDirects(): readonly Room[] | undefined {
  const { data: session } = useSession()
  const { pages } = usePages('rooms', 'listDirects', DIRECTS, session?.user.identityType === 'oauth')
  return pages?.flatMap(({ directs }) => directs)
}

function isListedAsRead(roomId: string): boolean {
  const rooms: readonly Room[] = [
    ...pagesOf('listRooms', FOLLOWED_ROOMS).flatMap((page) => page.rooms),
    ...pagesOf('listDirects', DIRECTS).flatMap((page) => page.directs),
  ]
  return rooms.some(({ id, unread }) => id === roomId && !unread)
}

function pagesOf<Id extends 'listRooms' | 'listDirects'>(id: Id, input: object): readonly Result<Id>[] {
  return queries.getQueryData<InfiniteData<Result<Id>>>(['rooms', id, input, 'pages'])?.pages ?? []
}
