import { type RefObject, useEffect, useRef } from 'react'

/**
 * For a list whose lines go, and with one of them the button that had the focus: the element with this reference takes it,
 * or where that has gone too the heading of the page. `lines`: how many there are; undefined while that is not known.
 *
 * @example const place = useFocusWhenGone<HTMLUListElement>(keys?.length)
 */
export function useFocusWhenGone<Place extends HTMLElement>(
  lines: number | undefined,
): RefObject<Place | null> {
  const place = useRef<Place>(null)
  const before = useRef(0)
  useEffect(() => {
    if (lines === undefined) return
    if (lines < before.current && document.activeElement === document.body)
      (place.current ?? document.querySelector('h1'))?.focus({ preventScroll: true })
    before.current = lines
  }, [lines])
  return place
}
