/** The allowed origin that a request was sent to, or the reason why it is refused (R3.2). */
export type HostMatch = { readonly origin: string } | { readonly refused: 'wrong_host' | 'invalid_request' }

/**
 * A host name or bracketed address, optionally with a port. User info, paths and second hosts do
 * not match.
 */
const HOST = /^(?<name>[a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::(?<port>[1-9]\d{0,4}))?$/

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'https:': '443', 'http:': '80' }

/**
 * The name is in lower case, without one trailing dot. Undefined for an invalid or ambiguous
 * header.
 */
function parseHost(host: string | null): { name: string; port: string | undefined } | undefined {
  const { name, port } = HOST.exec((host ?? '').toLowerCase())?.groups ?? {}
  return name === undefined ? undefined : { name: name.replace(/\.$/, ''), port }
}

/** The name in a Host header. */
export function hostNameOf(host: string | null): string | undefined {
  return parseHost(host)?.name
}

/**
 * `host` is the Host header as received. Two of them are joined by a comma. The scheme is that of
 * the allowed origin, whatever the transport is.
 */
export function createHosts(allowed: readonly string[]): (host: string | null) => HostMatch {
  const origins = new Map<string, HostMatch>()
  for (const origin of allowed) {
    const { hostname, port, protocol } = new URL(origin)
    const own = port || (DEFAULT_PORTS[protocol] ?? '')
    origins.set(`${hostname}:${own}`, { origin })
    // Without a port, a host means the first allowed origin of this name with the default port of
    // its scheme.
    if (port === '' && !origins.has(hostname)) origins.set(hostname, { origin })
  }
  // A cache of one entry: each request is looked up more than once, and most have the same host as
  // the one before.
  let lastHost: string | null | undefined
  let lastFound: HostMatch = { refused: 'invalid_request' }
  const find = (host: string | null): HostMatch => {
    const parsed = parseHost(host)
    if (parsed === undefined) return { refused: 'invalid_request' }
    const { name, port } = parsed
    return origins.get(port === undefined ? name : `${name}:${port}`) ?? { refused: 'wrong_host' }
  }
  return (host) => {
    if (host !== lastHost) {
      lastFound = find(host)
      lastHost = host
    }
    return lastFound
  }
}
