import { readSettings as readLinksSettings } from '@latchkey/links/settings/settings'
import { VERSION } from '@latchkey/links/api/version'
import { declarations as linksDeclarations } from '@latchkey/links/settings/declarations'
import { declarations as roomsDeclarations } from '@latchkey/rooms/settings/declarations'
import { readSettings as readRoomsSettings } from '@latchkey/rooms/settings/settings'
import { SettingsError } from '@latchkey/settings/settings'
import { createToken } from '@latchkey/tokens/opaque'
import { type Answers, WrongAnswers } from './answers.ts'
import { GATEWAY_ADDRESS, PROXY_ADDRESS, composeFiles } from './compose.ts'
import { formatLine } from './env-file.ts'
import { type Named, type Preset, presets } from './presets.ts'
import {
  ASSERTION_HEADER,
  type Sites,
  caddyfile,
  nginxConfiguration,
  traefikConfiguration,
} from './proxies.ts'
import type { Installation, ProxyName } from './questions.ts'
import { systemdFiles } from './systemd.ts'

export type ServiceName = 'links' | 'rooms'

/** A file to write. */
export interface PlannedFile {
  /** From the root of the installation, beginning with a slash. */
  readonly path: string
  readonly text: string
  /** Permissions; 0644 unless it says otherwise. */
  readonly mode?: number
  /** Never shown. */
  readonly isSecret?: boolean
  /** A line that does instead, in a file of someone else. */
  readonly line?: string
}

/** A secret in a file of its own. */
export interface Secret {
  readonly file: string
  /** The setting of each service that uses it. */
  readonly settings: Readonly<Partial<Record<ServiceName, string>>>
  /** Undefined if a person still has to write the file. */
  readonly content: string | undefined
  /**
   * Settings that need the secret. They are beside it, since commands that an operator runs with the
   * file of settings alone have no secrets.
   */
  readonly dependents?: Readonly<Partial<Record<ServiceName, Named>>>
}

/** The environment of a service beyond its file of settings: its secrets, and what needs them. */
export function secretEnv(
  secrets: readonly Secret[],
  service: ServiceName,
): Record<string, string | undefined> {
  return Object.assign(
    {},
    ...secrets.map(({ settings, content, dependents }) => ({
      ...(settings[service] === undefined ? {} : { [settings[service]]: content }),
      ...dependents?.[service],
    })),
  )
}

export interface Machine {
  readonly install: Installation
  readonly proxy: ProxyName
  /** The folder that takes the place of `/`; with Compose, the folder of its files. */
  readonly root: string
  /** Content of a secret that an earlier setup wrote; undefined without one. */
  readonly readSecret: (file: string) => string | undefined
}

export interface Plan {
  readonly files: readonly PlannedFile[]
  readonly secrets: readonly Secret[]
  readonly env: Readonly<Record<ServiceName, Named>>
}

/** The setting with the port of each service, and its default. */
const PORTS = { links: linksDeclarations.port, rooms: roomsDeclarations.port }
const HOSTS = { links: linksDeclarations.host, rooms: roomsDeclarations.host }

/** Returns all files. Throws `WrongAnswers` if the services would refuse the settings. */
export function makePlan(answers: Answers, machine: Machine): Plan {
  const { install } = machine
  const secrets = secretsOf(answers, machine)
  const env = { links: linksEnv(answers, machine), rooms: roomsEnv(answers, machine) }
  checkSettings(env, secrets)
  const isCompose = install === 'compose'
  const folder = isCompose ? '/' : '/etc/latchkey/'
  const secretFiles = secrets.flatMap(({ file, content }) =>
    content === undefined
      ? []
      : [
          {
            path: secretPath(install, file),
            text: `${content}\n`,
            // Containers run as users of their own: the folder keeps others out.
            mode: isCompose ? 0o644 : 0o600,
            isSecret: true,
          },
        ],
  )
  return {
    env,
    secrets,
    files: [
      envFile(`${folder}links.env`, env.links),
      envFile(`${folder}rooms.env`, env.rooms),
      ...secretFiles,
      ...(isCompose
        ? composeFiles({
            version: VERSION,
            ports: { links: portOf(answers, 'links'), rooms: portOf(answers, 'rooms') },
            secrets,
            hasCaddy: machine.proxy === 'caddy',
            rooms: answers.rooms,
            certificates: certificatesOf(answers),
            authority: answers.authority,
          })
        : systemdFiles({ root: machine.root, data: answers.data, addresses: addressesOf(answers), secrets })),
      ...proxyFiles(answers, machine),
    ],
  }
}

