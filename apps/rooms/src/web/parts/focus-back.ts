import { useEffect, useState } from 'react'

/**
 * Returns the focus when a dialog unmounts. Mantine does so only for dialogs that stay mounted
 * while closed.
 */
export function useFocusBack(): void {
  const [before] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      if (before instanceof HTMLElement && document.activeElement === document.body)
        before.focus({ preventScroll: true })
    },
    [before],
  )
}
