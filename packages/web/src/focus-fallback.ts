import { useEffect } from 'react'

/**
 * Moves the focus to the first match of `selector` when the component unmounts with the focus
 * inside. Otherwise the focus would be lost.
 *
 * @example useFocusFallback('main h1')
 */
export function useFocusFallback(selector: string): void {
  useEffect(
    () => () => {
      // Preact removes the element only after this.
      queueMicrotask(() => {
        if (document.activeElement !== document.body) return
        document.querySelector<HTMLElement>(selector)?.focus({ preventScroll: true })
      })
    },
    [selector],
  )
}
