import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HeldSocket, passSockets } from '@latchkey/http/testing-sockets'
import { LATCHKEY } from '../../../../scripts/latchkey-command.ts'
import { HOST, type Person, seedPeople } from '../../../../bench/fanout/people.ts'

/** Both services in one process, under a supervisor that holds their sockets. */
export class Services {
  readonly links = new HeldSocket()
  readonly rooms = new HeldSocket()
  readonly folder: string
  readonly #command: readonly string[]
  #child: Bun.Subprocess | undefined
  /** Output of processes that have ended with another code than 0, or written to stderr. */
  readonly faults: string[] = []

  private constructor(folder: string, command: readonly string[]) {
    this.folder = folder
    this.#command = command
  }

  /** Starts with this number of people, who have signed in. */
  static async start(
    people: number,
    command: readonly string[] = [...LATCHKEY, 'start'],
  ): Promise<{ services: Services; people: Person[] }> {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-restarts-'))
    const seeded = await seedPeople(`sqlite:${join(folder, 'rooms.db')}`, people)
    const services = new Services(folder, command)
    services.begin()
    return { services, people: seeded }
  }

  /** Starts a process. It may not answer yet. */
  begin(): void {
    const { command, env, fds } = passSockets(this.#command, [this.links, this.rooms])
    this.#child = Bun.spawn(command, {
      cwd: this.folder,
      stdio: ['ignore', 'ignore', 'pipe', ...fds],
      env: {
        PATH: process.env['PATH'] ?? '',
        ...env,
        LINKS_PORT: String(this.links.port),
        LINKS_DATABASE_URL: 'sqlite:links.db',
        LINKS_JOURNAL: 'sqlite:journal.db',
        LINKS_RATE_LIMIT: 'off',
        LINKS_TITLE_FETCH: 'off',
        ROOMS_PORT: String(this.rooms.port),
        ROOMS_DATABASE_URL: 'sqlite:rooms.db',
        ROOMS_FILES: 'files:files',
        ALLOWED_HOSTS: `https://${HOST}`,
        AUTH_PROVIDER: 'oidc',
        AUTH_CLIENT_ID: 'restarts',
        OIDC_ISSUER: 'https://login.example.com',
      },
    })
  }

  /** Ends the process and starts the next one, as `systemctl restart` does. Returns how long the old one took. */
  async restart(signal: NodeJS.Signals = 'SIGTERM'): Promise<number> {
    const startedMs = performance.now()
    await this.#end(signal)
    const endedMs = performance.now()
    this.begin()
    return endedMs - startedMs
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM')
  }

  async remove(): Promise<void> {
    await this.#end('SIGKILL')
    this.links.close()
    this.rooms.close()
    rmSync(this.folder, { recursive: true, force: true })
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    if (!child) return
    this.#child = undefined
    child.kill(signal)
    const code = await child.exited
    const complaints = await new Response(child.stderr as ReadableStream).text()
    if (signal === 'SIGTERM' && (code !== 0 || complaints !== '')) this.faults.push(`${code}: ${complaints}`)
  }
}
