import { useSyncExternalStore } from 'react'

/** The person whose card is open, and the button beside which it is. */
export interface OpenedCard {
  userId: string
  nickname: string
  button: HTMLElement
}

let opened: OpenedCard | null = null
const listeners = new Set<() => void>()

/** Opens the card of a person, or closes it. */
export function openCard(next: OpenedCard | null): void {
  opened = next
  for (const listener of listeners) listener()
}

function watch(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useOpenedCard = () => useSyncExternalStore(watch, () => opened)
