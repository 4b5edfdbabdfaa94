import { dlopen, ptr } from 'bun:ffi'
import { closeSync } from 'node:fs'
import { inodeOf } from './inherited-socket.ts'
import { findTcpSockets } from './tcp-table.ts'

const AF_INET = 2
const SOCK_STREAM = 1
const SOCK_CLOEXEC = 0o2000000
const BACKLOG = 4096

const libc = dlopen('libc.so.6', {
  socket: { args: ['int', 'int', 'int'], returns: 'int' },
  bind: { args: ['int', 'ptr', 'uint32_t'], returns: 'int' },
  listen: { args: ['int', 'int'], returns: 'int' },
}).symbols

/** A socket that listens on loopback and outlives the services that accept on it, as systemd's do. */
export class HeldSocket {
  readonly fd: number
  readonly port: number

  constructor(port = 0) {
    this.fd = libc.socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)
    const address = Buffer.alloc(16)
    address.writeUInt16LE(AF_INET, 0)
    address.writeUInt16BE(port, 2)
    address.set([127, 0, 0, 1], 4)
    if (libc.bind(this.fd, ptr(address), address.length) < 0 || libc.listen(this.fd, BACKLOG) < 0)
      throw new Error(`The port ${port} cannot be held`)
    this.port = findTcpSockets()?.find(({ inode }) => inode === inodeOf(this.fd))?.port ?? 0
  }

  close(): void {
    closeSync(this.fd)
  }
}

/**
 * What `Bun.spawn` needs to pass the sockets on by the protocol of systemd. The command becomes the
 * spawned process.
 */
export function passSockets(command: readonly string[], sockets: readonly HeldSocket[]) {
  return {
    command: ['/bin/sh', '-c', 'LISTEN_PID=$$ exec "$@"', 'sh', ...command],
    env: { LISTEN_FDS: String(sockets.length) },
    fds: sockets.map(({ fd }) => fd),
  }
}
