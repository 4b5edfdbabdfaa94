/**
 * Timeout of a stop, after which the process exits with work undone. The promise is ten seconds.
 */
const STOP_WITHIN_MS = 9_700
/** Under `npm start`, one Ctrl+C arrives twice: from the terminal, and forwarded by npm. */
const SAME_PRESS_MS = 2_000

/**
 * Stops in order and exits 0 on SIGTERM or SIGINT. A second signal two or more seconds later, or a
 * stop that exceeds its timeout, exits 1.
 */
export function stopOnSignals(stop: () => Promise<void>): void {
  let signalledAtMs: number | undefined
  const onSignal = async () => {
    if (signalledAtMs !== undefined) {
      if (performance.now() - signalledAtMs > SAME_PRESS_MS) process.exit(1)
      return
    }
    signalledAtMs = performance.now()
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref()
    await stop()
    process.exit(0)
  }
  process.on('SIGTERM', () => void onSignal())
  process.on('SIGINT', () => void onSignal())
}
