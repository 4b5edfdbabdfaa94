import { type PointerEvent, type SyntheticEvent, useEffect, useRef } from 'react'

const PRESS_MS = 450
const MAX_MOVE_PX = 10

/** Prevents the click of the finger that is lifted: it would be on what the press has opened. */
function ignoreRelease(): void {
  addEventListener('touchend', (event) => event.preventDefault(), { once: true, passive: false })
}

/** Calls `onPress` with the id of the message on which a finger rests. */
export function useLongPress(onPress: (messageId: string) => void) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const start = useRef({ x: 0, y: 0 })
  const cancel = () => clearTimeout(timer.current)
  useEffect(() => cancel, [])
  return {
    onPointerDown({ pointerType, target, clientX, clientY }: PointerEvent) {
      const id =
        target instanceof Element
          ? target.closest<HTMLElement>('[data-message]')?.dataset['message']
          : undefined
      cancel()
      if (pointerType !== 'touch' || id === undefined) return
      start.current = { x: clientX, y: clientY }
      timer.current = setTimeout(() => {
        ignoreRelease()
        onPress(id)
      }, PRESS_MS)
    },
    onPointerMove({ clientX, clientY }: PointerEvent) {
      const { x, y } = start.current
      if (Math.hypot(clientX - x, clientY - y) > MAX_MOVE_PX) cancel()
    },
    onPointerUp: cancel,
    onPointerCancel: cancel,
    // The menu of the browser would appear over ours.
    onContextMenu(event: SyntheticEvent) {
      if ((event.nativeEvent as globalThis.PointerEvent).pointerType === 'touch') event.preventDefault()
    },
  }
}
