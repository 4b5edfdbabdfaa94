/** Whether the keyboard has the keys of a Mac. */
export const IS_MAC = /Mac|iPhone|iPad/.test(navigator.userAgent)

/**
 * Keys that are pressed together, as the keyboard labels them: `⇧⌘M`, or `Ctrl+Shift+M`.
 *
 * @example keysText('Shift', 'Mod', 'M')
 */
export function keysText(...keys: readonly string[]): string {
  if (IS_MAC) return keys.map((key) => ({ Mod: '⌘', Shift: '⇧' })[key] ?? key).join('')
  return keys
    .map((key) => (key === 'Mod' ? 'Ctrl' : key))
    .toSorted((a, b) => Number(b === 'Ctrl') - Number(a === 'Ctrl'))
    .join('+')
}
