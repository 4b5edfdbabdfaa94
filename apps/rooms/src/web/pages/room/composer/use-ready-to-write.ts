import { type RefObject, useEffect, useLayoutEffect } from 'react'
import type { Message } from '../../../live/frames.ts'

/**
 * Focuses the field for a reply, and on entering, except where that opens a keyboard on the screen, which would
 * cover the messages.
 */
export function useReadyToWrite(field: RefObject<HTMLTextAreaElement | null>, replyTo: Message | null): void {
  // Before the page is shown: later, it would take the focus from what was chosen meanwhile.
  useLayoutEffect(() => {
    const { current } = field
    if (!current || !matchMedia('(hover: hover)').matches) return
    current.focus({ preventScroll: true })
    // Cursor after the stored draft.
    current.setSelectionRange(current.value.length, current.value.length)
  }, [field])
  useEffect(() => {
    if (replyTo) field.current?.focus()
  }, [field, replyTo])
}
