import { dlopen } from 'bun:ffi'

/** musl, too, takes this name of glibc for itself. */
const LIBRARY = 'libc.so.6'

const FUNCTIONS = {
  dup3: { args: ['int', 'int', 'int'], returns: 'int' },
  epoll_ctl: { args: ['int', 'int', 'int', 'ptr'], returns: 'int' },
  fcntl: { args: ['int', 'int', 'int'], returns: 'int' },
  setsockopt: { args: ['int', 'int', 'int', 'ptr', 'uint32_t'], returns: 'int' },
} as const

let libc: ReturnType<typeof open> | undefined

/** Calls of Linux that the runtime does not offer. Undefined on other systems. */
export function findLibc(): ReturnType<typeof open> | undefined {
  if (process.platform !== 'linux') return undefined
  return (libc ??= open())
}

function open() {
  return dlopen(LIBRARY, FUNCTIONS).symbols
}
