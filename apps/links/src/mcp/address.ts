import { type Proxies, forwardedOrigin } from '@latchkey/http/client-address'

/** Where the endpoint is on the service's own host. */
const OWN_PATH = '/_/mcp'

const PROTECTED_RESOURCE = '/.well-known/oauth-protected-resource'
const AUTHORIZATION_SERVER = '/.well-known/oauth-authorization-server'

/** What an address is to the MCP side. */
export type McpRoute = 'endpoint' | 'resource' | 'server' | 'nothing'

/** Whether the host of this URL is one of its own for the endpoint: `mcp.<domain>`. `host` is where it begins. */
export function isMcpHost(url: string, host: number): boolean {
  return url.startsWith('mcp.', host)
}

/** Of a request without a `Host`, Bun knows only path and query. */
export function hasMcpHost(url: string): boolean {
  return !url.startsWith('/') && isMcpHost(url, url.indexOf('//') + 2)
}

/** What is at `path`; undefined when that is for others to say. On a host of its own nothing is. */
export function findMcpRoute(path: string, isOwnHost: boolean): McpRoute | undefined {
  if (isOwnHost ? path === '/' || path === '/mcp' : path === OWN_PATH) return 'endpoint'
  if (isBelow(path, PROTECTED_RESOURCE, isOwnHost)) return 'resource'
  if (isBelow(path, AUTHORIZATION_SERVER, isOwnHost)) return 'server'
  return isOwnHost || path.startsWith('/oauth/') ? 'nothing' : undefined
}

/** A well-known document is for the whole host, or for the endpoint whose path follows its name. */
function isBelow(path: string, document: string, isOwnHost: boolean): boolean {
  return path === document || path === document + (isOwnHost ? '/mcp' : OWN_PATH)
}

export interface Address {
  origin: string
  /** The endpoint, as clients name it. */
  resource: string
  metadataUrl: string
}

/** How the client that sent this request sees the endpoint. `path` is the one of its request, for what host it may be. */
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
