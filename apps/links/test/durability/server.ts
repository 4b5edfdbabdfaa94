import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LATCHKEY } from '../../../../scripts/latchkey-command.ts'
import { Wire } from '@latchkey/http/testing-wire'

/** Generous: a machine that runs many things at once starts a process slowly. */
const START_TIMEOUT_MS = 120_000
/** Time in which clients read what a process sent before it was killed. */
const READ_WITHIN_MS = 1_000

export interface LogLine {
  level: string
  message: string
  url?: string
  [field: string]: unknown
}

export interface Options {
  environment?: Record<string, string>
  /**
   * The program that runs the command: it becomes the command (`exec`), or starts it and `watches`
   * it.
   */
  wrapper?: string[]
  isWrapped?: boolean
}

/** The service as users run it: a process of its own, on SQLite files in `folder`. */
export class Server {
  readonly log: LogLine[] = []
  /** All lines on stderr: none, if all is well. */
  stderr = ''
  readonly startedMs = performance.now()
  readonly #child
  readonly #isWrapped: boolean
  readonly #read: Promise<unknown>
  readonly #listening = Promise.withResolvers<number>()
  #port = 0
  readonly #wires: Wire[] = []

  private constructor(folder: string, { environment = {}, wrapper = [], isWrapped = false }: Options) {
    this.#isWrapped = isWrapped
    this.#child = Bun.spawn([...wrapper, ...LATCHKEY, 'links'], {
      cwd: folder,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      env: {
        PATH: process.env['PATH'] ?? '',
        LINKS_PORT: '0',
        LINKS_DATABASE_URL: `sqlite:${databasePath(folder)}`,
        LINKS_JOURNAL: `sqlite:${journalPath(folder)}`,
        LINKS_RATE_LIMIT: 'off',
        LINKS_TITLE_FETCH: 'off',
        ...environment,
      },
    })
    this.#read = Promise.all([
      lines(this.#child.stdout, (line) => this.#onLogLine(line)),
      lines(this.#child.stderr, (line) => (this.stderr += `${line}\n`)),
    ])
    this.#listening.promise.catch(() => undefined)
    void this.#child.exited.then((code) =>
      this.#listening.reject(new Error(`The server ended with ${code} at its start: ${this.stderr}`)),
    )
  }

  /** A process that is starting and may fail to. */
  static spawn(folder: string, options: Options = {}): Server {
    return new Server(folder, options)
  }

  /** Returns once the process listens. */
  static async start(folder: string, options: Options = {}): Promise<Server> {
    const server = new Server(folder, options)
    await server.waitUntilListening()
    return server
  }

  async waitUntilListening(): Promise<void> {
    const timer = setTimeout(() => {
      this.#listening.reject(new Error('The server does not start'))
      this.signal('SIGKILL')
    }, START_TIMEOUT_MS)
    this.#port = await this.#listening.promise.finally(() => clearTimeout(timer))
  }

  get pid(): number {
    const { pid } = this.#child
    if (!this.#isWrapped) return pid
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')[0])
  }

  get port(): number {
    return this.#port
  }

  /** Lines of the log that report a fault. */
  get faults(): LogLine[] {
    return this.log.filter(({ level }) => level !== 'info')
  }

  async connect(): Promise<Wire> {
    const wire = await Wire.open(this.#port)
    this.#wires.push(wire)
    return wire
  }

  /** Sends one request on its own connection. */
  async request(
    ...request: Parameters<Wire['request']>
  ): Promise<{ status: number; headers: Headers; text: string }> {
    const wire = await this.connect()
    try {
      return await wire.request(...request)
    } finally {
      wire.close()
    }
  }

  /** Returns the value of a metric. Its labels, if any, are part of the name. */
  async metric(name: string): Promise<number> {
    const { text } = await this.request('GET', '/_/metrics')
    const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `))
    return Number(line?.slice(name.length))
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL')
    await this.waitForExit()
    // Under load, Bun now and then does not notice that the other end of a connection has closed.
    setTimeout(() => {
      for (const wire of this.#wires) wire.close()
    }, READ_WITHIN_MS).unref()
  }

  /** Ends the process in any state. */
  close(): Promise<void> {
    return this.kill()
  }

  signal(name: NodeJS.Signals): void {
    if (this.#child.exitCode === null && this.#child.signalCode === null) process.kill(this.pid, name)
  }

  /** Asks the process to stop. Returns its exit code and the time that it took. */
  async stop(): Promise<{ code: number; ms: number }> {
    const startedMs = performance.now()
    this.signal('SIGTERM')
    return { code: await this.waitForExit(), ms: performance.now() - startedMs }
  }

  /** Returns the exit code, once all output is read. */
  async waitForExit(): Promise<number> {
    const code = await this.#child.exited
    await this.#read
    return code
  }

  #onLogLine(line: string): void {
    const entry = JSON.parse(line) as LogLine
    this.log.push(entry)
    if (entry.message === 'listening' && entry.url !== undefined)
      this.#listening.resolve(Number(new URL(entry.url).port))
  }
}

export function databasePath(folder: string): string {
  return join(folder, 'links.db')
}

export function journalPath(folder: string): string {
  return join(folder, 'journal.db')
}

async function lines(stream: ReadableStream<Uint8Array>, onLine: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = parts.pop() ?? ''
    for (const part of parts) onLine(part)
  }
}

/** Creates an API key as a person on this machine does. */
export async function createKey(server: Server): Promise<string> {
  const { status, text } = await server.request('POST', '/_/admin/api/keys', {
    body: { title: 'durability', scope: 'create,read' },
  })
  if (status !== 201) throw new Error(`No key was made: ${status} ${text}`)
  return (JSON.parse(text) as { raw_key: string }).raw_key
}

export function withKey(key: string): Record<string, string> {
  return { Authorization: `Bearer ${key}` }
}
