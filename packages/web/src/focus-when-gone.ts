import { type RefObject, useEffect, useRef } from 'react'

/**
 * Keeps the focus when a line of a list disappears with the focused button: moves it to the element
 * with the returned ref or, if that has disappeared too, to the heading of the page. `lines` is the
 * number of lines, undefined while unknown.
 *
 * @example const place = useFocusWhenGone<HTMLUListElement>(keys?.length)
 */
export function useFocusWhenGone<Fallback extends HTMLElement>(
  lines: number | undefined,
): RefObject<Fallback | null> {
  const ref = useRef<Fallback>(null)
  const before = useRef(0)
  useEffect(() => {
    if (lines === undefined) return
    if (lines < before.current && document.activeElement === document.body)
      (ref.current ?? document.querySelector('h1'))?.focus({ preventScroll: true })
    before.current = lines
  }, [lines])
  return ref
}
