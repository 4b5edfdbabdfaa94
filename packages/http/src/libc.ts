import { dlopen } from 'bun:ffi'

const MUSL = { x64: 'x86_64', arm64: 'aarch64' } as Partial<Record<NodeJS.Architecture, string>>
const NAMES = ['libc.so.6', `libc.musl-${MUSL[process.arch]}.so.1`]

const FUNCTIONS = {
  dup3: { args: ['int', 'int', 'int'], returns: 'int' },
  epoll_ctl: { args: ['int', 'int', 'int', 'ptr'], returns: 'int' },
  fcntl: { args: ['int', 'int', 'int'], returns: 'int' },
  setsockopt: { args: ['int', 'int', 'int', 'ptr', 'uint32_t'], returns: 'int' },
} as const

type Libc = ReturnType<typeof open>

let libc: Libc | undefined

/** Calls of Linux that the runtime does not offer. Undefined on other systems. */
export function findLibc(): Libc | undefined {
  if (process.platform !== 'linux') return undefined
  return (libc ??= open())
}

function open() {
  for (const name of NAMES)
    try {
      return dlopen(name, FUNCTIONS).symbols
    } catch {
      // The other C library is tried next.
    }
  throw new Error(`None of these libraries can be opened: ${NAMES.join(', ')}`)
}
