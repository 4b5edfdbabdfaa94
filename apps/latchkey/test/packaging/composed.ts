import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CONFIGURATION } from '../../../../scripts/release/image/configuration.ts'
import { ADMINS, type Compose, type ComposeService, FOLDER, readCompose } from './compose.ts'
import { Image } from './image.ts'
import { Network } from './network.ts'

const WIDE = `${process.env['PATH']}:/usr/sbin:/usr/local/sbin`
const WITHIN_MS = 60_000
const ENVIRONMENT = Object.fromEntries(CONFIGURATION.Env.map((each) => each.split('=') as [string, string]))
const [VOLUME = ''] = Object.keys(CONFIGURATION.Volumes)

const HOST_OF_LINKS = 'go.localhost'
const HOST_OF_ROOMS = 'rooms.localhost'
const PASSWORD = 'of-postgres-for-tests'
export const TOKEN = 'metrics-token-for-tests'
const SECRETS: Record<string, string> = {
  postgres_password: PASSWORD,
  links_database_url: `postgres://latchkey:${PASSWORD}@postgres/links`,
  rooms_database_url: `postgres://latchkey:${PASSWORD}@postgres/rooms`,
  redis_settings: 'requirepass of-redis\nsave ""\n',
  rooms_bus_url: 'redis://:of-redis@redis',
  metrics_token: TOKEN,
  auth_client_secret: 'of-rooms-for-tests',
  links_admins: readFileSync(ADMINS, 'utf8'),
}

/** Mounts `$1` as /run/secrets and `$2` as /etc/hosts, for the following command only. */
const WITH_SECRETS = `set -e
secrets=$1 hosts=$2; shift 2
mount --bind "$hosts" /etc/hosts
mount -t tmpfs -o mode=755 run /run
mkdir /run/secrets
mount --bind "$secrets" /run/secrets
exec "$@"`

interface Started {
  child: Bun.Subprocess<'ignore', Bun.BunFile, Bun.BunFile>
  /** Wraps a command to run inside the same container. */
  inside: (...command: string[]) => { command: string[]; env: Record<string, string> }
}

/**
 * The services of a compose file without a container engine: the same commands with the same
 * environment, secrets, addresses and names. Latchkey runs in its image; PostgreSQL, Redis and
 * Caddy are those of this machine.
 */
export class Composed {
  readonly folder = mkdtempSync(join(tmpdir(), 'latchkey-compose-'))
  readonly compose: Compose
  readonly #network = new Network()
  readonly #executable: string
  readonly #started = new Map<string, Started>()
  readonly #images: Image[] = []

