import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isShown, isWithin } from './normalize-output.ts'
import { type Command, ROOT } from './page.ts'

/** A Python with the dependencies of the client; see CONTRIBUTING.md. */
const PYTHON = process.env['LATCHKEY_TEST_PYTHON_TOOLS'] ?? ''
const WITHIN_MS = 60_000
/** The ports on the pages. A run replaces each by a free one. */
const PORTS = [8080, 8081, 8082, 8083, 8443, 9090]

/** The host of PostgreSQL on the pages. */
const POSTGRES_HOST = 'db.internal'

/**
 * A shell in a folder that looks like a fresh clone of the repository after `npm ci`. Commands
 * share the shell, and with it their variables.
 */
export class Terminal {
  readonly #home = mkdtempSync(join(tmpdir(), 'latchkey-docs-'))
  readonly #clone = join(this.#home, 'latchkey')
  readonly #ports: ReadonlyMap<number, number>
  readonly #postgres: URL | undefined
  readonly #bash: Bun.Subprocess<'pipe', 'pipe', 'ignore'>
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #background: { pid: number; file: string }[] = []
  #output = ''
  #count = 0

  constructor(ports: ReadonlyMap<number, number>, postgres: string | undefined) {
    this.#ports = ports
    this.#postgres = postgres === undefined ? undefined : new URL(postgres)
    this.#makeClone()
    this.#bash = Bun.spawn(['bash', '--norc', '--noprofile'], {
      cwd: this.#clone,
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'ignore',
      env: this.#environment(),
    })
    this.#reader = this.#bash.stdout.getReader()
    // Each job gets its own process group, as in a terminal: Ctrl+C reaches all processes of a job.
    this.#write('set -m\n')
  }

  static async open(postgres?: string): Promise<Terminal> {
    return new Terminal(await freePorts(), postgres)
  }

  /** Runs a command to its end. Throws if its output differs from the page. */
  async run(command: Command): Promise<void> {
    const file = this.#newFile()
    this.#write(`{ ${this.mapPorts(command.text)}\n} >'${file}' 2>&1 </dev/null; echo "ended $?"\n`)
    const code = Number((await this.#line(/^ended (\d+)$/m))[1])
    const printed = this.#normalize(readFileSync(file, 'utf8'))
    if (!isShown(command.prints, printed)) throw new Different(command, printed)
    if (code !== 0 && command.prints.trim() === '')
      throw new Different(command, `nothing, and ended with ${code}`)
  }

  /** Starts a background command, and waits until it has printed the output on the page. */
  async begin(command: Command): Promise<void> {
    if (command.prints.trim() === '') throw new Error('What runs in the background must show what it prints')
    const file = this.#newFile()
    this.#write(`${this.mapPorts(command.text)} >'${file}' 2>&1 </dev/null &\necho "began $!"\n`)
    const pid = Number((await this.#line(/^began (\d+)$/m))[1])
    this.#background.push({ pid, file })
    const deadlineMs = performance.now() + WITHIN_MS
    for (;;) {
      // Checked first: a process that has ended has printed all of its output.
      const goesOn = isAlive(pid)
      const printed = existsSync(file) ? this.#normalize(readFileSync(file, 'utf8')) : ''
      if (isWithin(command.prints, printed)) return
      if (!goesOn || performance.now() > deadlineMs) throw new Different(command, printed)
      await Bun.sleep(10)
    }
  }

  /** Ends the newest background command, by Ctrl+C or a crash. */
  async end(signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
    const newest = this.#background.pop()
    if (!newest) throw new Error('Nothing runs that could be stopped')
    process.kill(-newest.pid, signal)
    this.#write(`wait ${newest.pid}; echo "stopped $?"\n`)
    const code = Number((await this.#line(/^stopped (\d+)$/m))[1])
    // npm itself exits with 130, as any program ended by the signal.
    if (signal === 'SIGINT' && code !== 0 && code !== 130)
      throw new Error(`Ctrl+C ended it with ${code}: ${readFileSync(newest.file, 'utf8')}`)
  }

  /** Writes a file of the page into the current folder of the shell. */
  async write(name: string, text: string): Promise<void> {
    this.#write('echo "at $PWD"\n')
    const [, folder = ''] = await this.#line(/^at (.+)$/m)
    writeFileSync(join(folder, name), this.mapPorts(text))
  }

  async close(): Promise<void> {
    for (const { pid } of this.#background.splice(0)) kill(-pid)
    this.#bash.kill('SIGKILL')
    await this.#bash.exited
    rmSync(this.#home, { recursive: true, force: true })
  }

  /** Copies files that a command could change, and symlinks the rest. */
  #makeClone(): void {
    mkdirSync(this.#clone)
    for (const name of ['apps', 'packages', 'docs', 'README.md'])
      symlinkSync(join(ROOT, name), join(this.#clone, name))
    for (const name of ['package.json', 'package-lock.json'])
      cpSync(join(ROOT, name), join(this.#clone, name))
    for (const sdk of ['typescript', 'python'])
      cpSync(join(ROOT, 'sdks', sdk), join(this.#clone, 'sdks', sdk), {
        recursive: true,
        filter: (from) => !/\/(dist|node_modules|tests?|\.\w+)$/.test(from),
      })
    mkdirSync(join(this.#clone, 'node_modules/.bin'), { recursive: true })
    for (const program of ['latchkey', 'bun', 'tsc'])
      symlinkSync(join(ROOT, 'node_modules/.bin', program), join(this.#clone, 'node_modules/.bin', program))
    // The runtime that it would install is the one that runs this test.
    mkdirSync(join(this.#clone, 'scripts'))
    writeFileSync(join(this.#clone, 'scripts/install.mjs'), '')
    mkdirSync(join(this.#home, 'bin'))
    // npx without its start-up time of a second. A separate test runs the real one.
    const inspector = '[ "$1" = @modelcontextprotocol/inspector ] && shift && exec mcp-inspector "$@"'
    this.#addTool('npx', `${inspector}\nexec "$@"`)
    const client = join(this.#clone, 'sdks/python/src')
    if (PYTHON !== '') this.#addTool('python3', `PYTHONPATH=${client} exec ${PYTHON} "$@"`)
  }

  #addTool(name: string, script: string): void {
    writeFileSync(join(this.#home, 'bin', name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(this.#home, 'bin', name), 0o755)
  }

  #environment(): Record<string, string> {
    const tools = `${join(this.#home, 'bin')}:${join(ROOT, 'node_modules/.bin')}:${process.env['PATH']}`
    return {
      PATH: `${tools}:/usr/sbin:/usr/local/sbin`,
      HOME: this.#home,
      LANG: 'C.UTF-8',
      TZ: 'UTC',
      LINKS_PORT: String(this.#ports.get(8080)),
      ROOMS_PORT: String(this.#ports.get(8081)),
      // No program of a test uses the network.
      LINKS_TITLE_FETCH: 'off',
      npm_config_offline: 'true',
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_update_notifier: 'false',
      ...(this.#postgres && {
        PGHOST: this.#postgres.hostname,
        PGPORT: this.#postgres.port,
        PGUSER: this.#postgres.username,
      }),
    }
  }

  /** The text of a page with the ports of this run. */
  mapPorts(text: string): string {
    let result = text
    for (const [port, own] of this.#ports)
      result = result.replaceAll(new RegExp(`\\b${port}\\b`, 'g'), String(own))
    if (this.#postgres)
      result = result
        .replaceAll(`-h ${POSTGRES_HOST}`, `-h ${this.#postgres.hostname}`)
        .replaceAll(POSTGRES_HOST, this.#postgres.host)
    return result
  }

  #normalize(text: string): string {
    let normalized = text.replaceAll(this.#clone, '/home/ann/latchkey')
    for (const [port, own] of this.#ports)
      normalized = normalized.replaceAll(new RegExp(`\\b${own}\\b`, 'g'), String(port))
    if (this.#postgres) normalized = normalized.replaceAll(this.#postgres.host, POSTGRES_HOST)
    return normalized
  }

  #newFile(): string {
    return join(this.#home, `printed-${++this.#count}`)
  }

  #write(text: string): void {
    void this.#bash.stdin.write(text)
    void this.#bash.stdin.flush()
  }

  async #line(pattern: RegExp): Promise<RegExpExecArray> {
    const timer = setTimeout(() => this.#bash.kill('SIGKILL'), WITHIN_MS)
    try {
      for (;;) {
        const match = pattern.exec(this.#output)
        if (match) {
          this.#output = ''
          return match
        }
        const { value, done } = await this.#reader.read()
        if (done) throw new Error('The shell ended, or the command took longer than a minute')
        this.#output += new TextDecoder().decode(value)
      }
    } finally {
      clearTimeout(timer)
    }
  }
}

/** A command whose output differs from the page. */
export class Different extends Error {
  readonly printed: string

  constructor({ line, text, prints }: Command, printed: string) {
    super(`line ${line}: $ ${text}\n--- the page shows\n${prints}\n--- it printed\n${printed.trimEnd()}\n---`)
    this.name = 'Different'
    this.printed = printed
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has ended already.
  }
}

/** Ports assigned to pages that run concurrently, and may not listen on them yet. */
const assignedPorts = new Set<number>()

/**
 * Free consecutive ports for those on the pages: the demo provider listens on the port after Rooms.
 */
async function freePorts(): Promise<ReadonlyMap<number, number>> {
  for (;;) {
    // Below the ephemeral ports of outgoing connections.
    const first = 20_000 + Math.floor(Math.random() * 12_000)
    const ports = PORTS.map((port, index) => [port, first + index] as const)
    const free = await Promise.all(ports.map(([, own]) => isFree(own)))
    if (!free.every(Boolean) || ports.some(([, own]) => assignedPorts.has(own))) continue
    for (const [, own] of ports) assignedPorts.add(own)
    return new Map(ports)
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const { promise, resolve } = Promise.withResolvers<boolean>()
  server.once('error', () => resolve(false))
  server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  return promise
}
