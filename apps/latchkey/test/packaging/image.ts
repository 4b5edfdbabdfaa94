import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Whether this machine lets a test have mounts and a root folder of its own, as containers have. */
export const HAS_NAMESPACES =
  process.platform === 'linux' &&
  Bun.spawnSync(['unshare', ...asRoot(), '--mount', 'true'], { stdout: 'ignore', stderr: 'ignore' })
    .exitCode === 0

function asRoot(): string[] {
  return process.getuid?.() === 0 ? [] : ['--map-root-user']
}

/** Nobody in particular, as in deploy/Dockerfile. */
const USER = 65532

/** `$1` is the root folder, `$2` what is mounted at /data; the rest is the command. Becomes that command. */
const ENTER = `set -e
root=$1 data=$2; shift 2
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount --rbind /proc "$root/proc"
mount -t tmpfs -o mode=755 dev "$root/dev"
for device in null zero full random urandom; do touch "$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"; done
mount -t tmpfs -o mode=1777 tmp "$root/tmp"
mount --bind "$data" "$root/data"
cd /
if [ -n "$AS_USER" ]; then exec chroot --userspec="$AS_USER:$AS_USER" "$root" "$@"; else exec chroot "$root" "$@"; fi`

/** A root folder with the executable, the C library that it needs and nothing else: no shell, no Node, no certificates. */
export class Image {
  readonly root = mkdtempSync(join(tmpdir(), 'latchkey-image-'))
  readonly program = '/latchkey'

  constructor(executable: string) {
    chmodSync(this.root, 0o755)
    for (const folder of ['proc', 'dev', 'tmp', 'data']) mkdirSync(join(this.root, folder))
    this.#take(executable, this.program)
    const { stdout } = Bun.spawnSync(['ldd', executable])
    for (const [library] of stdout.toString().matchAll(/\/\S+/g)) this.#take(library, library)
  }

  /** What to run, in place of the command itself: in this root, which cannot be written, as a user without rights. */
  command(data: string, ...args: readonly string[]): string[] {
    const user = process.getuid?.() === 0 ? String(USER) : ''
    if (user !== '') Bun.spawnSync(['chown', '-R', `${user}:${user}`, data])
    const enter = ['sh', '-c', ENTER, 'enter', this.root, data, ...args]
    return ['env', `AS_USER=${user}`, 'unshare', ...asRoot(), '--mount', ...enter]
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true })
  }

  #take(file: string, at: string): void {
    const path = join(this.root, at)
    mkdirSync(dirname(path), { recursive: true })
    copyFileSync(file, path)
    chmodSync(path, 0o755)
  }
}
