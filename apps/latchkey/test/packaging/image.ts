import { chmodSync, copyFileSync, linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../../..')
const isRoot = process.getuid?.() === 0
const OWN_MOUNTS = ['unshare', ...(isRoot ? [] : ['--map-root-user']), '--mount']

/**
 * Whether tests can have mounts and a root folder of their own on this machine, as containers have.
 */
export const HAS_NAMESPACES =
  process.platform === 'linux' &&
  Bun.which('unshare') !== null &&
  Bun.spawnSync([...OWN_MOUNTS, 'true'], { stdout: 'ignore', stderr: 'ignore' }).exitCode === 0

/** The unprivileged user of deploy/Dockerfile. */
const UNPRIVILEGED_USER = '65532'

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

  /**
   * An image with the executable, at /latchkey, and the libraries of C and C++: no shell, no Node,
   * no certificates.
   */
  static withExecutable(executable: string): Image {
    const image = new Image()
    mkdirSync(join(image.root, 'data'))
    image.#take(executable, '/latchkey')
    const embedded = new Bun.Glob('node_modules/@img/sharp-linux-*/lib/*.node').scanSync({ cwd: ROOT })
    const { stdout } = Bun.spawnSync(['ldd', executable, ...embedded], { cwd: ROOT })
    const libraries = Array.from(stdout.toString().matchAll(/\s(\/lib\S*) /g), ([, path = '']) => path)
    for (const library of new Set(libraries)) image.#take(library, library)
    return image
  }

  /** Wraps a command to run in this root, read-only, as an unprivileged user. */
  command({ data, at = '/data', folder = '/', own = [] }: Container, ...args: readonly string[]): string[] {
    const user = isRoot ? UNPRIVILEGED_USER : ''
    if (isRoot) Bun.spawnSync(['chown', '-R', `${user}:${user}`, data])
    return [...OWN_MOUNTS, ...own, 'sh', '-c', ENTER, 'enter', this.root, data, at, folder, user, ...args]
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true })
  }

  #take(file: string, at: string): void {
    const path = join(this.root, at)
    mkdirSync(dirname(path), { recursive: true })
    try {
      // The executable is large, and usually on the same file system.
      linkSync(realpathSync(file), path)
    } catch {
      copyFileSync(file, path)
    }
    chmodSync(path, 0o755)
  }
}
