import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type Finding, fail, ok, warn } from './finding.ts'

const MEGABYTE = 1024 ** 2
/**
 * Below `FAIL_BELOW` SQLite may already fail to extend its log. Below `WARN_BELOW` the operator
 * should act.
 */
const FAIL_BELOW = 100 * MEGABYTE
const WARN_BELOW = 1024 * MEGABYTE

/**
 * Checks the free space of the disks with these SQLite files, and that the files are writable.
 * `harm` is the consequence of a full disk.
 */
export async function checkDisk(paths: readonly string[], harm: string): Promise<Finding[]> {
  const folders = [...new Set(paths.map((path) => nearestFolder(resolve(path))))]
  const files = paths.flatMap((path) => ['', '-wal', '-shm'].map((end) => resolve(path) + end))
  return [
    ...(await Promise.all(folders.map((folder) => checkFolder(folder, harm)))),
    ...files
      .filter((file) => existsSync(file) && !isAllowed(file, constants.R_OK | constants.W_OK))
      .map(notWritable),
  ]
}

function isAllowed(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}

const notWritable = (path: string) =>
  fail('disk', `${path} is not writable by this user: change its owner or the path in the settings`)

function nearestFolder(path: string): string {
  const folder = dirname(path)
  return existsSync(folder) && statSync(folder).isDirectory() ? folder : nearestFolder(folder)
}

async function checkFolder(folder: string, harm: string): Promise<Finding> {
  if (!isAllowed(folder, constants.W_OK)) return notWritable(folder)
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const sentence = `${Math.floor(free / MEGABYTE)} MB free in ${folder}`
  if (free < FAIL_BELOW) return fail('disk', `${sentence}: free up space, or ${harm}`)
  return free < WARN_BELOW ? warn('disk', `${sentence}: free up space soon`) : ok('disk', sentence)
}
