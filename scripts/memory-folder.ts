import { chmodSync, existsSync, mkdtempSync, readFileSync, statfsSync } from 'node:fs'

const MOUNT = '/dev/shm'
/** Many times what a whole run has been seen to use. */
const MIN_FREE_BYTES = 4 * 1024 ** 3

/**
 * Creates a folder for temporary files that is in memory. Undefined if this machine has no room
 * there, or runs no programs from it. Databases of tests are on no disk then, for whose flushes a
 * service waits much longer than it computes: a test kills processes, and never the machine.
 */
export function createMemoryFolder(): string | undefined {
  const mount = existsSync('/proc/mounts')
    ? readFileSync('/proc/mounts', 'utf8').match(/^tmpfs \/dev\/shm tmpfs (\S+)/m)?.[1]
    : undefined
  if (mount === undefined || mount.split(',').includes('noexec')) return undefined
  const { bavail, bsize } = statfsSync(MOUNT)
  if (bavail * bsize < MIN_FREE_BYTES) return undefined
  // A killed run leaves its folder behind, and its process id may come again.
  const folder = mkdtempSync(`${MOUNT}/latchkey-tests-`)
  // PostgreSQL runs as another user if this is root.
  chmodSync(folder, 0o711)
  return folder
}
