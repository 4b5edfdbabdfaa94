import { useState } from 'react'

const PREFIX = 'latchkey:'

/** What the browser does not take, as where it keeps no data of sites: it lasts as long as the document. */
const untaken = new Map<string, string>()

/**
 * What a person has typed survives a reload and a new sign-in in this tab. It is kept under their id, so that nobody else
 * who signs in here is shown it, and forgotten when they sign out.
 */
export function readDraft(userId: string, name: string): string {
  const key = `${PREFIX}${userId}:${name}`
  try {
    return untaken.get(key) ?? sessionStorage.getItem(key) ?? ''
  } catch {
    return ''
  }
}

/** Nothing forgets it. */
export function saveDraft(userId: string, name: string, text: string): void {
  const key = `${PREFIX}${userId}:${name}`
  try {
    if (text === '') sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, text)
    untaken.delete(key)
  } catch {
    untaken.set(key, text)
  }
}

/** A kept text as the state of a field; `userId` is whose. */
export function useDraft(
  userId: string,
  name: string,
): readonly [text: string, set: (next: string | ((now: string) => string)) => void] {
  const [text, setText] = useState(() => readDraft(userId, name))
  const set = (next: string | ((now: string) => string)) => {
    const kept = typeof next === 'string' ? next : next(readDraft(userId, name))
    setText(kept)
    saveDraft(userId, name, kept)
  }
  return [text, set]
}

/** After a person has signed out on purpose. */
export function clearDrafts(): void {
  untaken.clear()
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key)
  } catch {
    // Then it has kept none.
  }
}
