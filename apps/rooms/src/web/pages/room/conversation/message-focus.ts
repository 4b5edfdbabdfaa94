import { type FocusEvent, type KeyboardEvent, useState } from 'react'
import type { Message } from '../../../live/frames.ts'

const STEPS: Readonly<Record<string, number>> = {
  ArrowUp: -1,
  ArrowDown: 1,
  Home: -Infinity,
  End: Infinity,
}

const messageOf = (target: EventTarget) =>
  target instanceof Element ? target.closest<HTMLElement>('[data-message]') : null

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = STEPS[event.key]
  const current = messageOf(event.target)
  if (step === undefined || !current) return
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-message]')]
  const next = Math.max(0, Math.min(all.indexOf(current) + step, all.length - 1))
  event.preventDefault()
  all[next]?.focus()
}

/**
 * Makes a list of messages one tab stop: Tab leads to the newest, and from there to its links and its
 * button. The arrow keys, Home and End move the focus to other messages.
 */
export function useMessageFocus(messages: readonly Message[]) {
  const [focusedId, setFocusedId] = useState<string>()
  const onFocus = ({ target }: FocusEvent) => setFocusedId(messageOf(target)?.dataset['message'])
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) => {
    if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setFocusedId(undefined)
  }
  const tabStopId = focusedId ?? messages.at(-1)?.id
  return { tabStopId, focusedId, listProps: { onFocus, onBlur, onKeyDown: moveFocus } }
}
