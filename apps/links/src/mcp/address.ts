import { type Proxies, forwardedOrigin } from '@latchkey/http/client-address'

/** Where the endpoint is on the service's own host. */
const OWN_PATH = '/_/mcp'

const PROTECTED_RESOURCE = '/.well-known/oauth-protected-resource'
const AUTHORIZATION_SERVER = '/.well-known/oauth-authorization-server'

/** What an address is to the MCP side. */
export type Place = 'endpoint' | 'resource' | 'server' | 'nothing'

/** Whether the host of this URL is one of its own for the endpoint: `mcp.<domain>`. `host` is where it begins. */
export function isMcpHost(url: string, host: number): boolean {
  return url.startsWith('mcp.', host)
}

/** Of a request without a `Host`, Bun knows only path and query. */
export function hasMcpHost(url: string): boolean {
  return !url.startsWith('/') && isMcpHost(url, url.indexOf('//') + 2)
}

/** What is at `path`; undefined when that is for others to say. On a host of its own nothing is. */
export function placeOf(path: string, ownHost: boolean): Place | undefined {
  if (ownHost ? path === '/' || path === '/mcp' : path === OWN_PATH) return 'endpoint'
  if (isBelow(path, PROTECTED_RESOURCE, ownHost)) return 'resource'
  if (isBelow(path, AUTHORIZATION_SERVER, ownHost)) return 'server'
  return ownHost || path.startsWith('/oauth/') ? 'nothing' : undefined
}

/** A well-known document is for the whole host, or for the endpoint whose path follows its name. */
function isBelow(path: string, document: string, ownHost: boolean): boolean {
  return path === document || path === document + (ownHost ? '/mcp' : OWN_PATH)
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
  { peer, path, ownHost }: { peer: string; path: string; ownHost: boolean },
  { proxies, originOf }: { proxies: Proxies; originOf: (request: Request, peer: string) => string },
): Address {
  if (!ownHost) {
    const origin = originOf(request, peer)
    return { origin, resource: origin + OWN_PATH, metadataUrl: origin + PROTECTED_RESOURCE + OWN_PATH }
  }
  const origin = forwardedOrigin(request, peer, proxies) ?? originOf(request, peer)
  const tail = path.endsWith('/mcp') ? '/mcp' : ''
  return { origin, resource: origin + (tail || '/'), metadataUrl: origin + PROTECTED_RESOURCE + tail }
}
