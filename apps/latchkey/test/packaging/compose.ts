import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const FOLDER = join(import.meta.dir, '../../../../deploy/compose')

/** Basic-auth credentials of Ann, with the password "only for tests". */
export const ADMINS = join(import.meta.dir, 'admins.txt')

export interface ComposeService {
  image: string
  command?: string[]
  environment?: Record<string, string>
  secrets?: string[]
  configs?: { source: string; target: string }[]
  volumes?: string[]
  networks: string[] | Record<string, { ipv4_address: string }>
  healthcheck?: { test: string[] }
  read_only?: boolean
  cap_drop?: string[]
  security_opt?: string[]
  restart?: string
  deploy?: { resources: { limits: { cpus: string; memory: string; pids: number } } }
}

export interface Compose {
  services: Record<string, ComposeService>
  secrets: Record<string, { file: string }>
  configs?: Record<string, { file: string }>
  networks: { front: { ipam: { config: [{ subnet: string; ip_range: string; gateway: string }] } } }
}

/**
 * Reads a compose file as Compose does, with anchors and variables resolved. Throws if a required
 * variable is missing.
 */
export function readCompose(name: string, variables: Readonly<Record<string, string>>): Compose {
  const parsed: unknown = Bun.YAML.parse(readFileSync(join(FOLDER, `${name}.yaml`), 'utf8'))
  return fillIn(parsed, variables) as Compose
}

function fillIn(part: unknown, variables: Readonly<Record<string, string>>): unknown {
  if (typeof part === 'string')
    return part.replaceAll(/\$\{(\w+)(?:(:[-?])([^}]*))?\}/g, (_, name: string, kind?: string, word = '') => {
      const value = variables[name]
      if (value) return value
      if (kind === ':?') throw new Error(`${name} is missing: ${word}`)
      return word
    })
  if (Array.isArray(part)) return part.map((each) => fillIn(each, variables))
  if (typeof part !== 'object' || part === null) return part
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, fillIn(value, variables)]))
}
