/**
 * Milliseconds between two moments, in either order. A clock that was set back leaves earlier moments
 * in the future. A plain difference would then delay work, or extend a lifetime, by as much.
 *
 * @example elapsedMs(20_000, 15_000) // 5000
 */
export function elapsedMs(sinceMs: number, nowMs: number): number {
  return Math.abs(nowMs - sinceMs)
}
