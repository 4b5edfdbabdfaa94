import { fchmodSync, fstatSync } from 'node:fs'

/**
 * Lets nobody but its owner read what is written to an open file, whatever it was or the shell's umask made it. Returns
 * false where the file is somebody else's. Pipes, terminals and devices stay as they are.
 */
export function makePrivate(fd: number): boolean {
  const { mode } = fstatSync(fd)
  if ((mode & FILE_TYPE) !== REGULAR_FILE || (mode & OTHERS) === 0) return true
  try {
    fchmodSync(fd, 0o600)
    return true
  } catch {
    return false
  }
}

const FILE_TYPE = 0o170000
const REGULAR_FILE = 0o100000
const OTHERS = 0o077
