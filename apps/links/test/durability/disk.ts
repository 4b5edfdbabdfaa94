import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Server } from './server.ts'

/** Storage that a test can fill up, for a server with its files in `folder`. */
export interface Disk {
  readonly kind: string
  readonly folder: string
  start(): Promise<Server>
  /** Makes every later write fail. */
  fill(server: Server): void
  /** Frees space again. */
  free(): void
  close(): void
}

const SIZE = '8m'

function succeeds(command: string, ...rest: string[]): boolean {
  return spawnSync(command, rest, { stdio: 'ignore' }).status === 0
}

/** A small file system of its own. It can be filled up without a server. */
interface MountedDisk extends Omit<Disk, 'fill'> {
  fill(server?: Server): void
  remount(mode: 'ro' | 'rw'): boolean
}

/** Undefined if this process may not mount one. */
export function mountDisk(size = SIZE): MountedDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-disk-'))
  if (process.getuid?.() !== 0 || !succeeds('mount', '-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder)) {
    rmSync(folder, { recursive: true })
    return undefined
  }
  const ballast = (part: number) => join(folder, `ballast-${part}`)
  return {
    kind: 'a full disk',
    folder,
    start: () => Server.start(folder),
    fill() {
      const { bsize, bavail } = statfsSync(folder)
      try {
        writeFileSync(ballast(1), Buffer.alloc(bsize * bavail))
      } catch (error) {
        // The server may have written in between: any remaining space is filled as well.
        if ((error as { code?: unknown }).code !== 'ENOSPC') throw error
      }
    },
    free() {
      for (const file of readdirSync(folder)) if (file.startsWith('ballast')) rmSync(join(folder, file))
    },
    remount: (how) => succeeds('mount', '-o', `remount,${how}`, folder),
    close() {
      if (!succeeds('umount', folder)) succeeds('umount', '-l', folder)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * An ordinary folder and a limit on the writes of the server: every write fails with an I/O error.
 */
export function createLimitedDisk(): Disk {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-disk-'))
  const limit = ({ pid }: Server, bytes: string) =>
    succeeds('prlimit', '--pid', String(pid), `--fsize=${bytes}:unlimited`)
  const limitedServers = new Set<Server>()
  return {
    kind: 'a disk that fails',
    folder,
    // The signal that accompanies the error would end a program that does not ignore it.
    start: () => Server.start(folder, { wrapper: ['sh', '-c', `trap '' XFSZ; exec "$@"`, 'sh'] }),
    fill(server) {
      if (!limit(server, '0')) throw new Error('prlimit does not work here')
      limitedServers.add(server)
    },
    free() {
      // A process that ended has no limit left.
      for (const server of limitedServers) limit(server, 'unlimited')
      limitedServers.clear()
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Both kinds if possible. Some environments forbid mounts, and only Linux has `prlimit`. */
export function availableDisks(): Disk[] {
  const mounted = mountDisk()
  return [...(mounted ? [mounted] : []), ...(process.platform === 'linux' ? [createLimitedDisk()] : [])]
}
