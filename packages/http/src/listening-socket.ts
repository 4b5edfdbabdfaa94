import { ptr } from 'bun:ffi'
import { readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { inodeOf } from './inherited-socket.ts'
import { findLibc } from './libc.ts'
import { LISTENING, findTcpSockets } from './tcp-table.ts'

const O_CLOEXEC = 0o2000000
const O_NONBLOCK = 0o4000
const [F_SETFD, F_GETFL, F_SETFL] = [2, 3, 4]
const FD_CLOEXEC = 1
const EPOLL_CTL_ADD = 1
const EPOLL_CTL_DEL = 2
const SOL_SOCKET = 1
const SO_ATTACH_FILTER = 26

/**
 * A program for packets of the listener, as classic BPF (code, jumps if true and if false, operand):
 * a packet with the flag SYN begins a connection and is dropped, every other one passes.
 */
const DROP_SYN: readonly (readonly [code: number, ifTrue: number, ifFalse: number, operand: number])[] = [
  [0x30, 0, 0, 13],
  [0x45, 0, 1, 0x02],
  [0x06, 0, 0, 0],
  [0x06, 0, 0, 0xff_ff_ff_ff],
]

/**
 * The socket on which a server of this process listens, and the entry by which the event loop of the
 * runtime watches it. Bun 1.4 can neither listen on a socket that exists nor pause one
 * (https://github.com/oven-sh/bun/issues/22559): once it can, `replace` and `pause` are its work.
 */
export class ListeningSocket {
  readonly isInherited: boolean
  readonly #libc
  readonly #fd: number
  readonly #epoll: number
  readonly #event: Uint8Array

  private constructor(libc: NonNullable<ReturnType<typeof findLibc>>, entry: Entry, isInherited: boolean) {
    this.#libc = libc
    this.#fd = entry.fd
    this.#epoll = entry.epoll
    this.#event = entry.event
    this.isInherited = isInherited
  }

  /** The socket with this port. Undefined on other systems than Linux. */
  static find(port: number): ListeningSocket | undefined {
    const libc = findLibc()
    const entry = libc && findEntry(port)
    return entry && new ListeningSocket(libc, entry, false)
  }

  /** Puts the inherited socket in the place of this one, which is closed. */
  replace(inherited: number): ListeningSocket {
    const { dup3, epoll_ctl, fcntl } = this.#libc
    // The runtime accepts until no connection waits.
    check('fcntl', fcntl(inherited, F_SETFL, fcntl(inherited, F_GETFL, 0) | O_NONBLOCK))
    // No program that the service starts gets it.
    check('fcntl', fcntl(inherited, F_SETFD, FD_CLOEXEC))
    check('dup3', dup3(inherited, this.#fd, O_CLOEXEC))
    // The entry ended with the replaced socket.
    check('epoll_ctl', epoll_ctl(this.#epoll, EPOLL_CTL_ADD, this.#fd, ptr(this.#event)))
    return new ListeningSocket(this.#libc, { fd: this.#fd, epoll: this.#epoll, event: this.#event }, true)
  }

  /**
   * Begins no further connections. Those that clients begin on an inherited socket wait there for the
   * next process. Those on a socket of this process are not answered, until it closes. Begun ones
   * are completed and accepted first, since a close resets them.
   */
  pause(): void {
    const { epoll_ctl, setsockopt } = this.#libc
    if (this.isInherited) {
      epoll_ctl(this.#epoll, EPOLL_CTL_DEL, this.#fd, ptr(this.#event))
      return
    }
    const instructions = Buffer.alloc(8 * DROP_SYN.length)
    for (const [index, [code, ifTrue, ifFalse, operand]] of DROP_SYN.entries()) {
      instructions.writeUInt16LE(code, 8 * index)
      instructions.writeUInt8(ifTrue, 8 * index + 2)
      instructions.writeUInt8(ifFalse, 8 * index + 3)
      instructions.writeUInt32LE(operand, 8 * index + 4)
    }
    const program = Buffer.alloc(16)
    program.writeUInt16LE(DROP_SYN.length, 0)
    program.writeBigUInt64LE(BigInt(ptr(instructions)), 8)
    setsockopt(this.#fd, SOL_SOCKET, SO_ATTACH_FILTER, ptr(program), program.length)
  }
}

function check(call: string, result: number): void {
  if (result < 0) throw new Error(`The inherited socket cannot be used: ${call} failed`)
}

interface Entry {
  fd: number
  epoll: number
  /** `struct epoll_event` with the flags and the data of the entry. */
  event: Uint8Array
}

/** Columns: descriptor, flags, data. */
const ENTRY = /^tfd: +(\d+) +events: +([0-9a-f]+) +data: +([0-9a-f]+)/gm

function findEntry(port: number): Entry | undefined {
  const inodes = new Set(
    findTcpSockets(port)
      ?.filter(({ state }) => state === LISTENING)
      .map(({ inode }) => inode),
  )
  for (const epoll of readdirSync('/proc/self/fd').map(Number).filter(isEpoll))
    for (const [, fd, flags = '', data] of readFileSync(`/proc/self/fdinfo/${epoll}`, 'latin1').matchAll(
      ENTRY,
    ))
      if (inodes.has(inodeOf(Number(fd)) ?? -1))
        return { fd: Number(fd), epoll, event: toEvent(Number.parseInt(flags, 16), BigInt(`0x${data}`)) }
  return undefined
}

function isEpoll(fd: number): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`) === 'anon_inode:[eventpoll]'
  } catch {
    return false
  }
}

/** The struct is packed on x86-64 only. */
function toEvent(flags: number, data: bigint): Uint8Array {
  const dataAt = process.arch === 'x64' ? 4 : 8
  const event = Buffer.alloc(dataAt + 8)
  event.writeUInt32LE(flags, 0)
  event.writeBigUInt64LE(data, dataAt)
  return event
}
