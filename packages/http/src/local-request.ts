import { isLoopback } from './client-address.ts'

/** Headers by which proxies, tunnels and content networks name the client or themselves. */
const FORWARDING = new Set([
  'akamai-origin-hop',
  'cdn-loop',
  'client-ip',
  'fly-client-ip',
  'fly-forwarded-port',
  'forwarded',
  'front-end-https',
  'http-client-ip',
  'incap-client-ip',
  'max-forwards',
  'proxy-client-ip',
  'proxy-connection',
  'remote-addr',
  'true-client-ip',
  'via',
  'wl-proxy-client-ip',
  'x-client-ip',
  'x-client-port',
  'x-cloud-trace-context',
  'x-coming-from',
  'x-host',
  'x-http-forwarded-for',
  'x-proxyuser-ip',
  'x-remote-addr',
  'x-remote-ip',
  'x-scheme',
  'x-url-scheme',
  'x-varnish',
])
/** Further ones, by how their names begin. */
const FORWARDING_FAMILY =
  /^(?:x-)?(?:forward(?:ed)?|original|real|cluster|bluecoat|do-connecting|railway|appgw|envoy|appengine|amzn|amz-cf|akamai|azure|arr|fastly|cf(?!-access)|nf|vercel|sucuri|gateway|edge|true-client)-|^cloudfront-|^tailscale-|^x-forwarded$/

/** True when the request comes from this machine and carries no header of a proxy. */
export function isLocalRequest(request: Request, peer: string, proxyHeader: string | null): boolean {
  return isLoopback(peer) && !isForwarded(request, proxyHeader)
}

/** True when any header shows that a proxy forwarded the request. */
export function isForwarded({ headers }: Request, proxyHeader: string | null): boolean {
  if (proxyHeader !== null && headers.has(proxyHeader)) return true
  return Array.from(headers.keys()).some((name) => FORWARDING.has(name) || FORWARDING_FAMILY.test(name))
}
