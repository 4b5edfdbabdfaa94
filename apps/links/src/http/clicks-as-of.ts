import { requireNoTransaction } from '@latchkey/database/transaction-scope'
import type { ResponseHeader } from '@latchkey/http/operation'
import type { DrainThread } from '../counting/drain-thread.ts'

const HEADER_NAME = 'Latchkey-Clicks-As-Of'

/** The header of answers that lack clicks. */
export const clicksAsOfHeader: Readonly<Record<string, ResponseHeader>> = {
  [HEADER_NAME]: {
    type: 'string',
    description:
      'An HTTP date, present only while clicks wait to be counted. Clicks that this node redirected since then may be missing from the response.',
  },
}

/**
 * Counts pending clicks within the timeout. If some remain, adds the header that says from when
 * clicks may be missing.
 */
export async function flushClicks(
  drainThread: DrainThread,
  timeoutMs: number,
  headers: Record<string, string>,
): Promise<boolean> {
  requireNoTransaction('the thread that counts')
  const isFlushed = await drainThread.drainWithTimeout(timeoutMs)
  const oldestPendingAt = isFlushed ? undefined : drainThread.oldestPendingAt
  if (oldestPendingAt !== undefined) headers[HEADER_NAME] = new Date(oldestPendingAt * 1000).toUTCString()
  return isFlushed
}
