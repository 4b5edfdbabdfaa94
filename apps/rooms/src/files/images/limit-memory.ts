import { dlopen, ptr } from 'bun:ffi'
import { readFileSync } from 'node:fs'
import process from 'node:process'

/** The number of RLIMIT_DATA on Linux. */
const RLIMIT_DATA = 2
const WATCH_EVERY_MS = 20

/**
 * Bounds what this process may allocate from now on, in bytes. On Linux the kernel refuses more, and
 * the process fails or crashes. Elsewhere the process ends itself soon after it has taken more.
 */
export function limitMemory(bytes: number): void {
  if (process.platform === 'linux' && setDataLimit(bytes)) return
  const maxBytes = process.memoryUsage.rss() + bytes
  setInterval(() => {
    if (process.memoryUsage.rss() > maxBytes) process.kill(process.pid, 'SIGKILL')
  }, WATCH_EVERY_MS).unref()
}

/** False without glibc. */
function setDataLimit(bytes: number): boolean {
  try {
    const { symbols } = dlopen('libc.so.6', { setrlimit: { args: ['int', 'ptr'], returns: 'int' } })
    const usedKib = Number(/^VmData:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1])
    const limit = BigInt(usedKib * 1024 + bytes)
    return symbols.setrlimit(RLIMIT_DATA, ptr(new BigUint64Array([limit, limit]))) === 0
  } catch {
    return false
  }
}
