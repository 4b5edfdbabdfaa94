import { chmodSync, copyFileSync, linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { USER } from '../../../../scripts/release/image/configuration.ts'
import { baseEntries } from '../../../../scripts/release/image/root.ts'

const isRoot = process.getuid?.() === 0
const OWN_MOUNTS = ['unshare', ...(isRoot ? [] : ['--map-root-user']), '--mount']

/**
 * Whether tests can have mounts and a root folder of their own on this machine, as containers have.
 */
export const HAS_NAMESPACES =
  process.platform === 'linux' &&
  Bun.which('unshare') !== null &&
  Bun.spawnSync([...OWN_MOUNTS, 'true'], { stdout: 'ignore', stderr: 'ignore' }).exitCode === 0

/**
 * `$1` is the root folder, `$2` the data folder to mount at `$3`, `$4` the working directory, `$5`
 * the user; the rest is the command.
 */
const ENTER = `set -e
root=$1 data=$2 at=$3 folder=$4 user=$5; shift 5
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount --rbind /proc "$root/proc"
mount -t tmpfs -o mode=755 dev "$root/dev"
for device in null zero full random urandom; do touch "$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"; done
mount -t tmpfs -o mode=1777,noexec tmp "$root/tmp"
mount --bind "$data" "$root$at"
exec unshare --root="$root" --wd="$folder" \${user:+--setgid="$user" --setuid="$user"} "$@"`

interface Container {
  /** A folder of this machine, mounted at `at`. */
  data: string
  at?: string
  /** The working directory of the command. */
  folder?: string
  /** Further options of `unshare`, for more namespaces. */
  own?: readonly string[]
}

/** A root folder for commands that see nothing else of this machine but its network. */
export class Image {
  readonly root: string

  constructor(root = mkdtempSync(join(tmpdir(), 'latchkey-image-'))) {
    this.root = root
    chmodSync(root, 0o755)
    for (const folder of ['proc', 'dev', 'tmp']) mkdirSync(join(root, folder), { recursive: true })
  }

  /** The root folder of the published image with this executable, without the packing. */
  static async withExecutable(executable: string): Promise<Image> {
    const image = new Image()
    for (const { path, mode, content } of await baseEntries(process.arch === 'arm64' ? 'arm64' : 'amd64')) {
      const to = join(image.root, path)
      if (content === undefined) mkdirSync(to, { recursive: true })
      else writeFileSync(to, content)
      chmodSync(to, mode)
    }
    const program = join(image.root, 'latchkey')
    try {
      // The executable is large, and usually on the same file system.
      linkSync(executable, program)
    } catch {
      copyFileSync(executable, program)
    }
    return image
  }

  /** Wraps a command to run in this root, read-only, as an unprivileged user. */
  command({ data, at = '/data', folder = '/', own = [] }: Container, ...args: readonly string[]): string[] {
    const user = isRoot ? String(USER) : ''
    if (isRoot) Bun.spawnSync(['chown', '-R', `${user}:${user}`, data])
    return [...OWN_MOUNTS, ...own, 'sh', '-c', ENTER, 'enter', this.root, data, at, folder, user, ...args]
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true })
  }
}
