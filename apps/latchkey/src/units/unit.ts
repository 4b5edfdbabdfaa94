// What systemd would start a service with: its own answer, so that changes of units count too.
import { readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { declarations as linksSettings } from '@latchkey/links/settings/declarations'
import { declarations as roomsSettings } from '@latchkey/rooms/settings/declarations'
import type { ServiceName } from '../backup/manifest.ts'
import { CommandFailure } from '../command.ts'
import { parseEnvFile, unquote } from '../setup/env-file.ts'

export interface Unit {
  readonly service: ServiceName
  readonly user: string
  readonly group: string
  /** The folder in which the service runs. */
  readonly folder: string
  /** The settings of the service, with its secrets, and with absolute paths. */
  readonly environment: Readonly<Record<string, string>>
}

const PROPERTIES = 'LoadState,User,Group,WorkingDirectory,Environment,EnvironmentFiles,UnsetEnvironment'

/**
 * The unit of a service; undefined if this machine has none. Throws `CommandFailure` where systemd does
 * not answer.
 */
export function readUnit(service: ServiceName): Unit | undefined {
  const name = `latchkey-${service}.service`
  const properties = readProperties(systemctl('show', name, `--property=${PROPERTIES}`))
  const valueOf = (property: string) => properties.get(property)?.at(-1) ?? ''
  if (valueOf('LoadState') !== 'loaded') return undefined
  const folder = valueOf('WorkingDirectory') || '/'
  const user = valueOf('User') || 'root'
  const environment = {
    ...wordsOf(valueOf('Environment')),
    ...Object.assign({}, ...(properties.get('EnvironmentFiles') ?? []).map(readEnvironmentFile)),
  }
  for (const unset of valueOf('UnsetEnvironment').split(' ')) delete environment[unset.split('=')[0] ?? '']
  return {
    service,
    user,
    group: valueOf('Group') || user,
    folder,
    environment: withAbsolutePaths(withSecrets(environment, name), service, folder),
  }
}

/** Runs systemctl and returns its output. Throws `CommandFailure` with what it says. */
export function systemctl(...args: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(['systemctl', ...args], { stdin: 'ignore' })
  if (exitCode === 0) return stdout.toString()
  throw new CommandFailure(
    `systemctl ${args.join(' ')}: ${stderr.toString().trim() || `exit code ${exitCode}`}`,
  )
}

/** The values of each property, which systemctl prints in a line each. */
function readProperties(text: string): Map<string, string[]> {
  const properties = new Map<string, string[]>()
  for (const [, name = '', value = ''] of text.matchAll(/^(\w+)=(.*)$/gm))
    properties.set(name, [...(properties.get(name) ?? []), value])
  return properties
}

/** Reads assignments that systemctl has quoted as a shell does. */
function wordsOf(text: string): Record<string, string> {
  const words = text.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? []
  return Object.fromEntries(
    words.map((word) => {
      const [name = '', ...value] = (unquote(word) ?? word).split('=')
      return [name, value.join('=')]
    }),
  )
}

/** `/etc/latchkey/links.env (ignore_errors=yes)`. systemd skips a missing file and wrong lines too. */
function readEnvironmentFile(value: string): Record<string, string> {
  try {
    return { ...parseEnvFile(readFileSync(value.replace(/ \(ignore_errors=\w+\)$/, ''), 'utf8')).values }
  } catch {
    return {}
  }
}

/** Puts the contents of credentials, which only root and the service can read, in the place of their files. */
function withSecrets(environment: Record<string, string>, unit: string): Record<string, string> {
  // `systemctl show` cannot print them.
  const lines = systemctl('cat', unit).matchAll(/^LoadCredential=([^:\n]+):(.+)$/gm)
  const sources = new Map([...lines].map(([, id = '', path = '']) => [id, path]))
  const contents = Object.entries(environment).map(([name, value]) => {
    const [, id = ''] = /^\/run\/credentials\/[^/]+\/(.+)$/.exec(value) ?? []
    const source = sources.get(id)
    if (source === undefined || !name.endsWith('_FILE')) return [name, value]
    try {
      return [name.slice(0, -'_FILE'.length), readFileSync(source, 'utf8').replace(/[\r\n]+$/, '')]
    } catch {
      // The command says so, if it needs the secret.
      return [name, source]
    }
  })
  return Object.fromEntries(contents) as Record<string, string>
}

/** The settings of each service that name files. */
const PATHS = {
  links: [linksSettings.databaseUrl, linksSettings.journal],
  rooms: [roomsSettings.databaseUrl, roomsSettings.files],
} as const

/** The command runs in the folder of its caller. A setting that a file holds stays in its file. */
export function withAbsolutePaths(
  environment: Record<string, string>,
  service: ServiceName,
  folder: string,
): Record<string, string> {
  const settings = PATHS[service].filter(({ name }) => !environment[`${name}_FILE`])
  const paths = settings.map((setting) => {
    const value = environment[setting.name] || setting.default
    const [, scheme = '', path = ''] = /^(sqlite:)?(.*)$/.exec(value) ?? []
    const isPath = !isAbsolute(path) && !/^\w+:\/\//.test(path)
    return [setting.name, isPath ? scheme + join(folder, path) : value]
  })
  return { ...environment, ...Object.fromEntries(paths) }
}
