import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { SOURCES } from '../../voice/sources.ts'
import type { ClientFrame } from '../protocol.ts'

export type Candidate = NonNullable<Extract<ClientFrame, { type: 'voice.signal' }>['candidates']>[number]

/** Candidate over UDP (RFC 8839, 5.1). Browsers offer no others to which another one could connect. */
const CANDIDATE =
  /^candidate:([\w+/]{1,32}) 1 udp (\d{1,10}) ([\da-f.:]{2,45}|[\da-f-]{36}\.local) (\d{1,5}) typ (host|srflx|relay)(?: .*)?$/i
const UFRAG = /^[A-Za-z\d+/]{1,256}$/
const MID = /^\d$/
/** Below are the ports of services, from which no browser sends. */
const MIN_PORT = 1024
const MAX_PORT = 65_535

/** Addresses that are only valid on their own machine or link, or for many machines. */
const REFUSED_RANGES: ReadonlySet<string> = new Set([
  'unspecified',
  'broadcast',
  'multicast',
  'linkLocal',
  'loopback',
  // IPv6 addresses that stand for those of IPv4.
  'ipv4Mapped',
  'rfc6145',
  'rfc6052',
  '6to4',
  'teredo',
])

/**
 * The candidates through which a browser may be reached, written again from what was understood, and
 * without the addresses behind a NAT. The empty candidate ends them. `relayOnly`: only those of TURN
 * servers.
 */
export function readCandidates(candidates: readonly Candidate[], relayOnly: boolean): Candidate[] {
  return candidates.flatMap(({ candidate, sdpMid = null, sdpMLineIndex = null, usernameFragment = null }) => {
    const text = candidate === '' ? '' : readCandidate(candidate, relayOnly)
    const isKnown =
      (sdpMid === null || (MID.test(sdpMid) && Number(sdpMid) < SOURCES.length)) &&
      (usernameFragment === null || UFRAG.test(usernameFragment))
    return text === undefined || !isKnown
      ? []
      : [{ candidate: text, sdpMid, sdpMLineIndex, usernameFragment }]
  })
}

function readCandidate(text: string, relayOnly: boolean): string | undefined {
  const [, foundation, priority, address = '', port, type = ''] = CANDIDATE.exec(text) ?? []
  if (!isReachable(address) || Number(port) < MIN_PORT || Number(port) > MAX_PORT) return undefined
  const kind = type.toLowerCase()
  if (relayOnly && kind !== 'relay') return undefined
  const related = kind === 'host' ? '' : ' raddr 0.0.0.0 rport 0'
  return `candidate:${foundation} 1 udp ${priority} ${address} ${port} typ ${kind}${related}`
}

/** Names are those by which browsers hide their addresses (mDNS). */
function isReachable(address: string): boolean {
  if (address.toLowerCase().endsWith('.local')) return true
  return isIP(address) !== 0 && !REFUSED_RANGES.has(ipaddr.parse(address).range())
}
