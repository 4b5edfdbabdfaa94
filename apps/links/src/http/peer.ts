import { isLoopback } from '@latchkey/http/client-address'
import type { PeerSource } from '../redirect/redirect.ts'
import type { Settings } from '../settings/settings.ts'

/**
 * Returns the socket's peer, never an assumed one. Packets for 127.0.0.1 can come from another
 * machine (`route_localnet`), and only the address of a trusted proxy may set forwarding headers.
 */
export function peerOf(request: Request, server: PeerSource): string {
  return server.requestIP(request)?.address ?? ''
}

/**
 * Returns the function that reads the peer of a visitor. Asking the socket takes a twentieth of a
 * redirect. Without trusted proxies the address only distinguishes visitors, and on a loopback
 * listener all of them are this machine.
 */
export function visitorPeerReader({
  host,
  trustedProxies,
}: Pick<Settings, 'host' | 'trustedProxies'>): typeof peerOf {
  return isLoopback(host) && trustedProxies.length === 0 ? () => host : peerOf
}