  constructor(name: string, executable: string) {
    this.#executable = executable
    this.compose = readCompose(name, {
      HOST_OF_LINKS,
      HOST_OF_ROOMS,
      AUTH_CLIENT_ID: 'latchkey-rooms',
      OIDC_ISSUER: 'https://login.example.com',
    })
    // PostgreSQL runs as another user, and needs access through this folder.
    chmodSync(this.folder, 0o711)
    const names = Object.keys(this.compose.services)
    const lines = names.map((service, at) => [this.#address(service, at), service])
    for (const [address = '', service = ''] of lines) this.#network.join(service, address)
    this.#network.join('visitor', '172.31.80.99')
    writeFileSync(
      this.#path('hosts'),
      ['127.0.0.1 localhost', ...lines.map((line) => line.join(' '))].join('\n'),
    )
  }

  /**
   * Starts all services in the order of their dependencies, each when the previous ones are
   * healthy.
   */
  async start(): Promise<void> {
    const order = ['postgres', 'redis', 'links', 'rooms', 'proxy']
    for (const word of order) {
      const names = Object.keys(this.compose.services).filter((name) => name.split('-')[0] === word)
      for (const name of names) await this.#startOne(name, this.#service(name))
      for (const name of names) await this.#untilWell(name)
    }
    // Caddy is healthy before its certificates exist.
    for (const host of [HOST_OF_LINKS, HOST_OF_ROOMS]) await this.#untilSuccess('proxy', ...handshake(host))
  }

  /** Runs a command inside the container of a service, as `docker compose exec` does. */
  async exec(service: string, ...words: string[]): Promise<{ code: number; out: string }> {
    const started = this.#started.get(service)
    if (!started) throw new Error(`${service} does not run`)
    const { command, env } = started.inside(...words)
    const child = Bun.spawn(command, { env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    return { code: await child.exited, out: out + err }
  }

  /** Runs a program in the role of a browser: on a machine that reaches only the network. */
  async visit<Result>(program: string): Promise<Result> {
    const child = Bun.spawn(this.#network.at('visitor', process.execPath, '-e', program), {
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    if ((await child.exited) !== 0) throw new Error(err)
    return JSON.parse(out) as Result
  }

  /** Sends SIGTERM to a service, and returns the exit code. */
  async stop(name: string): Promise<number> {
    const { child } = this.#started.get(name) ?? {}
    child?.kill('SIGTERM')
    return (await child?.exited) ?? -1
  }

  log(name: string): Promise<string> {
    return Bun.file(this.#path(`${name}.log`)).text()
  }

  async remove(): Promise<void> {
    for (const { child } of this.#started.values()) child.kill('SIGKILL')
    await Promise.all([...this.#started.values()].map(({ child }) => child.exited))
    this.#network.remove()
    for (const image of this.#images) image.remove()
    rmSync(this.folder, { recursive: true, force: true })
  }

  async #startOne(name: string, service: ComposeService): Promise<void> {
    const secrets = this.#path(`${name}.secrets`)
    this.#writeSecrets(service, secrets)
    const { inside, command } = await this.#containerOf(name, service, secrets)
    const file = Bun.file(this.#path(`${name}.log`))
    const { command: started, env } = inside(...command)
    const child = Bun.spawn(started, { env, stdin: 'ignore', stdout: file, stderr: file })
    this.#started.set(name, { child, inside })
  }

  async #containerOf(name: string, service: ComposeService, secrets: string) {
    if (service.image.startsWith('latchkey')) return this.#latchkey(name, service, secrets)
    if (name === 'postgres') return this.#postgres(service, secrets)
    if (name === 'proxy') return this.#proxy(service, secrets)
    return { inside: this.#commandFor(name, {}, secrets), command: service.command ?? [] }
  }

  async #latchkey(name: string, service: ComposeService, secrets: string) {
    const image = await Image.withExecutable(this.#executable)
    this.#images.push(image)
    mkdirSync(join(image.root, 'run'))
    Bun.spawnSync(['cp', '-r', secrets, join(image.root, 'run/secrets')])
    Bun.spawnSync(['cp', this.#path('hosts'), join(image.root, 'etc/hosts')])
    const [volume] = (service.volumes ?? [`${name}:${VOLUME}`]).map((each) => each.split(':'))
    const data = this.#path(`${volume?.[0]}.volume`)
    mkdirSync(data, { recursive: true })
    const env = { ...ENVIRONMENT, ...service.environment }
    const container = { data, at: volume?.[1] ?? '', folder: CONFIGURATION.WorkingDir }
    const inside = (...command: string[]) => ({
      command: this.#network.at(name, ...image.command(container, ...command)),
      env: { ...env, PATH: WIDE },
    })
    return { inside, command: [...CONFIGURATION.Entrypoint, ...(service.command ?? [])] }
  }

  /** The steps of the PostgreSQL image at its first start, in the same order. */
  async #postgres({ environment = {} }: ComposeService, secrets: string) {
    const bin = `/usr/lib/postgresql/${readdirSync('/usr/lib/postgresql').at(-1)}/bin`
    const data = this.#path('postgres.volume')
    const user = environment['POSTGRES_USER'] ?? ''
    mkdirSync(data)
    const folder = this.#path('socket')
    mkdirSync(folder)
    for (const path of [data, folder]) Bun.spawnSync(['chown', 'postgres', path])
    const inside = this.#commandFor('postgres', { PGPASSWORD: PASSWORD }, secrets, `${bin}:${WIDE}`)
    const asPostgres = ['runuser', '-u', 'postgres', '--']
    const run = async (...words: string[]) => {
      const { command, env } = inside(...words)
      const child = Bun.spawn(command, { env, stdout: 'ignore', stderr: 'pipe', cwd: '/' })
      if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text())
    }
    const passwordFile = environment['POSTGRES_PASSWORD_FILE'] ?? ''
    await run(
      ...asPostgres,
      'initdb',
      '-D',
      data,
      '-U',
      user,
      '-A',
      'scram-sha-256',
      `--pwfile=${passwordFile}`,
      '--no-sync',
    )
    writeFileSync(join(data, 'pg_hba.conf'), 'local all all scram-sha-256\nhost all all all scram-sha-256\n')
    const control = [...asPostgres, 'pg_ctl', '-D', data, '-w', '-o', `-k ${folder} -c listen_addresses=`]
    await run('sh', '-c', `exec ${control.map((word) => `'${word}'`).join(' ')} start >/dev/null 2>&1`)
    const database = environment['POSTGRES_DB'] ?? ''
    await run('psql', '-h', folder, '-U', user, '-d', 'postgres', '-c', `create database ${database}`)
    await run(
      'psql',
      '-h',
      folder,
      '-U',
      user,
      '-d',
      database,
      '-f',
      join(FOLDER, this.compose.configs?.['databases']?.file ?? ''),
    )
    await run(...control, 'stop')
    const command = [
      ...asPostgres,
      'postgres',
      '-D',
      data,
      '-k',
      folder,
      '-c',
      'listen_addresses=*',
      '-c',
      'fsync=off',
    ]
    return { inside, command }
  }

  #proxy({ environment = {} }: ComposeService, secrets: string) {
    const places = {
      HOME: this.folder,
      XDG_DATA_HOME: this.#path('data'),
      XDG_CONFIG_HOME: this.#path('config'),
    }
    const inside = this.#commandFor('proxy', { ...places, ...environment }, secrets)
    const command = ['caddy', 'run', '--config', join(FOLDER, 'Caddyfile'), '--adapter', 'caddyfile']
    return { inside, command }
  }

  /** Runs a program of this machine with the network, hosts and secrets of its service. */
  #commandFor(name: string, env: Record<string, string>, secrets: string, path = WIDE) {
    const enter = ['unshare', '--mount', 'sh', '-c', WITH_SECRETS, 'with', secrets, this.#path('hosts')]
    return (...command: string[]) => ({
      command: this.#network.at(name, ...enter, ...command),
      env: { PATH: path, ...env },
    })
  }

  #writeSecrets({ secrets = [] }: ComposeService, folder: string): void {
    mkdirSync(folder, { recursive: true })
    for (const name of secrets) writeFileSync(join(folder, name), SECRETS[name] ?? '')
  }

  async #untilWell(name: string): Promise<void> {
    const service = this.#service(name)
    const [, ...test] = service.healthcheck?.test ?? []
    // The health check of the proxy's image uses wget, which this machine may lack.
    const url = test.find((word) => word.startsWith('http:'))
    const ask =
      url === undefined
        ? test
        : [process.execPath, '-e', `process.exit((await fetch('${url}')).status - 200)`]
    await this.#untilSuccess(name, ...ask)
  }

  async #untilSuccess(name: string, ...ask: string[]): Promise<void> {
    const deadlineMs = performance.now() + WITHIN_MS
    for (;;) {
      const { code, out } = await this.exec(name, ...ask)
      if (code === 0) return
      const isOver = this.#started.get(name)?.child.exitCode !== null
      if (isOver || performance.now() > deadlineMs)
        throw new Error(
          `${name} is not well: ${out}\n${existsSync(this.#path(`${name}.log`)) ? await this.log(name) : ''}`,
        )
      await Bun.sleep(50)
    }
  }

  #address(name: string, at: number): string {
    const { networks } = this.#service(name)
    if (!Array.isArray(networks)) return networks['front']?.ipv4_address ?? ''
    const [first = ''] = this.compose.networks.front.ipam.config[0].ip_range.split('/')
    return first.replace(/\d+$/, (last) => String(Number(last) + at))
  }

  #service(name: string): ComposeService {
    const service = this.compose.services[name]
    if (!service) throw new Error(`There is no service ${name}`)
    return service
  }

  #path(name: string): string {
    return join(this.folder, name)
  }
}

/** A command that succeeds if the proxy speaks TLS under this name. */
function handshake(host: string): string[] {
  const options = `{ tls: { serverName: '${host}', rejectUnauthorized: false }, redirect: 'manual' }`
  return [process.execPath, '-e', `await fetch('https://127.0.0.1', ${options})`]
}
