import { isEmbedded, queries, refetch } from '@latchkey/web/queries'
import { useThrottledCallback } from '@mantine/hooks'
import type { InfiniteData, QueryKey } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Result } from '../call.ts'
import type { Room } from '../live/frames.ts'
import { live } from '../live/live.ts'
import { named } from '../parts/room-name.ts'
import { follow, invalidate, usePages } from '../queries.ts'
import { useSession } from '../session.ts'
import { useText } from '../texts/text.ts'
import { useLeaving } from './leaving.ts'

export type ListedRoom = Result<'listRooms'>['rooms'][number]

/** Minimum time between two reads of the rooms. One read covers all changes of busy rooms. */
const REFRESH_EVERY_MS = 2_000

/** Rooms that the user is a member of or has marked as read, last active first. */
const FOLLOWED_ROOMS = { query: { followed: true, limit: 100 } }

/** Direct conversations of the user, last active first. */
const DIRECTS = { query: { limit: 100 } }

const DIRECTS_KEY: QueryKey = ['rooms', 'listDirects', DIRECTS, 'pages']

const OWN_LISTS: readonly QueryKey[] = [['rooms', 'listRooms', FOLLOWED_ROOMS, 'pages'], DIRECTS_KEY]

/** Keeps the lists of rooms on every page up to date while a user is signed in. */
export function useLobbyUpdates(isSignedIn: boolean): void {
  const refresh = useThrottledCallback(() => void invalidate('rooms'), REFRESH_EVERY_MS)
  const refreshOthers = useThrottledCallback(() => void refetch(isOtherList), REFRESH_EVERY_MS)
  useEffect(() => {
    if (!isSignedIn) return undefined
    const show = (room: ChangedRoom | undefined) => (room && showChange(room) ? refreshOthers() : refresh())
    const stopLobby = live.followLobby((reason, room) =>
      reason === 'changed' ? show(room) : follow('rooms'),
    )
    // A room was read or starred, in this tab or another.
    const stopNotices = live.onNotice(({ notice, data }) => {
      if (notice === 'read') {
        const { roomId, ...read } = data
        show({ ...read, id: String(roomId) })
      }
      if (notice === 'preferences') {
        refresh()
        void invalidate('room')
      }
    })
    return () => {
      stopLobby()
      stopNotices()
    }
  }, [isSignedIn, refresh, refreshOthers])
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

/**
 * Direct conversations of the user, last active first, without those that they are hiding and in
 * which nothing is new. None for guests. Undefined until they are read.
 */
export function useDirects(): readonly Room[] | undefined {
  const { t } = useText()
  const { data: session } = useSession()
  const { pages } = usePages('rooms', 'listDirects', DIRECTS, session?.user.identityType === 'oauth')
  const leaving = useLeaving()
  return pages?.flatMap(({ directs }) =>
    directs
      .filter(({ id, unread }) => (unread ?? 0) > (leaving.get(id) ?? -1))
      .map((direct) => named(direct, t)),
  )
}

/** Number of unread messages of a direct conversation, as far as it is listed. */
export function unreadIn(directId: string): number {
  const pages = queries.getQueryData<InfiniteData<Result<'listDirects'>>>(DIRECTS_KEY)?.pages
  return pages?.flatMap(({ directs }) => directs).find(({ id }) => id === directId)?.unread ?? 0
}

type ChangedRoom = Pick<Room, 'id'> & Partial<Room>
type Pages = InfiniteData<Result<'listRooms'> | Result<'listDirects'>>

/**
 * Shows a change in the lists of followed rooms and direct conversations, unless they have to be
 * read again: the pages of a large room must not all ask at each message. False if a list may gain,
 * lose or move a room.
 */
function showChange(change: ChangedRoom): boolean {
  return OWN_LISTS.some((queryKey) => showChangeIn(queryKey, change))
}

function showChangeIn(queryKey: QueryKey, change: ChangedRoom): boolean {
  const query = queries.getQueryCache().find({ queryKey })
  const data = queries.getQueryData<Pages>(queryKey)
  if (!query || !data || isEmbedded(query) || query.state.fetchStatus !== 'idle') return false
  const listed = data.pages.flatMap((page): readonly Room[] => ('rooms' in page ? page.rooms : page.directs))
  const before = listed.find(({ id }) => id === change.id)
  if (!before) return false
  const after = { ...before, ...change }
  const isMoved = before !== listed[0] && after.lastSeq !== before.lastSeq
  if (isMoved || after.role !== before.role || isFollowed(after) !== isFollowed(before)) return false
  const replace = <Listed extends Room>(rooms: readonly Listed[]) =>
    rooms.map((room) => (room.id === change.id ? { ...room, ...change } : room))
  const pages = data.pages.map((page) =>
    'rooms' in page ? { ...page, rooms: replace(page.rooms) } : { ...page, directs: replace(page.directs) },
  )
  queries.setQueryData<Pages>(queryKey, { ...data, pages })
  return true
}

const isFollowed = ({ unread }: Room) => unread !== null

/** Whether a query reads other rooms. */
function isOtherList([about, , input]: QueryKey): boolean {
  return about === 'rooms' && input !== FOLLOWED_ROOMS && input !== DIRECTS
}
