/** Which of our origins a request was sent to, or why it is none of ours (R3.2). */
export type HostFound = { readonly origin: string } | { readonly refused: 'wrong_host' | 'invalid_request' }

/** A host name or bracketed address, perhaps with a port; nothing that could be user info, a path or a second host. */
const HOST = /^(?<name>[a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::(?<port>\d{1,5}))?$/

/** `host` is the Host header as it came; the scheme is that of the listed origin, whatever the transport says. */
export function createHosts(allowed: readonly string[]): (host: string | null) => HostFound {
  const origins = new Map(allowed.map((origin) => [hostAndPort(new URL(origin)), origin]))
  const schemes = new Map(allowed.map((origin) => [new URL(origin).hostname, new URL(origin).protocol]))
  return (host) => {
    const parsed = HOST.exec((host ?? '').toLowerCase())?.groups
    if (!parsed) return { refused: 'invalid_request' }
    const name = (parsed['name'] ?? '').replace(/\.$/, '')
    const standard = schemes.get(name) === 'http:' ? '80' : '443'
    const origin = origins.get(`${name}:${Number(parsed['port'] ?? standard)}`)
    return origin === undefined ? { refused: 'wrong_host' } : { origin }
  }
}

function hostAndPort({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`
}
