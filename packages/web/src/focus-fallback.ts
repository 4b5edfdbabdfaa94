import { useEffect } from 'react'

/**
 * When the component goes away with the focus in it, the focus goes to the first match of `selector`, not to nowhere.
 *
 * @example useFocusFallback('main h1')
 */
export function useFocusFallback(selector: string): void {
  useEffect(
    () => () => {
      if (document.activeElement !== document.body) return
      document.querySelector<HTMLElement>(selector)?.focus({ preventScroll: true })
    },
    [selector],
  )
}
