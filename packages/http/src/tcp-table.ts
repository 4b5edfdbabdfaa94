import { readFileSync } from 'node:fs'

/** A TCP socket of this machine, as the kernel lists it. */
export interface TcpSocket {
  address: string
  port: number
  state: string
  /** 0 while no process has accepted the connection. */
  inode: number
}

/** States of the table. */
export const ESTABLISHED = '01'
export const HANDSHAKE = '03'
export const LISTENING = '0A'

const TABLES = ['tcp', 'tcp6'].map((name) => `/proc/self/net/${name}`)
/** Number, local address and port, remote ones, state, queues, timers, retransmissions, user, timeout, inode. */
const ROW = /^ *\d+: ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F:]+ ([0-9A-F]{2}) \S+ \S+ \S+ +\d+ +\d+ (\d+)/gm

/** All TCP sockets with this local port, or all. Undefined on systems that do not list them. */
export function findTcpSockets(port?: number): TcpSocket[] | undefined {
  try {
    return TABLES.flatMap((path) => read(path)).filter((socket) => port === undefined || socket.port === port)
  } catch {
    return undefined
  }
}

function read(path: string): TcpSocket[] {
  return [...readFileSync(path, 'latin1').matchAll(ROW)].map(
    ([, address = '', port = '', state = '', inode]) => ({
      address: toAddress(address),
      port: Number.parseInt(port, 16),
      state,
      inode: Number(inode),
    }),
  )
}

/** The table shows each four bytes of an address as a number in the byte order of the machine. */
function toAddress(hex: string): string {
  const bytes = Buffer.from(hex, 'hex').swap32()
  if (bytes.length === 4) return bytes.join('.')
  return `[${bytes.toString('hex').match(/.{4}/g)?.join(':')}]`
}