/** The path of the file with a secret. */
export function secretPath(install: Installation, file: string): string {
  return install === 'compose' ? `/secrets/${file}` : `/etc/latchkey/${file}`
}

/** The path of the file with the manifest. */
export function manifestPath(install: Installation): string {
  return install === 'compose' ? '/setup.json' : '/etc/latchkey/setup.json'
}

/** Where each service listens, as `ListenStream=` of systemd has it. */
function addressesOf(answers: Answers): Record<ServiceName, string> {
  const addressOf = (service: ServiceName) => {
    const host = answers.texts[HOSTS[service].name] ?? HOSTS[service].default
    return `${host?.includes(':') ? `[${host}]` : host}:${portOf(answers, service)}`
  }
  return { links: addressOf('links'), rooms: addressOf('rooms') }
}

export function portOf({ texts }: Answers, service: ServiceName): number {
  return Number(texts[PORTS[service].name] ?? PORTS[service].default)
}

function certificatesOf({ certificate, certificateKey }: Answers): string[] {
  return [certificate, certificateKey].filter((path) => path !== null)
}

function linksEnv(answers: Answers, machine: Machine): Named {
  const { links, rooms, email, secrets } = answers
  const folder = folderOf(answers, machine)
  return {
    LINKS_BASE_URL: `https://${links}`,
    LINKS_ROOMS_URL: `https://${rooms}`,
    ...('LINKS_DATABASE_URL' in secrets ? {} : { LINKS_DATABASE_URL: `sqlite:${folder}/links.db` }),
    LINKS_JOURNAL: `sqlite:${folder}/links-journal.db`,
    LINKS_ADMINS: email,
    LINKS_ACCESS: 'jwt',
    LINKS_ACCESS_HEADER: ASSERTION_HEADER,
    LINKS_ACCESS_ISSUER: `https://${rooms}`,
    LINKS_ACCESS_AUDIENCE: `https://${links}`,
    LINKS_ACCESS_JWKS_URL: `${accessLayer(answers, machine)}/jwks`,
    LINKS_ACCESS_LOGOUT_URL: `https://${links}/api/access/sign-out`,
    ...commonEnv(answers, machine, 'links'),
    ...settingsOf(answers, linksDeclarations),
  }
}

/** The URL of the access layer as Links reaches it. */
function accessLayer(answers: Answers, { install }: Machine): string {
  // A container reaches Rooms through the proxy: only this machine may be asked without TLS.
  return install === 'compose'
    ? `https://${answers.rooms}/api/access`
    : `http://127.0.0.1:${portOf(answers, 'rooms')}/api/access`
}

function roomsEnv(answers: Answers, machine: Machine): Named {
  const { links, rooms, provider, texts, secrets } = answers
  const folder = folderOf(answers, machine)
  const preset: Preset = presets[provider]
  return {
    ALLOWED_HOSTS: `https://${rooms}`,
    ROOMS_LINKS_URL: `https://${links}`,
    ROOMS_ACCESS_FOR: `https://${links}`,
    ...('ROOMS_DATABASE_URL' in secrets ? {} : { ROOMS_DATABASE_URL: `sqlite:${folder}/rooms.db` }),
    ROOMS_FILES: `${folder}/files`,
    ...preset.settings(texts),
    AUTH_CLIENT_ID: texts['AUTH_CLIENT_ID'] ?? '',
    ...commonEnv(answers, machine, 'rooms'),
    ...settingsOf(answers, roomsDeclarations),
  }
}

/** The folder of the data as the services see it. */
function folderOf({ data }: Answers, { install }: Machine): string {
  return install === 'compose' ? '/data' : data
}

function commonEnv({ authority }: Answers, { install, proxy }: Machine, service: ServiceName): Named {
  const container = proxy === 'caddy' ? PROXY_ADDRESS : GATEWAY_ADDRESS
  return {
    ...(install === 'compose' ? { [`${service.toUpperCase()}_HOST`]: '0.0.0.0' } : {}),
    PROXY_HEADER: 'X-Forwarded-For',
    TRUSTED_PROXIES: install === 'compose' ? container : '127.0.0.1,::1',
    ...(authority === null ? {} : { NODE_EXTRA_CA_CERTS: authority }),
  }
}

/** The answers that are settings of a service. */
function settingsOf(
  { texts }: Answers,
  declarations: Readonly<Record<string, { readonly name: string }>>,
): Named {
  const names = new Set(Object.values(declarations).map(({ name }) => name))
  return Object.fromEntries(Object.entries(texts).filter(([name]) => names.has(name)))
}

