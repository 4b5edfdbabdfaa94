import { type Proxies, forwardedOrigin } from '@latchkey/http/client-address'
import { isMcpHost } from '../urls/host.ts'

/** Path of the endpoint on the host of the service. */
const OWN_PATH = '/_/mcp'

const PROTECTED_RESOURCE = '/.well-known/oauth-protected-resource'
const AUTHORIZATION_SERVER = '/.well-known/oauth-authorization-server'

/** Kinds of addresses on the MCP side. */
export type McpRoute = 'endpoint' | 'resource' | 'server' | 'nothing'

/** Without a `Host`, Bun knows only path and query. */
export function hasMcpHost(url: string): boolean {
  return !url.startsWith('/') && isMcpHost(url, url.indexOf('//') + 2)
}

/**
 * Returns the route at `path`; undefined if other handlers serve it. A dedicated host has no other
 * handlers.
 */
export function findMcpRoute(path: string, isOwnHost: boolean): McpRoute | undefined {
  if (isOwnHost ? path === '/' || path === '/mcp' : path === OWN_PATH) return 'endpoint'
  if (isBelow(path, PROTECTED_RESOURCE, isOwnHost)) return 'resource'
  if (isBelow(path, AUTHORIZATION_SERVER, isOwnHost)) return 'server'
  return isOwnHost || path.startsWith('/oauth/') ? 'nothing' : undefined
}

/**
 * A well-known document applies to the whole host, or to the endpoint whose path follows the
 * document's name.
 */
function isBelow(path: string, document: string, isOwnHost: boolean): boolean {
  return path === document || path === document + (isOwnHost ? '/mcp' : OWN_PATH)
}

export interface Address {
  origin: string
  /** The URL of the endpoint as clients use it. */
  resource: string
  metadataUrl: string
}

/**
 * Returns the endpoint's address as the client of this request sees it. The `path` of the request
 * selects the host.
 */
export function addressOf(
  request: Request,
  { peer, path, isOwnHost }: { peer: string; path: string; isOwnHost: boolean },
  { proxies, originOf }: { proxies: Proxies; originOf: (request: Request, peer: string) => string },
): Address {
  if (!isOwnHost) {
    const origin = originOf(request, peer)
    return { origin, resource: origin + OWN_PATH, metadataUrl: origin + PROTECTED_RESOURCE + OWN_PATH }
  }
  const origin = forwardedOrigin(request, peer, proxies) ?? originOf(request, peer)
  const suffix = path.endsWith('/mcp') ? '/mcp' : ''
  return { origin, resource: origin + (suffix || '/'), metadataUrl: origin + PROTECTED_RESOURCE + suffix }
}
