import { isLoopback } from './client-address.ts'

const FORWARDING = new Set(['forwarded', 'x-real-ip', 'via', 'cf-connecting-ip'])

/** Whether the request comes from this machine itself and through no proxy that says so. */
export function isDirect(request: Request, peer: string, proxyHeader: string | null): boolean {
  return isLoopback(peer) && !isForwarded(request, proxyHeader)
}

/** Whether any header says that somebody passed the request on. */
export function isForwarded({ headers }: Request, proxyHeader: string | null): boolean {
  if (proxyHeader !== null && headers.has(proxyHeader)) return true
  return Array.from(headers.keys()).some((name) => FORWARDING.has(name) || name.startsWith('x-forwarded-'))
}
