import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../../../rooms/test/until.ts'

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const SYSTEMD = '/lib/systemd/systemd'

/**
 * Starts systemd in a group `$1` of control groups, in the namespaces of a container. `$2` is an
 * empty folder, `$3` a folder that the machine sees as /mnt, `$4` the script `BOOT`.
 */
const ENTER = `set -e
mount -t cgroup2 cgroup "$2"
mkdir "$2/$1"
echo $$ >"$2/$1/cgroup.procs"
umount "$2"
exec unshare --cgroup --ipc --net --pid --uts --fork --kill-child sh -c "$4" boot "$2" "$3"`

/**
 * The files of this machine below a layer in memory, which takes all changes. Nothing that this
 * machine starts is started, and no setting of the kernel can be written.
 */
const BOOT = `set -e
state=$1 folder=$2 root=$1/root
mount -t tmpfs -o mode=755 state "$state"
mkdir "$state/upper" "$state/work" "$root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$state/upper,workdir=$state/work" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755 dev "$root/dev"
for device in null zero full random urandom tty; do touch "$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"; done
mkdir "$root/dev/shm" "$root/dev/pts"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
mount --bind -o ro /proc/sys "$root/proc/sys"
for folder_in_memory in run tmp dev/shm; do mount -t tmpfs -o mode=1777 memory "$root/$folder_in_memory"; done
chmod 755 "$root/run"
mount --bind "$folder" "$root/mnt"
rm -rf "$root"/etc/systemd/system/*.target.wants "$root"/usr/lib/systemd/system/*.target.wants "$root/etc/fstab"
printf '[Unit]\\nDefaultDependencies=no\\n' >"$root/etc/systemd/system/tests.target"
cd "$root"
mkdir .before
pivot_root . .before
umount -l .before
# systemd mounts credentials in a namespace of a child, and expects to see them.
mount --make-rshared /
exec env -i container=tests PATH=${PATH} ${SYSTEMD} --unit=tests.target --log-target=null`

/** Deletes the group `$1`, and those that systemd made in it. `$2` is an empty folder. */
const LEAVE = `mount -t cgroup2 cgroup "$2" && find "$2/$1" -depth -type d -exec rmdir {} +`

/** Machines need root, systemd and overlay mounts. */
export const HAS_MACHINES =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  ['unshare', 'nsenter', 'systemd-run'].every((program) => Bun.which(program) !== null)

export interface Result {
  code: number
  /** What it wrote to stdout and stderr. */
  output: string
}

/**
 * A machine with the programs of this one and systemd of its own, without network. Nothing that
 * happens on it changes this machine.
 */
export class Machine {
  readonly #name = `latchkey-tests-${process.pid}-${Math.random().toString(36).slice(2, 8)}`
  readonly #state = mkdtempSync(join(tmpdir(), 'latchkey-machine-'))
  readonly #child: Bun.Subprocess
  #pid = 0

  private constructor(folder: string) {
    chmodSync(this.#state, 0o755)
    this.#child = Bun.spawn(
      ['unshare', '--mount', 'sh', '-c', ENTER, 'enter', this.#name, this.#state, folder, BOOT],
      { stdin: 'ignore', stdout: 'ignore', stderr: 'inherit' },
    )
  }

  /** Boots a machine that sees `folder` as /mnt. */
  static async boot(folder: string): Promise<Machine> {
    const machine = new Machine(folder)
    await until(() => machine.#isBooted())
    return machine
  }

  /** The network of the machine, which other programs may enter: `nsenter --net=`. */
  get network(): string {
    return `/proc/${this.#pid}/ns/net`
  }

  /** Runs a command on the machine, as root, to its end. */
  run(...command: readonly string[]): Result {
    return this.runWithInput('', ...command)
  }

  /** `run` for a command that reads `input`. */
  runWithInput(input: string, ...command: readonly string[]): Result {
    const namespaces = ['--mount', '--pid', '--net', '--ipc', '--uts', '--cgroup', '--root', '--wdns=/']
    const { exitCode, stdout, stderr } = Bun.spawnSync(
      ['nsenter', `--target=${this.#pid}`, ...namespaces, ...command],
      { stdin: Buffer.from(input), env: { PATH, LC_ALL: 'C', SYSTEMD_PAGER: '' } },
    )
    return { code: exitCode, output: stdout.toString() + stderr.toString() }
  }

  /** The output of a command, which must succeed. */
  output(...command: readonly string[]): string {
    const { code, output } = this.run(...command)
    if (code !== 0) throw new Error(`${command.join(' ')} exited with ${code}: ${output}`)
    return output.trim()
  }

  async stop(): Promise<void> {
    if (this.#pid !== 0) process.kill(this.#pid, 'SIGKILL')
    this.#child.kill('SIGKILL')
    await this.#child.exited
    const leave = ['unshare', '--mount', 'sh', '-c', LEAVE, 'leave', this.#name, this.#state]
    await until(() => Bun.spawnSync(leave).exitCode === 0)
    rmSync(this.#state, { recursive: true, force: true })
  }

  async #isBooted(): Promise<boolean> {
    if (this.#child.exitCode !== null) throw new Error('The machine did not boot')
    const { pid } = this.#child
    const children = await Bun.file(`/proc/${pid}/task/${pid}/children`).text()
    this.#pid = Number(children.trim().split(' ')[0])
    return this.#pid > 0 && this.run('systemctl', 'is-system-running').output === 'running\n'
  }
}
