import { readFileSync } from 'node:fs'
import type { Kind } from './kinds.ts'

/** One setting as data: validation, `--help` and the reference page all come from this. */
export interface Declaration<T> {
  /** The environment variable. */
  readonly name: string
  readonly kind: Kind<T>
  /** As it would be written in the environment; without one, an unset setting is null. */
  readonly default?: string
  /** What holds instead, when there is no default: `from the request`. */
  readonly whenUnset?: string
  /** What the setting does, in one sentence without a full stop. */
  readonly sentence: string
  /** A value that is accepted. */
  readonly example: string
  /** Never printed, and may be given as the file named by `NAME_FILE`. */
  readonly secret?: boolean
  /** An empty variable is a value of its own instead of counting as unset. */
  readonly keepsEmpty?: boolean
}

export type Declarations = Readonly<Record<string, Declaration<unknown>>>

export type Environment = Readonly<Record<string, string | undefined>>

type ValueOf<Setting> = Setting extends { readonly kind: Kind<infer T> } ? T : never

/** What the declarations hold once parsed: null only where there is no default. */
export type Values<D extends Declarations> = {
  readonly [Key in keyof D]: D[Key] extends { readonly default: string }
    ? ValueOf<D[Key]>
    : ValueOf<D[Key]> | null
}

/**
 * What must hold between settings. `problem` says what is wrong with the first of `settings`, or returns null. A rule is
 * not asked while one of its settings has a bad value itself.
 */
export interface Rule<D extends Declarations> {
  readonly settings: readonly [keyof D & string, ...(keyof D & string)[]]
  problem(values: Values<D>): string | null
}

export interface Problem {
  readonly name: string
  /** Completes a sentence that begins with the name. */
  readonly problem: string
  readonly example: string
}

/** Everything that is wrong with the settings, at once. The message is ready to print and holds no secret. */
export class SettingsError extends Error {
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    const lines = problems.map(
      ({ name, problem, example }) => `  ${name} ${problem}. Example: ${name}=${example}`,
    )
    super(['These settings cannot be used:', ...lines].join('\n'))
    this.name = 'SettingsError'
    this.problems = problems
  }
}

/**
 * Reads the settings from `env`, once. An empty variable counts as unset, and so does a port that Kubernetes set; a secret may be in the file that `NAME_FILE`
 * names, whose last line end is dropped.
 *
 * Throws `SettingsError` with every problem there is. A default that its own kind refuses is a `TypeError`.
 *
 * @example
 * const declarations = {
 *   port: { name: 'APP_PORT', kind: integer(0, 65535), default: '80', sentence: 'Port', example: '8080' },
 * } satisfies Declarations
 * parseSettings(declarations, process.env).port // number
 */
export function parseSettings<D extends Declarations>(
  declarations: D,
  env: Environment,
  rules: readonly Rule<D>[] = [],
): Values<D> {
  const read: Record<string, unknown> = {}
  const problems: Problem[] = []
  const bad = new Set<string>()
  for (const [key, declaration] of Object.entries(declarations)) {
    const outcome = readSetting(declaration, env)
    read[key] = 'value' in outcome ? outcome.value : null
    if ('value' in outcome) continue
    bad.add(key)
    problems.push(problemOf(declaration, outcome.problem))
  }
  const values = read as Values<D>
  for (const rule of rules) {
    if (rule.settings.some((key) => bad.has(key))) continue
    const problem = rule.problem(values)
    const declaration = declarations[rule.settings[0]]
    if (problem !== null && declaration) problems.push(problemOf(declaration, problem))
  }
  if (problems.length > 0) throw new SettingsError(problems)
  return values
}

type Outcome<Found> = { readonly value: Found } | { readonly problem: string }

function readSetting<T>(declaration: Declaration<T>, env: Environment): Outcome<T | null> {
  const given = readText(declaration, env)
  if ('problem' in given) return given
  if (given.value === undefined) return { value: defaultOf(declaration) }
  const value = declaration.kind.parse(given.value)
  if (value !== undefined) return { value }
  return { problem: `must be ${declaration.kind.accepts}${displayValue(declaration, given.value)}` }
}

function defaultOf<T>(declaration: Declaration<T>): T | null {
  if (declaration.default === undefined) return null
  const value = declaration.kind.parse(declaration.default)
  if (value === undefined) throw new TypeError(`The default of ${declaration.name} is refused by its kind`)
  return value
}

function readText(
  { name, secret, keepsEmpty }: Declaration<unknown>,
  env: Environment,
): Outcome<string | undefined> {
  const value = keepsEmpty ? env[name] : isOfKubernetes(name, env) ? undefined : env[name] || undefined
  const path = secret ? env[`${name}_FILE`] : undefined
  if (!path) return { value }
  if (value !== undefined) return { problem: `is given twice, also as ${name}_FILE; keep one` }
  return readSecret(name, path)
}

// For a service called `links` it sets LINKS_SERVICE_HOST, and LINKS_PORT to an address such as tcp://10.96.0.7:8080.
function isOfKubernetes(name: string, env: Environment): boolean {
  const host = name.replace(/_PORT$/, '_SERVICE_HOST')
  return host !== name && Boolean(env[host]) && /^(tcp|udp|sctp):/.test(env[name] ?? '')
}

// The path is not printed: people put the secret itself there by mistake.
function readSecret(name: string, path: string): Outcome<string> {
  try {
    const value = readFileSync(path, 'utf8').replace(/[\r\n]+$/, '')
    // Not "unset": a database URL that got lost must not start the service on an empty database.
    return value === '' ? { problem: `is empty in the file that ${name}_FILE names` } : { value }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    return { problem: `cannot be read from the file that ${name}_FILE names (${code})` }
  }
}

const SHOWN_LENGTH = 80

// A value with an @ may be a URL with a password in it, whatever the setting.
function displayValue({ secret }: Declaration<unknown>, value: string): string {
  if (secret || value.includes('@')) return ''
  const quoted = JSON.stringify(value.slice(0, SHOWN_LENGTH))
  return `, not ${quoted}${value.length > SHOWN_LENGTH ? '…' : ''}`
}

function problemOf({ name, example }: Declaration<unknown>, problem: string): Problem {
  return { name, problem, example }
}
