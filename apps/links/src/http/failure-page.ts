import { isStorageUnavailable } from '@latchkey/database/errors'
import { messagePage } from '../redirect/pages.ts'
import type { Services } from './services.ts'

/** Renders a failure as a page. Internal errors are logged with the request's id. */
export function failurePage(
  { log, logDatabaseFault }: Pick<Services, 'log' | 'logDatabaseFault'>,
  error: unknown,
): Response {
  const requestId = crypto.randomUUID()
  const isUnavailable = isStorageUnavailable(error)
  if (isUnavailable) logDatabaseFault(error)
  else log.error('request: failed', { requestId, error })
  const page = isUnavailable
    ? messagePage(503, 'Temporarily unavailable', 'The database cannot be used. Try again shortly.', {
        'Retry-After': '5',
      })
    : messagePage(500, 'This did not work', 'The fault is ours, and it is in the log. Try again later.')
  page.headers.set('X-Request-Id', requestId)
  return page
}
