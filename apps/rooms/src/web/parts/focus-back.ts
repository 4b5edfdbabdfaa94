import { useEffect, useState } from 'react'

/** For a dialog that is there only while it is open: Mantine gives the focus back only of others. */
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
