import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import {
  type Distance,
  type Place,
  afterScroll,
  belowView,
  distanceFrom,
  isAwaited,
  placeOf,
  rowOf,
  sizeOf,
} from './place.ts'
import type { VisibleRows } from './use-rows.ts'

/** Distance from the end within which the newest message counts as seen. */
const NEAR_PX = 48
/** Distance from either end of the rows in the page at which more of them are added. */
const AHEAD_PX = 1_000

interface Options {
  list: RefObject<HTMLDivElement | null>
  visible: VisibleRows
  /** Number of own messages below the rows. */
  unsent: number
  place: RefObject<Place>
  /** Called when the user sees the newest row, or no longer does. */
  onAtEnd: (isAtEnd: boolean) => void
}

/**
 * Keeps the view in its place whatever changes above and below it: at the end if the user is there,
 * otherwise at the row that they read. Adds rows when the user comes near the first or last one.
 */
export function useScroll({ list, visible, unsent, place, onAtEnd }: Options) {
  const [distance, setDistance] = useState<Distance>('end')
  const size = useRef('')
  /** Last known scroll position. */
  const top = useRef(0)
  const latest = useRef(visible)
  latest.current = visible
  const report = () => {
    const next = distanceFrom(list.current, place.current, latest.current.endsAtNewest)
    setDistance(next)
    onAtEnd(next === 'end')
  }
  const { extend, extendAfterChange } = useExtension(latest, place)
  /** Returns to the place after a change of the rows or of their size. */
  const settle = () => {
    const element = list.current
    if (!element) return
    place.current = afterScroll(element, place.current, top.current)
    if (place.current === 'end' || isAwaited(place.current)) element.scrollTop = element.scrollHeight
    else {
      const row = rowOf(element, place.current.key)
      if (row) element.scrollTop = row.offsetTop - place.current.top
      // Everything below the row fits into the view.
      if (belowView(element) < 1 && visible.endsAtNewest) place.current = 'end'
    }
    size.current = sizeOf(element)
    top.current = element.scrollTop
    report()
    extendAfterChange(element)
  }
  const settleLatest = useRef(settle)
  settleLatest.current = settle
  const onScroll = () => {
    const element = list.current
    if (!element) return
    // The browser has scrolled because of a change of the size, not the user.
    if (size.current !== sizeOf(element)) return settle()
    top.current = element.scrollTop
    if (isAwaited(place.current)) return
    place.current = belowView(element) < NEAR_PX && latest.current.endsAtNewest ? 'end' : placeOf(element)
    report()
    extend(element)
  }
  const unsentBefore = useRef(unsent)
  useLayoutEffect(() => {
    // Authors see their own message.
    if (unsent > unsentBefore.current) {
      place.current = 'end'
      if (!visible.endsAtNewest) visible.showNewest()
    }
    unsentBefore.current = unsent
    // Where nothing can scroll, the browser need not lay out the page before it draws it.
    if (visible.rows.length + unsent > 0) settle()
  }, [visible.rows, unsent])
  // A keyboard on the screen, a longer draft, a rotated phone, or an image that has arrived.
  useEffect(() => {
    const element = list.current
    const observer = new ResizeObserver(() => {
      if (element && size.current !== sizeOf(element)) settleLatest.current()
    })
    for (const part of element ? [element, ...element.children] : []) observer.observe(part)
    return () => observer.disconnect()
  }, [list])
  return { distance, onScroll }
}

/** Adds rows where the reader is near the first or last one in the page. */
function useExtension(latest: RefObject<VisibleRows>, place: RefObject<Place>) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const extend = (element: HTMLDivElement) => {
    const isExtended = element.scrollTop < AHEAD_PX && latest.current.extendUp()
    if (!isExtended && belowView(element) < AHEAD_PX) latest.current.extendDown()
  }
  /**
   * While the reader is at the end, as when the room opens, rows out of view are added in a task of
   * their own.
   */
  const extendAfterChange = (element: HTMLDivElement) => {
    clearTimeout(timer.current)
    if (place.current === 'end') timer.current = setTimeout(() => extend(element))
    else extend(element)
  }
  return { extend, extendAfterChange }
}
