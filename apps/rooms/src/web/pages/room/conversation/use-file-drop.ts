import { type DragEvent, useRef, useState } from 'react'

/** Takes files that are dropped on an element. `handlers` are those of the element. */
export function useFileDrop(onDrop: ((files: readonly File[]) => void) | undefined) {
  const [isOver, setOver] = useState(false)
  /** Number of elements inside that the pointer has entered and not left. */
  const depth = useRef(0)
  const enter = (change: number) => {
    depth.current = Math.max(0, depth.current + change)
    setOver(depth.current > 0)
  }
  const handlers = onDrop && {
    onDragEnter: withFiles(() => enter(1)),
    onDragLeave: withFiles(() => enter(-1)),
    // Without this, the browser opens what is dropped.
    onDragOver: withFiles(() => {}),
    onDrop: withFiles(({ dataTransfer }) => {
      enter(-depth.current)
      onDrop([...dataTransfer.files])
    }),
  }
  return { isOver, handlers }
}

/** Ignores texts and links, which the field takes. */
function withFiles(act: (event: DragEvent) => void) {
  return (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    act(event)
  }
}
