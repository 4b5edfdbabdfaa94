import type { Log } from '@latchkey/http/log'

/**
 * Creates a log for a fault that can occur thousands of times a second. It logs at once and then at
 * most every `everyMs`, with the latest error and the count as `unit`: an outage must not fill the
 * disk with lines.
 */
export function createFaultLog(
  log: Pick<Log, 'error'>,
  message: string,
  unit: string,
  everyMs = 1_000,
): (error: unknown, count?: number) => void {
  let total = 0
  let latest: unknown
  let timer: Timer | undefined
  const write = () => {
    timer = undefined
    if (total === 0) return
    log.error(message, { error: latest, [unit]: total })
    total = 0
    timer = setTimeout(write, everyMs)
    timer.unref()
  }
  return (error, count = 1) => {
    latest = error
    total += count
    if (timer === undefined) write()
  }
}