/** Throws `WrongAnswers` with what the services themselves would say. */
function checkSettings(env: Plan['env'], secrets: readonly Secret[]): void {
  const problems = (['links', 'rooms'] as const).flatMap((service) => {
    const read = service === 'links' ? readLinksSettings : readRoomsSettings
    try {
      read({ ...env[service], ...secretEnv(secrets, service) })
      return []
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error
      return error.problems
    }
  })
  if (problems.length > 0) throw new WrongAnswers(problems, '')
}

const TOKEN_BYTES = 24
const SERVICE_KEY_BYTES = 32

function secretsOf(answers: Answers, machine: Machine): Secret[] {
  const { provider, secrets } = answers
  const { readSecret } = machine
  const { hasOwnSecret }: Preset = presets[provider]
  const { AUTH_CLIENT_SECRET, ...others } = secrets
  const keep = (file: string, content: () => string | undefined) => readSecret(file) ?? content()
  const shared = new Set(Object.keys(others))
  return [
    {
      file: 'metrics-token',
      settings: {
        ...(shared.has('LINKS_METRICS_TOKEN') ? {} : { links: 'LINKS_METRICS_TOKEN' }),
        ...(shared.has('ROOMS_METRICS_TOKEN') ? {} : { rooms: 'ROOMS_METRICS_TOKEN' }),
      },
      content: keep('metrics-token', () => createToken('', TOKEN_BYTES)),
    },
    {
      file: 'access-service-key',
      settings: { links: 'LINKS_ACCESS_SERVICE_KEY', rooms: 'ROOMS_ACCESS_SERVICE_KEY' },
      content: keep('access-service-key', () => createToken('', SERVICE_KEY_BYTES)),
      dependents: { links: { LINKS_ACCESS_REVOCATIONS_URL: `${accessLayer(answers, machine)}/revocations` } },
    },
    {
      file: 'auth-client-secret',
      settings: { rooms: 'AUTH_CLIENT_SECRET' },
      content:
        AUTH_CLIENT_SECRET ??
        keep('auth-client-secret', () => (hasOwnSecret ? createToken('', TOKEN_BYTES) : undefined)),
    },
    ...Object.entries(others).map(([name, content]) => ({
      file: secretFile(name),
      settings: name.startsWith('LINKS_') ? { links: name } : { rooms: name },
      content,
    })),
  ]
}

/** The file of the secret of a setting. */
export const secretFile = (setting: string): string => setting.toLowerCase().replaceAll('_', '-')

function envFile(path: string, env: Named): PlannedFile {
  const lines = Object.entries(env).map(([name, value]) => formatLine(name, value))
  return { path, text: `${['# Written by latchkey setup.', ...lines].join('\n')}\n`, mode: 0o600 }
}

/** Where each proxy reads configurations, outside of a container. */
const PROXY_PATHS = {
  caddy: '/etc/caddy/latchkey.caddyfile',
  nginx: '/etc/nginx/conf.d/latchkey.conf',
  traefik: '/etc/traefik/dynamic/latchkey.yaml',
} as const

function proxyFiles(answers: Answers, { install, proxy }: Machine): PlannedFile[] {
  if (proxy === 'none') return []
  const ports = { links: portOf(answers, 'links'), rooms: portOf(answers, 'rooms') }
  const isContainer = install === 'compose' && proxy === 'caddy'
  const { certificate, certificateKey } = answers
  const sites: Sites = {
    links: answers.links,
    rooms: answers.rooms,
    email: answers.email,
    nodes: {
      links: `${isContainer ? 'links' : '127.0.0.1'}:${ports.links}`,
      rooms: `${isContainer ? 'rooms' : '127.0.0.1'}:${ports.rooms}`,
    },
    certificate: certificate && certificateKey ? { file: certificate, key: certificateKey } : null,
  }
  if (isContainer) return [{ path: '/Caddyfile', text: caddyfile(sites) }]
  // Beside a Compose file, it is yours to copy to the proxy.
  const path = install === 'compose' ? `/${PROXY_PATHS[proxy].split('/').at(-1)}` : PROXY_PATHS[proxy]
  if (proxy === 'nginx') return [{ path, text: nginxConfiguration(sites) }]
  if (proxy === 'traefik') return [{ path, text: traefikConfiguration(sites) }]
  return [
    { path, text: caddyfile(sites) },
    { path: '/etc/caddy/Caddyfile', text: `${IMPORT_LINE}\n`, line: IMPORT_LINE },
  ]
}

const IMPORT_LINE = 'import latchkey.caddyfile'
