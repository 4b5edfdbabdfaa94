/** How long a stop may take, in milliseconds, before the process ends with work undone; ten are promised. */
const STOP_WITHIN_MS = 9_500

/** Runs until SIGTERM or SIGINT, then stops in order and exits 0; a second signal or too long a stop exits 1. */
export function stopOnSignals(stop: () => Promise<void>): void {
  let stopping = false
  const onSignal = async () => {
    if (stopping) process.exit(1)
    stopping = true
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref()
    await stop()
    process.exit(0)
  }
  process.on('SIGTERM', () => void onSignal())
  process.on('SIGINT', () => void onSignal())
}
