import { type FocusEvent, type KeyboardEvent, type PointerEvent, useState } from 'react'

const STEPS: Readonly<Record<string, number>> = {
  ArrowUp: -1,
  ArrowDown: 1,
  Home: -Infinity,
  End: Infinity,
}

const messageOf = (target: EventTarget | null) =>
  target instanceof Element ? target.closest<HTMLElement>('[data-message]') : null

const toolbarOf = (message: Element) => message.querySelector<HTMLElement>('[role=toolbar] button')

function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
  const { key, target } = event
  const message = messageOf(target)
  if (!message) return
  if (key === 'Escape' && target !== message) return message.focus()
  if (target !== message) return
  const isEnter = key === 'Enter'
  const step = STEPS[key]
  if (!isEnter && step === undefined) return
  event.preventDefault()
  if (isEnter) return toolbarOf(message)?.focus()
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-message]')]
  all[Math.max(0, Math.min(all.indexOf(message) + (step ?? 0), all.length - 1))]?.focus()
}

/**
 * Makes the messages one tab stop: Tab leads to the newest, and from there to its links and its
 * toolbar, which Enter opens. The arrow keys, Home and End move the focus to other messages.
 */
export function useListFocus(newestId: string | undefined) {
  const [focusedId, setFocusedId] = useState<string>()
  const [hoveredId, setHoveredId] = useState<string>()
  const listProps = {
    onKeyDown,
    onFocus: ({ target }: FocusEvent) => setFocusedId(messageOf(target)?.dataset['message']),
    onBlur({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) {
      if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setFocusedId(undefined)
    },
    onPointerOver({ target, pointerType }: PointerEvent) {
      if (pointerType !== 'touch') setHoveredId(messageOf(target)?.dataset['message'])
    },
    onPointerLeave: () => setHoveredId(undefined),
  }
  return { tabStopId: focusedId ?? newestId, focusedId, hoveredId, listProps }
}
