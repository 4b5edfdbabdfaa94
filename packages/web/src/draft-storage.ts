import { useState } from 'react'

const PREFIX = 'latchkey:'

/**
 * Drafts that the browser does not store, such as when it blocks site data. They last as long as
 * the document.
 */
const unstored = new Map<string, string>()

/**
 * Returns the draft with this name, or an empty string. Drafts survive a reload and a new sign-in
 * in this tab. They are stored under the person's id, which hides them from other people who sign
 * in here, and deleted when the person signs out.
 */
export function readDraft(userId: string, name: string): string {
  const key = `${PREFIX}${userId}:${name}`
  try {
    return unstored.get(key) ?? sessionStorage.getItem(key) ?? ''
  } catch {
    return ''
  }
}

/** Saves a draft. An empty text deletes it. */
export function saveDraft(userId: string, name: string, text: string): void {
  const key = `${PREFIX}${userId}:${name}`
  try {
    if (text === '') sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, text)
    unstored.delete(key)
  } catch {
    unstored.set(key, text)
  }
}

/** A draft as the state of a field. `userId` is the id of its author. */
export function useDraft(
  userId: string,
  name: string,
): readonly [text: string, set: (next: string | ((now: string) => string)) => void] {
  const [text, setText] = useState(() => readDraft(userId, name))
  const set = (next: string | ((now: string) => string)) => {
    const value = typeof next === 'string' ? next : next(readDraft(userId, name))
    setText(value)
    saveDraft(userId, name, value)
  }
  return [text, set]
}

/** Deletes all drafts, after a deliberate sign-out. */
export function clearDrafts(): void {
  unstored.clear()
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key)
  } catch {
    // A browser without storage has no drafts.
  }
}
