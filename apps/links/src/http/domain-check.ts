import type { Settings } from '../settings/settings.ts'
import { toHost } from '../urls/host.ts'

export const DOMAIN_CHECK_PATH = '/_/domain-check'

/**
 * Answers a proxy with on-demand certificates whether a host is one of this instance (L31.3): 200
 * or 404. Certificates for other hosts would let anyone use up the limits of the authority.
 */
export function checkDomain(
  request: Request,
  { baseUrl, domains }: Pick<Settings, 'baseUrl' | 'domains'>,
): Response {
  const [, search = ''] = request.url.split('?')
  const host = toHost(new URLSearchParams(search).get('domain') ?? '')
  const defaultHost = baseUrl === null ? undefined : new URL(baseUrl).hostname
  const ownHosts = [...domains, ...(defaultHost === undefined ? [] : [defaultHost, `mcp.${defaultHost}`])]
  const isOwn = host !== undefined && ownHosts.includes(host)
  return new Response(isOwn ? 'known\n' : 'unknown\n', {
    status: isOwn ? 200 : 404,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'private, no-store' },
  })
}
