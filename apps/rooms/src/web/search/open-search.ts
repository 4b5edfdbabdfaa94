import { keysText } from '@latchkey/web/keys'
import { useSyncExternalStore } from 'react'

/** What a search begins with. What is missing stays as it was in the last search. */
export interface SearchStart {
  q?: string
  /** Id of the room whose messages are searched; empty for all rooms. */
  room?: string
}

/** Keys that open the search, as the keyboard labels them. */
export const SEARCH_SHORTCUT = keysText('Shift', 'Mod', 'F')

let start: SearchStart | null = null
let opener: Element | null = null
const listeners = new Set<() => void>()

function set(next: SearchStart | null): void {
  start = next
  for (const listener of listeners) listener()
}

/** Opens the search of messages, on any page. */
export function openSearch(from: SearchStart = {}): void {
  opener = document.activeElement
  set(from)
}

/** Closes the search and returns the focus, unless another page has it. */
export function closeSearch(): void {
  set(null)
  setTimeout(() => {
    if (document.activeElement === document.body && opener instanceof HTMLElement) opener.focus()
  })
}

function watch(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** What the open search began with; null while it is closed. */
export function useSearchStart(): SearchStart | null {
  return useSyncExternalStore(watch, () => start)
}
