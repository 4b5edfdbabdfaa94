import { dlopen, ptr } from 'bun:ffi'
import { readFileSync } from 'node:fs'
import process from 'node:process'

/** Numbers of limits on Linux. */
const RLIMIT_CPU = 0
const RLIMIT_DATA = 2
const WATCH_EVERY_MS = 20

/**
 * Bounds what this process may allocate from now on, in bytes, and its time on processors, in seconds.
 * On Linux the kernel refuses more, and the process fails or crashes. Elsewhere the process ends
 * itself soon after it has taken more.
 */
export function limitResources(bytes: number, seconds: number): void {
  if (process.platform === 'linux' && setLimits(bytes, seconds)) return
  const maxBytes = process.memoryUsage.rss() + bytes
  const maxSeconds = usedSeconds() + seconds
  setInterval(() => {
    if (process.memoryUsage.rss() > maxBytes || usedSeconds() > maxSeconds)
      process.kill(process.pid, 'SIGKILL')
  }, WATCH_EVERY_MS).unref()
}

/** False without glibc. */
function setLimits(bytes: number, seconds: number): boolean {
  try {
    const { symbols } = dlopen('libc.so.6', { setrlimit: { args: ['int', 'ptr'], returns: 'int' } })
    const usedKib = Number(/^VmData:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1])
    const set = (limit: number, value: number) =>
      symbols.setrlimit(limit, ptr(BigUint64Array.of(BigInt(value), BigInt(value)))) === 0
    return set(RLIMIT_DATA, usedKib * 1024 + bytes) && set(RLIMIT_CPU, Math.ceil(usedSeconds() + seconds))
  } catch {
    return false
  }
}

function usedSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000_000
}
