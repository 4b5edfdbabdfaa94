import type { KeyboardEvent } from 'react'

/** What WebKit says of a key that an input method has taken, where it says nothing else any more (its bug 165004). */
const TAKEN = 229

/**
 * Whether a key belongs to an input method, as the Enter that takes a suggestion: it sends and closes nothing.
 *
 * @example onKeyDown={(event) => event.key === 'Escape' && !isComposing(event) && close()}
 */
export function isComposing({ nativeEvent, keyCode }: KeyboardEvent): boolean {
  return nativeEvent.isComposing || keyCode === TAKEN
}
