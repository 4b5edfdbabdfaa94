import { type DragEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'

/**
 * Changes the order of a list: by dragging the handle of an item, or by the arrow keys on it. The
 * handle keeps the focus.
 */
export function useReorder(move: (from: number, to: number) => void) {
  const list = useRef<HTMLOListElement>(null)
  /** The item that can be dragged, because its handle is held. */
  const [held, setHeld] = useState<number | null>(null)
  const [over, setOver] = useState<number | null>(null)
  const focusAt = useRef<number | null>(null)
  useEffect(() => {
    if (focusAt.current === null) return
    list.current?.querySelectorAll<HTMLElement>('.rule-handle')[focusAt.current]?.focus()
    focusAt.current = null
  })
  const end = () => {
    setHeld(null)
    setOver(null)
  }
  return {
    list,
    itemProps: (index: number) => ({
      draggable: held === index,
      'data-over':
        over === index && held !== index ? (held !== null && held < index ? 'after' : 'before') : undefined,
      onDragStart: ({ dataTransfer }: DragEvent) => {
        dataTransfer.effectAllowed = 'move'
        dataTransfer.setData('text/plain', String(index))
      },
      onDragOver(event: DragEvent) {
        if (held === null) return
        event.preventDefault()
        setOver(index)
      },
      onDrop(event: DragEvent) {
        if (held === null) return
        event.preventDefault()
        move(held, index)
        end()
      },
      onDragEnd: end,
    }),
    handleProps: (index: number) => ({
      onPointerDown: () => setHeld(index),
      onPointerUp: end,
      onKeyDown(event: KeyboardEvent) {
        const step = { ArrowUp: -1, ArrowDown: 1 }[event.key]
        if (step === undefined) return
        event.preventDefault()
        const count = list.current?.querySelectorAll('.rule-handle').length ?? 0
        focusAt.current = Math.min(count - 1, Math.max(0, index + step))
        move(index, index + step)
      },
    }),
  }
}
