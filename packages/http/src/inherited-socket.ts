import { readlinkSync } from 'node:fs'
import { LISTENING, findTcpSockets } from './tcp-table.ts'

/** The number of the first socket that a supervisor passes, by the protocol of `sd_listen_fds(3)`. */
const FIRST = 3

/** The supervisor of this process passed sockets, and the service can use none of them. */
export class UnusableSocket extends Error {
  override readonly name = 'UnusableSocket'
}

/**
 * Returns the descriptor of the listening socket with this port that systemd, or another supervisor
 * with its protocol, has passed to this process. Undefined if it passed none at all. Throws
 * `UnusableSocket` if none of them has this port: their clients would wait forever.
 */
export function findInheritedSocket(port: number): number | undefined {
  const { LISTEN_PID, LISTEN_FDS } = process.env
  if (LISTEN_PID !== String(process.pid)) return undefined
  const passed = Array.from({ length: Number(LISTEN_FDS) || 0 }, (_, index) => FIRST + index)
  if (passed.length === 0) return undefined
  const ports = passed.map(portOf)
  const matching = passed.filter((_, index) => ports[index] === port)
  if (matching.length === 1) return matching[0]
  const others = ports.map((each) => each ?? 'not of TCP').join(', ')
  throw new UnusableSocket(
    matching.length === 0
      ? `The service is to listen on port ${port}, but the ports of the sockets that its supervisor passed are: ${others}. Set the same port in both places, the service and its socket unit`
      : `The supervisor passed several sockets with port ${port}: pass one, such as [::]:${port} for all addresses`,
  )
}

function portOf(fd: number): number | undefined {
  const inode = inodeOf(fd)
  return findTcpSockets()?.find((socket) => socket.inode === inode && socket.state === LISTENING)?.port
}

/** The inode of an open socket; undefined if the descriptor is anything else. */
export function inodeOf(fd: number): number | undefined {
  try {
    const [, inode] = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${fd}`)) ?? []
    return inode === undefined ? undefined : Number(inode)
  } catch {
    return undefined
  }
}
