import {
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { showError } from '@latchkey/web/toast'
import type { Message } from '../../../live/frames.ts'
import type { RoomStore } from '../../../live/room-store.ts'
import type { User } from '../../../session.ts'
import { useText } from '../../../texts/text.ts'
import type { Room } from '../room.ts'
import { useMessageActions } from './use-message-actions.ts'
import { NEW_KEY } from './rows.ts'
import { type VisibleRows, useRows } from './use-rows.ts'
import { type Place, rowOf } from './place.ts'
import { useStoredPlace } from './use-stored-place.ts'
import { useScroll } from './use-scroll.ts'

interface Options {
  room: Room
  user: User
  store: RoomStore
  reply: (message: Message) => void
}

export type ConversationView = ReturnType<typeof useConversation>

/** Distance of the line above new messages from the upper edge, on the way to it. */
const NEW_TOP_PX = 40

/** Time for which the message stands out at which an address or a search result points. */
const TARGET_FOR_MS = 2_500

/** The view of the messages: which are in the page, where it is, and what can be done with them. */
export function useConversation({ room, user, store, reply }: Options) {
  const { failure } = useText()
  const state = useSyncExternalStore(store.watch, store.state)
  const list = useRef<HTMLDivElement>(null)
  const place = useRef<Place>('end')
  const visible = useRows(store, state, () => place.current === 'end')
  const onAtEnd = useAttention(store)
  const { distance, onScroll } = useScroll({ list, visible, unsent: state.unsent.length, place, onAtEnd })
  const hasStoredPlace = useStoredPlace({ store, list, visible, place })
  const { hasNewAbove, goToNew } = useNewAbove({ store, visible, place, isElsewhere: hasStoredPlace })
  const [targetId, setTarget] = useTarget()
  const { showAround } = visible
  const latest = useRef({ showAround })
  latest.current = { showAround }
  const show = (messageId: string) => {
    place.current = { key: messageId, top: (list.current?.clientHeight ?? 0) / 3 }
    // After the rows that were read are rendered.
    setTimeout(() => {
      latest.current.showAround(messageId)
      setTarget(messageId)
      setTimeout(() => list.current && rowOf(list.current, messageId)?.focus({ preventScroll: true }))
    })
  }
  const goTo = useCallback(
    (messageId: string) => {
      if (store.state().messages.some(({ id }) => id === messageId)) return show(messageId)
      const reading = store.history.readAround(messageId)
      reading.then(
        () => show(messageId),
        (error: unknown) => showError(failure(error as Error)),
      )
    },
    [store],
  )
  const { keepInPlace, bringIntoPage, goToEnd } = useRowPlaces({ list, visible, place })
  const { actions, editing, dialog, menuMessageId } = useMessageActions({
    room,
    user,
    store,
    reply,
    goTo,
    keepInPlace,
  })
  return {
    list,
    visible,
    distance,
    hasNewAbove,
    onScroll,
    goTo,
    goToEnd,
    goToNew,
    bringIntoPage,
    actions,
    editing,
    dialog,
    menuMessageId,
    targetId,
  }
}

interface RowPlaceOptions {
  list: RefObject<HTMLDivElement | null>
  visible: VisibleRows
  place: RefObject<Place>
}

/** Changes of the place that the user causes otherwise than by scrolling. */
function useRowPlaces({ list, visible, place }: RowPlaceOptions) {
  const keepInPlace = useCallback((messageId: string) => {
    const row = list.current && rowOf(list.current, messageId)
    if (!list.current || !row) return
    place.current = { key: messageId, top: Math.max(0, row.offsetTop - list.current.scrollTop) }
  }, [])
  /** Adds a message that is not among the rows. */
  const bringIntoPage = (messageId: string) => {
    if (visible.rows.some(({ key }) => key === messageId)) return
    place.current = { key: messageId, top: 0 }
    visible.showAround(messageId)
  }
  const goToEnd = () => {
    place.current = 'end'
    visible.showNewest()
    list.current?.scrollTo(0, list.current.scrollHeight)
    // The button disappears together with its focus.
    list.current?.focus({ preventScroll: true })
  }
  return { keepInPlace, bringIntoPage, goToEnd }
}

/** Whether the user sees the newest messages, for the store. */
function useAttention(store: RoomStore): (isAtEnd: boolean) => void {
  const isAtEnd = useRef(true)
  const setAttention = useCallback(
    () => store.setAttention(isAtEnd.current && !document.hidden, isAtEnd.current),
    [store],
  )
  useEffect(() => {
    document.addEventListener('visibilitychange', setAttention)
    setAttention()
    return () => document.removeEventListener('visibilitychange', setAttention)
  }, [setAttention])
  return useCallback(
    (next: boolean) => {
      isAtEnd.current = next
      setAttention()
    },
    [setAttention],
  )
}

interface NewOptions {
  store: RoomStore
  visible: VisibleRows
  place: RefObject<Place>
  /** The room opens at another place. */
  isElsewhere: boolean
}

/** Opens a room at its first new message (R35.2), and leads there while that is not in the page. */
function useNewAbove({ store, visible, place, isElsewhere }: NewOptions) {
  const { unreadFrom, messages } = useSyncExternalStore(store.watch, store.state)
  const hasStarted = useRef(false)
  /** The line above new messages that the user has seen. */
  const seen = useRef<number | null>(null)
  const isInPage = visible.rows.some(({ type }) => type === 'new')
  if (!hasStarted.current && messages.length > 0) {
    hasStarted.current = true
    if (visible.isNewKnown && !isElsewhere) place.current = { key: NEW_KEY, top: NEW_TOP_PX }
  }
  if (isInPage && !document.hidden) seen.current = unreadFrom
  const newest = messages.at(-1)?.seq ?? 0
  const hasNewAbove = unreadFrom !== null && seen.current !== unreadFrom && newest >= unreadFrom
  const latest = useRef(visible)
  latest.current = visible
  const hasMessages = messages.length > 0
  useLayoutEffect(() => {
    const { isNewKnown, rows, showAround } = latest.current
    if (isNewKnown && !isElsewhere && !rows.some(({ type }) => type === 'new')) showAround(NEW_KEY)
    // Only when the room opens.
  }, [hasMessages])
  const goToNew = async () => {
    if (!visible.isNewKnown) await store.history.readFrom((unreadFrom ?? 1) - 1)
    place.current = { key: NEW_KEY, top: NEW_TOP_PX }
    // After the rows that were read are rendered.
    setTimeout(() => latest.current.showAround(NEW_KEY))
  }
  return { hasNewAbove, goToNew: () => void goToNew() }
}

/** The message that stands out, for a while. */
function useTarget() {
  const [targetId, setTarget] = useState<string>()
  useEffect(() => {
    if (targetId === undefined) return undefined
    const timer = setTimeout(() => setTarget(undefined), TARGET_FOR_MS)
    return () => clearTimeout(timer)
  }, [targetId])
  return [targetId, setTarget] as const
}
