import { isStorageUnavailable } from '@latchkey/database/errors'
import { failedPage, unavailablePage } from '../redirect/pages.ts'
import type { Services } from './services.ts'

/** Renders a failure as a page. Internal errors are logged with the request's id. */
export function failurePage(
  { log, logDatabaseFault }: Pick<Services, 'log' | 'logDatabaseFault'>,
  request: Request,
  error: unknown,
): Response {
  const requestId = crypto.randomUUID()
  const isUnavailable = isStorageUnavailable(error)
  if (isUnavailable) logDatabaseFault(error)
  else log.error('request: failed', { requestId, error })
  const page = isUnavailable ? unavailablePage(request) : failedPage(request)
  page.headers.set('X-Request-Id', requestId)
  return page
}
