/**
 * Runs an effect in a task of its own: the browser draws the page and answers the user before it.
 * Returns what ends the effect.
 */
export function inOwnTask(effect: () => (() => void) | void): () => void {
  let end: (() => void) | void
  const timer = setTimeout(() => (end = effect()))
  return () => {
    clearTimeout(timer)
    end?.()
  }
}
