import { queries } from '@latchkey/web/queries'
import { useEffect, useMemo, useRef } from 'react'
import { useLocation } from 'wouter'
import { ROOM } from '../addresses.ts'
import { call } from '../call.ts'
import type { Room } from '../live/frames.ts'
import { useDirects, useFollowedRooms } from '../sidebar/lobby.ts'
import { useSession } from '../session.ts'
import { useText } from '../texts/text.ts'
import { setBadge } from './badge.ts'
import { desktopState, showDesktop } from './desktop.ts'
import { countNotifying } from '../../notifications/notifying.ts'
import { isQuiet } from '../../users/quiet-hours.ts'
import { onNotificationClick } from './push.ts'
import { usePushKey } from './push-key.ts'

/** In this time another tab may mark the message as read, because its user sees it. */
const WAIT_MS = 2_500
/** Time in which other tabs stay silent about a room. */
const ONE_TAB_MS = 5_000
const SETTINGS_FRESH_MS = 60_000

/**
 * Notifies of what is new in rooms that the user is not looking at (R30.4): in the title, on the
 * icon, by a sound and by a notification of the browser, as far as they are turned on.
 */
export function Notifier() {
  const { t } = useText()
  const [path, go] = useLocation()
  const rooms = useConversations()
  const openId = ROOM.exec(path)?.[1]
  const latest = useRef({ rooms, openId, t })
  latest.current = { rooms, openId, t }
  const previous = useRef<ReadonlyMap<string, number>>(undefined)
  useEffect(() => {
    const others = rooms?.filter(({ id }) => id !== openId) ?? []
    setBadge(
      'others',
      others.map(countNotifying).reduce((sum, count) => sum + count, 0),
    )
  }, [rooms, openId])
  useEffect(() => () => setBadge('others', 0), [])
  usePush(go)
  useEffect(() => {
    if (!rooms) return
    const before = previous.current
    previous.current = new Map(rooms.map((room) => [room.id, countNotifying(room)]))
    if (!before) return
    const notify = async (id: string) => {
      const room = latest.current.rooms?.find((listed) => listed.id === id)
      if (!room || countNotifying(room) === 0 || isLookingAt(id, latest.current.openId)) return
      const text = textOf(room, latest.current.t)
      await notifyInOneTab(id, () => showDesktop(id, text, () => go(`/rooms/${id}`)))
    }
    for (const room of rooms)
      if (countNotifying(room) > (before.get(room.id) ?? 0))
        setTimeout(() => void notify(room.id).catch(() => {}), WAIT_MS)
  }, [rooms, go])
  return null
}

/** Followed rooms and direct conversations, once both are read. */
function useConversations(): readonly Room[] | undefined {
  const isGuest = useSession().data?.user.identityType === 'guest'
  const [rooms, directs] = [useFollowedRooms(), useDirects()]
  return useMemo(
    () => (rooms && (directs || isGuest) ? [...rooms, ...(directs ?? [])] : undefined),
    [rooms, directs, isGuest],
  )
}

/** Renews the subscription of this browser, which belongs to a session. */
function usePush(go: (path: string) => void): void {
  const pushKey = usePushKey()
  useEffect(() => {
    if (pushKey === undefined || desktopState() !== 'on') return
    import('./push-subscription.ts').then(({ subscribeToPush }) => subscribeToPush(pushKey)).catch(() => {})
  }, [pushKey])
  useEffect(() => onNotificationClick(go), [go])
}

const isLookingAt = (id: string, openId: string | undefined) => id === openId && !document.hidden

function textOf(room: Room, t: ReturnType<typeof useText>['t']): string {
  const count = countNotifying(room)
  if (room.kind === 'direct') return t('notify.direct', { count, room: room.name })
  return t(room.notificationLevel === 'all' ? 'notify.messages' : 'notify.mentions', {
    count,
    room: room.name,
  })
}

/** Unless it is quiet: plays the sound, and calls `show`, in one of the open tabs. */
async function notifyInOneTab(roomId: string, show: () => Promise<void>): Promise<void> {
  const { quiet, sound } = await queries.fetchQuery({
    queryKey: ['notifications', 'getNotificationSettings', {}],
    queryFn: () => call('getNotificationSettings', {}),
    staleTime: SETTINGS_FRESH_MS,
  })
  if (isQuiet(quiet, new Date())) return
  const act = async () => {
    await show()
    if (sound) await (await import('./sound.ts')).playSound()
  }
  // Pages without https have no locks.
  if (!('locks' in navigator)) return act()
  await navigator.locks.request(`notify-${roomId}`, { ifAvailable: true }, async (lock) => {
    if (!lock) return
    await Promise.all([act(), new Promise((resolve) => setTimeout(resolve, ONE_TAB_MS))])
  })
}
