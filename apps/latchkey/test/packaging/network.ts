/** Network namespaces require root, `ip` of iproute2, and `sysctl` for their settings. */
export const HAS_NETWORKS =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  ['ip', 'sysctl'].every((program) => Bun.which(program) !== null) &&
  canMakeOne()

function canMakeOne(): boolean {
  const name = `latchkey-probe-${process.pid}`
  const isCreated = Bun.spawnSync(['ip', 'netns', 'add', name]).exitCode === 0
  if (isCreated) Bun.spawnSync(['ip', 'netns', 'del', name])
  return isCreated
}

/** Isolated machines with their own addresses, connected by a switch. */
export class Network {
  static #count = 0
  readonly #prefix = `latchkey-${process.pid}-${Network.#count++}`
  readonly #names: string[] = []

  constructor() {
    this.#ip('netns', 'add', this.#space('switch'))
    this.#ip('-n', this.#space('switch'), 'link', 'add', 'bridge', 'type', 'bridge')
    this.#ip('-n', this.#space('switch'), 'link', 'set', 'bridge', 'up')
  }

  /** Adds a machine. */
  join(name: string, address: string): void {
    const [own, hub] = [this.#space(name), this.#space('switch')]
    this.#ip('netns', 'add', own)
    const port = `port${this.#names.push(name)}`
    this.#ip('-n', hub, 'link', 'add', port, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', own)
    this.#ip('-n', hub, 'link', 'set', port, 'master', 'bridge', 'up')
    this.#ip('-n', own, 'addr', 'add', `${address}/24`, 'dev', 'eth0')
    for (const device of ['eth0', 'lo']) this.#ip('-n', own, 'link', 'set', device, 'up')
  }

  /** Wraps a command to run on a machine of the network. */
  at(name: string, ...command: readonly string[]): string[] {
    return ['ip', 'netns', 'exec', this.#space(name), ...command]
  }

  remove(): void {
    for (const name of [...this.#names, 'switch']) this.#ip('netns', 'del', this.#space(name))
  }

  #space(name: string): string {
    return `${this.#prefix}-${name}`
  }

  #ip(...args: readonly string[]): void {
    const { exitCode, stderr } = Bun.spawnSync(['ip', ...args])
    if (exitCode !== 0) throw new Error(`ip ${args.join(' ')}: ${stderr.toString()}`)
  }
}
