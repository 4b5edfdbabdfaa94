import { fchmodSync, fstatSync } from 'node:fs'

/**
 * Makes an open file readable by its owner only, regardless of its mode and of the shell's umask.
 * Returns false if another user owns the file. Pipes, terminals and devices are not changed.
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
