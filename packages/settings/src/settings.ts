import { readFileSync } from 'node:fs'
import type { Kind } from './kinds.ts'

/** One setting as data, from which validation, `--help` and the reference page all follow. */
export interface Declaration<T> {
  /** The environment variable. */
  readonly name: string
  readonly kind: Kind<T>
  /** The default as written in the environment. Without one, an unset setting is null. */
  readonly default?: string
  /** The value that applies without a default, in words: `from the request`. */
  readonly whenUnset?: string
  /** The effect of the setting, in one sentence without a full stop. */
  readonly sentence: string
  /** An accepted value. */
  readonly example: string
  /** Never printed. May be in the file named by `NAME_FILE`. */
  readonly secret?: boolean
  /** An empty variable is a distinct value instead of counting as unset. */
  readonly keepsEmpty?: boolean
  /** The name in an earlier version. */
  readonly formerName?: string
}

export type Declarations = Readonly<Record<string, Declaration<unknown>>>

export type Environment = Readonly<Record<string, string | undefined>>

type ValueOf<Setting> = Setting extends { readonly kind: Kind<infer T> } ? T : never

/** The parsed values of the declarations: null only where there is no default. */
export type Values<D extends Declarations> = {
  readonly [Key in keyof D]: D[Key] extends { readonly default: string }
    ? ValueOf<D[Key]>
    : ValueOf<D[Key]> | null
}

/**
 * A rule between settings. `problem` describes the problem with the first of `settings`, or returns
 * null. It is not called while the value of one of its settings is invalid.
 */
export interface Rule<D extends Declarations> {
  readonly settings: readonly [keyof D & string, ...(keyof D & string)[]]
  problem(values: Values<D>): string | null
}

export interface Problem {
  readonly name: string
  /** Completes a sentence that begins with the name of the setting. */
  readonly problem: string
  readonly example: string
}

/** All problems with the settings at once. The message is ready to print and holds no secret. */
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
 * Reads the settings from `env`. An empty variable counts as unset, and so does a port that
 * Kubernetes set. A secret may be in the file that `NAME_FILE` names, whose last line end is
 * dropped.
 *
 * Throws `SettingsError` with every problem. A default that its own kind refuses is a `TypeError`.
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

type Outcome<Value> = { readonly value: Value } | { readonly problem: string }

function readSetting<T>(declaration: Declaration<T>, env: Environment): Outcome<T | null> {
  const outcome = readText(declaration, env)
  if ('problem' in outcome) return outcome
  if (outcome.value === undefined) return { value: defaultOf(declaration) }
  const value = declaration.kind.parse(outcome.value)
  if (value !== undefined) return { value }
  const fault = declaration.kind.findFault?.(outcome.value)
  if (fault !== undefined) return { problem: fault }
  const wrong = declaration.kind.findWrongPart?.(outcome.value) ?? outcome.value
  return { problem: `must be ${declaration.kind.accepts}${displayValue(declaration, wrong)}` }
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

// For a service called `links`, Kubernetes sets LINKS_SERVICE_HOST, and LINKS_PORT to an address
// such as tcp://10.96.0.7:8080.
function isOfKubernetes(name: string, env: Environment): boolean {
  const host = name.replace(/_PORT$/, '_SERVICE_HOST')
  return host !== name && Boolean(env[host]) && /^(tcp|udp|sctp):/.test(env[name] ?? '')
}

// The path is not printed: people put the secret itself there by mistake.
function readSecret(name: string, path: string): Outcome<string> {
  try {
    const value = readFileSync(path, 'utf8').replace(/[\r\n]+$/, '')
    // Not "unset": a lost database URL must not start the service on an empty database.
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
