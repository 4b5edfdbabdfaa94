import { isLoopback } from './client-address.ts'

const FORWARDING = new Set([
  'cf-connecting-ip',
  'fly-client-ip',
  'forwarded',
  'true-client-ip',
  'via',
  'x-client-ip',
  'x-envoy-external-address',
  'x-real-ip',
])

/** True when the request comes from this machine and carries no header of a proxy. */
export function isLocalRequest(request: Request, peer: string, proxyHeader: string | null): boolean {
  return isLoopback(peer) && !isForwarded(request, proxyHeader)
}

/** True when any header shows that a proxy forwarded the request. */
export function isForwarded({ headers }: Request, proxyHeader: string | null): boolean {
  if (proxyHeader !== null && headers.has(proxyHeader)) return true
  return Array.from(headers.keys()).some((name) => FORWARDING.has(name) || name.startsWith('x-forwarded-'))
}
