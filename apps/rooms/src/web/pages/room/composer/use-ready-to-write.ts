import { type RefObject, useEffect } from 'react'

/**
 * Focuses the field on entering, except where that opens a keyboard on the screen, which would
 * cover the messages.
 */
export function useReadyToWrite(field: RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    const { current } = field
    if (!current || !matchMedia('(hover: hover)').matches) return
    current.focus({ preventScroll: true })
    // Cursor after the stored draft.
    current.setSelectionRange(current.value.length, current.value.length)
  }, [field])
}
