import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LATCHKEY } from '../../../scripts/latchkey-command.ts'

const WITHIN_MS = 30_000

export interface Ended {
  code: number
  out: string
  err: string
}

/** A folder with its own instance, in which commands run as processes. */
export class Workspace {
  readonly folder = mkdtempSync(join(tmpdir(), 'latchkey-command-'))
  readonly #environment: Record<string, string>
  readonly #command: readonly string[]
  readonly #ownGroup: boolean

  constructor(
    environment: Record<string, string> = {},
    command: readonly string[] = LATCHKEY,
    /** A process group as in a terminal, for `pressCtrlC`. */
    ownGroup = false,
  ) {
    this.#environment = environment
    this.#command = command
    this.#ownGroup = ownGroup
  }

  get database(): string {
    return join(this.folder, 'data', 'links.db')
  }

  path(name: string): string {
    return join(this.folder, name)
  }

  async write(name: string, text: string): Promise<string> {
    await Bun.write(this.path(name), text)
    return this.path(name)
  }

  spawn(args: readonly string[], environment: Record<string, string> = {}) {
    return Bun.spawn([...this.#command, ...args], {
      cwd: this.folder,
      detached: this.#ownGroup,
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'pipe',
      env: {
        PATH: process.env['PATH'] ?? '',
        LINKS_PORT: '0',
        ROOMS_PORT: '0',
        LINKS_TITLE_FETCH: 'off',
        ...this.#environment,
        ...environment,
      },
    })
  }

  /** Runs a command to its end. */
  async run(
    args: readonly string[],
    { stdin = '', env = {} }: { stdin?: string; env?: Record<string, string> } = {},
  ): Promise<Ended> {
    const child = this.spawn(args, env)
    const timer = setTimeout(() => child.kill('SIGKILL'), WITHIN_MS)
    await child.stdin.write(stdin)
    await child.stdin.end()
    const [out, err, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    clearTimeout(timer)
    return { code, out, err }
  }

  /** Starts a long-running command. `out` accumulates its output. */
  async start(
    args: readonly string[],
    until: RegExp,
    environment: Record<string, string> = {},
  ): Promise<Service> {
    const child = this.spawn(args, environment)
    const service = new Service(child)
    await service.wrote(until)
    return service
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

export class Service {
  out = ''
  readonly #child: ReturnType<Workspace['spawn']>
  readonly #read: Promise<void>

  constructor(child: ReturnType<Workspace['spawn']>) {
    this.#child = child
    this.#read = this.#follow()
  }

  /** The origin at which a service listens. */
  originOf(service: 'links' | 'rooms'): string {
    const line = this.out
      .split('\n')
      .find((each) => each.includes('"listening"') && each.includes(`"service":"${service}"`))
    return new URL((JSON.parse(line ?? '{}') as { url: string }).url).origin
  }

  get origin(): string {
    return this.originOf('links')
  }

  async wrote(pattern: RegExp): Promise<void> {
    const deadlineMs = performance.now() + WITHIN_MS
    while (!pattern.test(this.out)) {
      if (this.#child.exitCode !== null || performance.now() > deadlineMs)
        throw new Error(
          `The command did not write ${pattern}: ${this.out}${await new Response(this.#child.stderr).text()}`,
        )
      await Bun.sleep(5)
    }
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#child.exited
  }

  /** Sends the signal, and returns the exit code. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number> {
    this.#child.kill(signal)
    const code = await this.#child.exited
    await this.#read
    return code
  }

  /** Sends SIGINT to all processes of the group, as a terminal does, and returns the exit code. */
  async pressCtrlC(): Promise<number> {
    process.kill(-this.#child.pid, 'SIGINT')
    const code = await this.#child.exited
    await this.#read
    return code
  }

  /**
   * `stop` for the first process of a container, which is the only child of the started process.
   */
  async stopFirst(signal: NodeJS.Signals): Promise<number> {
    const { pid } = this.#child
    const children = await Bun.file(`/proc/${pid}/task/${pid}/children`).text()
    process.kill(Number(children.trim()), signal)
    const code = await this.#child.exited
    await this.#read
    return code
  }

  async #follow(): Promise<void> {
    const decoder = new TextDecoder()
    for await (const piece of this.#child.stdout) this.out += decoder.decode(piece, { stream: true })
  }
}
