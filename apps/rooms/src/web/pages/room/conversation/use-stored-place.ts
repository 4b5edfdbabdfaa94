import { type RefObject, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { RoomStore } from '../../../live/room-store.ts'
import { type Place, isAwaited, rowOf } from './place.ts'
import type { VisibleRows } from './use-rows.ts'

interface Options {
  store: RoomStore
  list: RefObject<HTMLDivElement | null>
  visible: VisibleRows
  place: RefObject<Place>
}

/** Milliseconds without scrolling after which the place is stored. Browsers limit how often it may be. */
const KEEP_AFTER_MS = 150

/** The place in the entry of the history, to which Back and a reload return. Undefined at the newest message. */
export function storedPlace(): Exclude<Place, 'end'> | undefined {
  const { place } = (history.state ?? {}) as { place?: Place }
  return typeof place === 'object' ? place : undefined
}

/**
 * Keeps the place in the entry of the history, and returns to it. True if the room opens at such a
 * place. Messages that have been deleted since are passed over.
 */
export function useStoredPlace({ store, list, visible, place }: Options): boolean {
  const [stored] = useState(storedPlace)
  const { phase } = useSyncExternalStore(store.watch, store.state)
  const isIn = phase === 'in'
  const latest = useRef(visible)
  latest.current = visible
  useEffect(() => {
    if (!isIn || !stored) return undefined
    let isCurrent = true
    // Or the list, once it is rendered, would report its end as the place.
    place.current = { ...stored, isAwaited: true }
    const settle = () => {
      const element = list.current
      if (!isCurrent || !element) return
      const row = rowOf(element, stored.key)
      // Without the message, the newest ones are as good a place as any.
      place.current = row ? stored : 'end'
      element.scrollTop = row ? row.offsetTop - stored.top : element.scrollHeight
    }
    const show = () => {
      // After the rows that were read are rendered, and then those around the place.
      setTimeout(() => {
        if (isCurrent) latest.current.showAround(stored.key)
        setTimeout(settle)
      })
    }
    const isRead = store.state().messages.some(({ id }) => id === stored.key)
    if (isRead) show()
    else store.history.readAround(stored.key).then(show, settle)
    return () => void (isCurrent = false)
    // Only on entering the room.
  }, [isIn])
  useEffect(() => {
    const element = list.current
    let timer: ReturnType<typeof setTimeout> | undefined
    const keep = () => {
      const { current } = place
      if (isAwaited(current) || (current !== 'end' && !isMessage(current.key))) return
      history.replaceState({ ...history.state, place: current }, '')
    }
    const onScroll = () => {
      clearTimeout(timer)
      timer = setTimeout(keep, KEEP_AFTER_MS)
    }
    element?.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      clearTimeout(timer)
      element?.removeEventListener('scroll', onScroll)
    }
  }, [list, place])
  return stored !== undefined
}

/** Days and events have rows too, but are not read one by one. */
const isMessage = (key: string) => /^[0-9a-f-]{36}$/.test(key)
