import { clientAddress } from '@latchkey/http/client-address'
import { prefixOf } from '@latchkey/http/client-prefix'
import { isCrossOriginSubrequest } from '@latchkey/http/cross-origin'
import { Range } from '../../time/schema.ts'
import { htmlPage, notFoundPage, tooManyRequestsPage } from '../../redirect/pages.ts'
import { SHARED_STATS_PATH } from '../../sharing/operations.ts'
import { readSharedStats } from '../../sharing/shared-stats.ts'
import { createLimiters } from '../rate-limits.ts'
import type { Caller } from '../../api/caller.ts'
import type { Services } from '../services.ts'
import { renderSharedStats } from './page.ts'
import { chooseWording } from './wording.ts'

/** Visitors with the address see people's clicks, over a month at first. */
const STRANGER: Caller = {
  identity: '',
  createdVia: 'app',
  filters: { bots: true, selfReferrers: true },
  defaultRange: '30d',
  isAdmin: false,
}

const HEADERS = { 'X-Robots-Tag': 'noindex, nofollow' }

/**
 * Serves the public pages of statistics, which need no sign-in: visitors with the address may read
 * them. Unknown and revoked addresses get the page of every unknown path.
 */
export function createSharedStatsPages(services: Services) {
  const limiter = createLimiters(services.settings)?.addresses
  return async (request: Request, path: string, peer: string): Promise<Response> => {
    // Images on other sites would use up the limit of the visitor's address.
    if (isCrossOriginSubrequest(request)) return notFoundPage(request)
    const limit = limiter?.take(prefixOf(clientAddress(request, peer, services.proxies)))
    if (limit && !limit.allowed)
      return tooManyRequestsPage(request, { 'Retry-After': String(limit.retryAfterSeconds) })
    const range = Range.catch(STRANGER.defaultRange).parse(queryOf(request).get('range'))
    const context = services.contextFor(STRANGER, { request, peer })
    const stats = await readSharedStats(context, path.slice(SHARED_STATS_PATH.length), range)
    if (!stats) return notFoundPage(request)
    const wording = chooseWording(request.headers.get('accept-language'))
    return htmlPage(renderSharedStats(stats, wording), { headers: { ...HEADERS, ...context.headers } })
  }
}

/** Without a valid `Host`, Bun knows only path and query. */
function queryOf(request: Request): URLSearchParams {
  return URL.parse(request.url, 'http://localhost')?.searchParams ?? new URLSearchParams()
}
