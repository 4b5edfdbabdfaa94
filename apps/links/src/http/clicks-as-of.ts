import type { ResponseHeader } from '@latchkey/http/operation'
import type { Counting } from '../clicks/counting.ts'

const NAME = 'Latchkey-Clicks-As-Of'

/** Only on answers that lack clicks. */
export const clicksAsOfHeader: Readonly<Record<string, ResponseHeader>> = {
  [NAME]: {
    type: 'string',
    description:
      'An HTTP date, present only while clicks wait to be counted. Clicks that this node redirected since then may be missing from the response.',
  },
}

/** Counts what waits, for at most so long, and adds the header that says what an answer then lacks. */
export async function settleClicks(
  counting: Counting,
  withinMs: number,
  headers: Record<string, string>,
): Promise<boolean> {
  const isSettled = await counting.settleWithin(withinMs)
  const countedUntil = isSettled ? undefined : counting.countedUntil
  if (countedUntil !== undefined) headers[NAME] = new Date(countedUntil * 1000).toUTCString()
  return isSettled
}
