import { isLoopback } from '@latchkey/http/client-address'
import { isForwarded } from '@latchkey/http/local-request'

const LOCAL_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i

const REMEDY = 'set LINKS_ACCESS to jwt or header to admit others'

/** Returns the reason why `LINKS_ACCESS=loopback` refuses the request, in one sentence, or null. */
export function findRemoteRefusal(request: Request, peer: string, proxyHeader: string | null): string | null {
  if (!isLoopback(peer)) return `Only this machine itself may open this page: ${REMEDY}`
  if (isForwarded(request, proxyHeader))
    return `The request came through a proxy, and only direct requests are admitted: ${REMEDY}`
  // DNS rebinding: a page of another site can make its own name resolve to 127.0.0.1, but the
  // browser still sends that name.
  if (!LOCAL_HOST.test(hostOf(request)))
    return `Only requests for localhost, 127.0.0.1 or [::1] are admitted: open http://localhost, or ${REMEDY}`
  return null
}

// A request created in the process has no Host header. One from a socket without it has no absolute
// URL either.
export function hostOf(request: Request): string {
  return request.headers.get('host') ?? URL.parse(request.url)?.host ?? ''
}
