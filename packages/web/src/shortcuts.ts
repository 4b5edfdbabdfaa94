import { useState } from 'react'

const STORED = 'latchkey:shortcuts'

/** Shortcuts of one letter can be switched off (WCAG 2.1.4), because speech input may type them. */
export function useShortcutsEnabled() {
  const [isEnabled, setEnabled] = useState(() => {
    try {
      return localStorage.getItem(STORED) !== 'off'
    } catch {
      return true
    }
  })
  const set = (next: boolean) => {
    setEnabled(next)
    try {
      localStorage.setItem(STORED, next ? 'on' : 'off')
    } catch {
      // The choice then lasts as long as the document.
    }
  }
  return [isEnabled, set] as const
}

/** True for an element in which keys write. */
export const isField = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio]), textarea, select'))

export const isDialogOpen = () =>
  document.querySelector('[role=dialog], [role=menu], [aria-modal=true]') !== null

/** True for a key that is neither typed nor composed, nor part of a shortcut of the browser. */
export const isShortcut = (event: KeyboardEvent) =>
  !(event.defaultPrevented || event.repeat || event.isComposing || event.keyCode === 229) &&
  !(event.ctrlKey || event.metaKey || event.altKey) &&
  !isField(event.target) &&
  !isDialogOpen()
