import { IS_MAC, keysText } from '@latchkey/web/keys'

/** Actions of calls with keys of their own: those of Teams, which browsers leave to pages. */
export const SHORTCUTS = { microphone: 'M', camera: 'O', hand: 'K', answer: 'S', decline: 'D' } as const
export type Shortcut = keyof typeof SHORTCUTS

/** Keys of a shortcut, as the user sees them. */
export function shortcutText(shortcut: Shortcut): string {
  return keysText('Shift', 'Mod', SHORTCUTS[shortcut])
}

/** Keys of a shortcut, as screen readers read them (`aria-keyshortcuts`). */
export function ariaKeys(shortcut: Shortcut): string {
  return `${IS_MAC ? 'Meta' : 'Control'}+Shift+${SHORTCUTS[shortcut]}`
}

/** The action of this key, if any. */
export function shortcutOf({
  code,
  ctrlKey,
  metaKey,
  shiftKey,
  altKey,
}: KeyboardEvent): Shortcut | undefined {
  if (!shiftKey || altKey || ctrlKey === metaKey) return undefined
  return (Object.keys(SHORTCUTS) as Shortcut[]).find((shortcut) => code === `Key${SHORTCUTS[shortcut]}`)
}
