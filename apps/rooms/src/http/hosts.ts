/** Which of our origins a request was sent to, or why it is none of ours (R3.2). */
export type HostMatch = { readonly origin: string } | { readonly refused: 'wrong_host' | 'invalid_request' }

/** A host name or bracketed address, perhaps with a port; nothing that could be user info, a path or a second host. */
const HOST = /^(?<name>[a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::(?<port>[1-9]\d{0,4}))?$/

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'https:': '443', 'http:': '80' }

/** Lower-cased, and without one dot at the end of the name; undefined for what is none or could be two. */
function parseHost(host: string | null): { name: string; port: string | undefined } | undefined {
  const { name, port } = HOST.exec((host ?? '').toLowerCase())?.groups ?? {}
  return name === undefined ? undefined : { name: name.replace(/\.$/, ''), port }
}

/** The name in a Host header. */
export function hostNameOf(host: string | null): string | undefined {
  return parseHost(host)?.name
}

/**
 * `host` is the Host header as it came, two of them joined by a comma. The scheme is that of the listed origin, whatever
 * the transport says.
 */
export function createHosts(allowed: readonly string[]): (host: string | null) => HostMatch {
  const origins = new Map<string, HostMatch>()
  for (const origin of allowed) {
    const { hostname, port, protocol } = new URL(origin)
    const own = port || (DEFAULT_PORTS[protocol] ?? '')
    origins.set(`${hostname}:${own}`, { origin })
    // Without a port, the first origin of this name whose port is its scheme's own.
    if (port === '' && !origins.has(hostname)) origins.set(hostname, { origin })
  }
  // Every request asks more than once, and nearly always as the one before did.
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
