/** How long a stop may take, in milliseconds, before the process ends with work undone; ten seconds are promised. */
const STOP_WITHIN_MS = 9_700
/** One Ctrl+C under `npm start` comes twice: from the terminal, and passed on by npm. */
const SAME_PRESS_MS = 2_000

/**
 * Runs until SIGTERM or SIGINT, then stops in order and exits 0. Whoever asks again two seconds later, or too long a stop,
 * makes it exit 1.
 */
export function stopOnSignals(stop: () => Promise<void>): void {
  let askedAtMs: number | undefined
  const onSignal = async () => {
    if (askedAtMs !== undefined) {
      if (performance.now() - askedAtMs > SAME_PRESS_MS) process.exit(1)
      return
    }
    askedAtMs = performance.now()
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref()
    await stop()
    process.exit(0)
  }
  process.on('SIGTERM', () => void onSignal())
  process.on('SIGINT', () => void onSignal())
}
