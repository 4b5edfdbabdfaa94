import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LATCHKEY } from '../../scripts/latchkey-command.ts'

const WITHIN_MS = 30_000

/**
 * `latchkey links` as users run it, in a separate folder, behind a proxy that records the calls.
 */
export class RunningService {
  /** `METHOD /path` of each API call that arrived, one entry per call. */
  readonly called: string[] = []
  readonly #folder = mkdtempSync(join(tmpdir(), 'latchkey-sdk-'))
  readonly #environment: Record<string, string>
  #stop: (() => Promise<void>) | undefined
  #url = ''

  constructor(databaseUrl: string) {
    this.#environment = {
      PATH: process.env['PATH'] ?? '',
      LINKS_DATABASE_URL: databaseUrl,
      LINKS_JOURNAL: `sqlite:${join(this.#folder, 'journal.db')}`,
      LINKS_PORT: '0',
      LINKS_TITLE_FETCH: 'off',
      LINKS_RATE_LIMIT: 'off',
      LINKS_DOMAINS: 'go.example.org',
    }
  }

  /** The base URL for clients. */
  get url(): string {
    return this.#url
  }

  /**
   * Starts the service. `files` are served beside it, for pages that use it from the same origin.
   */
  async start(files: (path: string) => Response | undefined = () => undefined): Promise<void> {
    const child = this.#spawn(['links'])
    const origin = await listening(child.stdout)
    const proxy = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) => files(new URL(request.url).pathname) ?? this.#pass(request, origin),
    })
    this.#url = `http://127.0.0.1:${proxy.port}`
    this.#stop = async () => {
      await proxy.stop(true)
      child.kill('SIGTERM')
      await child.exited
    }
  }

  async newKey(identity: string, scope = 'create,read'): Promise<string> {
    const child = this.#spawn(['keys', 'create', '--identity', identity, '--scope', scope, '--title', 'SDK'])
    const [key, code] = await Promise.all([new Response(child.stdout).text(), child.exited])
    if (code !== 0) throw new Error('No key could be made')
    return key.trim()
  }

  async stop(): Promise<void> {
    await this.#stop?.()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #pass(request: Request, origin: string): Promise<Response> {
    const { pathname, search } = new URL(request.url)
    if (pathname.startsWith('/_/api/'))
      this.called.push(`${request.method} ${pathname.slice('/_/api'.length)}`)
    const { method, headers, body } = request
    return fetch(origin + pathname + search, { method, headers, body, redirect: 'manual' })
  }

  #spawn(args: readonly string[]) {
    return Bun.spawn([...LATCHKEY, ...args], {
      cwd: this.#folder,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'inherit',
      env: this.#environment,
    })
  }
}

/**
 * Returns the origin from the line with which the service reports that it listens. Later output is
 * read and dropped.
 */
async function listening(output: ReadableStream<Uint8Array>): Promise<string> {
  const reader = output.getReader()
  const decoder = new TextDecoder()
  let written = ''
  const deadlineMs = performance.now() + WITHIN_MS
  while (performance.now() < deadlineMs) {
    const { value, done } = await reader.read()
    if (done) break
    written += decoder.decode(value, { stream: true })
    const line = written.split('\n').find((each) => each.includes('"listening"') && each.endsWith('}'))
    if (line === undefined) continue
    void drop(reader)
    return new URL((JSON.parse(line) as { url: string }).url).origin
  }
  throw new Error(`Links did not start: ${written}`)
}

async function drop(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  while (!(await reader.read()).done);
}
