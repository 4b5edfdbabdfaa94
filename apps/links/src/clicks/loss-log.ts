import type { Log } from '@latchkey/http/log'

/**
 * Tells of lost clicks, at once and then at most every `everyMs` with their sum: on a full disk every batch is lost, and a
 * line for each would take what room is left.
 */
export function createLossLog(log: Log, everyMs = 1_000): (error: unknown, clicks: number) => void {
  let clicks = 0
  let latest: unknown
  let timer: Timer | undefined
  const tell = () => {
    timer = undefined
    if (clicks === 0) return
    log.error('clicks are lost: the journal cannot be written', { error: latest, clicks })
    clicks = 0
    timer = setTimeout(tell, everyMs)
    timer.unref()
  }
  return (error, lost) => {
    latest = error
    clicks += lost
    if (timer === undefined) tell()
  }
}
