import type { KeyboardEvent } from 'react'

/** The only sign from WebKit that an input method has taken a key (its bug 165004). */
const COMPOSING_KEY_CODE = 229

/**
 * True when a key belongs to an input method, such as the Enter that accepts a suggestion. It must
 * neither send nor close anything.
 *
 * @example onKeyDown={(event) => event.key === 'Escape' && !isComposing(event) && close()}
 */
export function isComposing({ nativeEvent, keyCode }: KeyboardEvent): boolean {
  return nativeEvent.isComposing || keyCode === COMPOSING_KEY_CODE
}
