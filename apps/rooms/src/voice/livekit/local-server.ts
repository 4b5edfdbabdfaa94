import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@latchkey/http/free-port'
import { isLoopbackHost } from '@latchkey/http/safe-url'
import type { Log } from '@latchkey/http/log'
import type { LiveKitSettings, LocalServerSettings } from '../../settings/voice.ts'

/** Version that `latchkey voice install` builds. Later ones do not build from their module alone. */
export const SERVER_VERSION = '1.11.0'
/** Folder in which `latchkey voice install` puts the server. */
export const SERVER_FOLDER = join('data', 'livekit')
export const SERVER_PATH = join(SERVER_FOLDER, 'livekit-server')

const MIN_BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 30_000
/** After running for so long, the next failure is not one of a series. */
const STEADY_MS = 60_000
const HEALTH_EVERY_MS = 5_000
const HEALTH_TIMEOUT_MS = 2_000
/** Failed checks after which the server counts as hung. It also has this long to start. */
const MAX_FAILED_CHECKS = 3
const STOP_TIMEOUT_MS = 5_000

/** ROOMS_LIVEKIT_SERVER names no usable program. */
export class LocalServerMissing extends Error {
  override readonly name = 'LocalServerMissing'
}

/** Path of the program; `installed` is where `auto` looks first. Throws `LocalServerMissing`. */
export function findServer(program: string, installed = SERVER_PATH): string {
  if (program !== 'auto') {
    const path = Bun.which(program)
    if (path) return path
    throw new LocalServerMissing(`ROOMS_LIVEKIT_SERVER: ${program} is not a program`)
  }
  if (existsSync(installed)) {
    if (readChecksum(installed) === hashFile(installed)) return installed
    throw new LocalServerMissing(
      `${installed} is not what was installed, by its checksum: run latchkey voice install`,
    )
  }
  const path = Bun.which('livekit-server')
  if (path) return path
  throw new LocalServerMissing('ROOMS_LIVEKIT_SERVER=auto finds no LiveKit: run latchkey voice install')
}

function readChecksum(path: string): string | undefined {
  const file = checksumPath(path)
  return existsSync(file) ? readFileSync(file, 'utf8').split(' ')[0] : undefined
}

/** File with the checksum of the server at this path. */
export function checksumPath(path: string): string {
  return `${path}.sha256`
}

/** SHA-256 of a file, in hexadecimal. */
export function hashFile(path: string): string {
  return new Bun.CryptoHasher('sha256').update(readFileSync(path)).digest('hex')
}

/**
 * LiveKit as a child process: started with the service, started again when it ends or hangs, and
 * stopped with the service.
 */
export class LocalServer {
  /** How Rooms reaches it. No one else has the key. */
  readonly settings: LiveKitSettings
  readonly #options: LocalServerSettings
  readonly #program: string
  readonly #port: number
  readonly #log: Log
  readonly #stopped = Promise.withResolvers<void>()
  #child: Bun.Subprocess | undefined
  #isStopping = false
  #running: Promise<void> | undefined

  private constructor(options: LocalServerSettings, { port, log }: { port: number; log: Log }) {
    this.#options = options
    this.#program = findServer(options.program)
    this.#port = port
    this.#log = log
    const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')
    this.settings = { url: `http://127.0.0.1:${port}`, key: 'latchkey-rooms', secret, publicUrl: null }
  }

  /** Throws `LocalServerMissing`. Starts nothing yet. */
  static async create(options: LocalServerSettings, log: Log): Promise<LocalServer> {
    return new LocalServer(options, { port: await freePort(), log })
  }

  /** Starts the server, and keeps it running. It sends its webhooks to this URL. */
  start(webhookUrl: string): void {
    this.#running ??= this.#keepRunning(webhookUrl)
  }

  /** Id of the process; undefined while there is none. */
  get pid(): number | undefined {
    return this.#child?.exitCode === null ? this.#child.pid : undefined
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    this.#stopped.resolve()
    const child = this.#child
    child?.kill('SIGTERM')
    const timer = setTimeout(() => child?.kill('SIGKILL'), STOP_TIMEOUT_MS)
    await this.#running
    clearTimeout(timer)
  }

  async #keepRunning(webhookUrl: string): Promise<void> {
    let backoffMs = MIN_BACKOFF_MS
    while (!this.#isStopping) {
      const startedAt = performance.now()
      const code = await this.#runOnce(webhookUrl)
      if (this.#isStopping) return
      if (performance.now() - startedAt > STEADY_MS) backoffMs = MIN_BACKOFF_MS
      this.#log.warn('livekit: the server has ended, and will be started again', { code, afterMs: backoffMs })
      await Promise.race([Bun.sleep(backoffMs), this.#stopped.promise])
      backoffMs = Math.min(2 * backoffMs, MAX_BACKOFF_MS)
    }
  }

  /** Runs the server until it ends. Returns its exit code, or why it could not be started. */
  async #runOnce(webhookUrl: string): Promise<number | string> {
    try {
      const child = Bun.spawn([...withParent(), this.#program], {
        // Not in the arguments, which all users of the machine can read.
        env: { LIVEKIT_CONFIG: JSON.stringify(this.#config(webhookUrl)) },
        stdin: 'ignore',
        stdout: 'ignore',
        stderr: 'inherit',
      })
      this.#child = child
      const stopWatching = this.#watch(child)
      const code = await child.exited
      stopWatching()
      return code
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  /** Kills the server if it does not answer. */
  #watch(child: Bun.Subprocess): () => void {
    let failures = 0
    const timer = setInterval(() => {
      fetch(this.settings.url, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) })
        .then(
          () => (failures = 0),
          () => failures++,
        )
        .then(() => failures >= MAX_FAILED_CHECKS && child.kill('SIGKILL'))
        .catch(() => {})
    }, HEALTH_EVERY_MS)
    return () => clearInterval(timer)
  }

  #config(webhookUrl: string) {
    const { udpPort, tcpPort, address, stunUrls } = this.#options
    const { key, secret } = this.settings
    const stunServers = stunUrls.flatMap((url) =>
      url.startsWith('stun:') ? [url.slice('stun:'.length)] : [],
    )
    return {
      port: this.#port,
      bind_addresses: ['127.0.0.1'],
      rtc: {
        udp_port: udpPort,
        tcp_port: tcpPort,
        use_external_ip: false,
        // Without any, LiveKit would send browsers to those of Google.
        stun_servers: stunServers.length > 0 ? stunServers : ['127.0.0.1:9'],
        ...(address !== null && {
          node_ip: address,
          enable_loopback_candidate: isLoopbackHost(address),
        }),
      },
      // Rooms creates them: a token alone does not.
      room: { auto_create: false },
      keys: { [key]: secret },
      webhook: { api_key: key, urls: [webhookUrl] },
      logging: { level: 'error', json: true },
    }
  }
}

/** A command that ends its program with this process, however that ends. Empty where there is none. */
function withParent(): string[] {
  const program = Bun.which('setpriv')
  return program ? [program, '--pdeathsig', 'TERM', '--'] : []
}
