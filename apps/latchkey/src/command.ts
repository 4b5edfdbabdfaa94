import { isIdentity } from '@latchkey/links/access/identity'
import type { Declarations } from '@latchkey/settings/settings'
import type { ServiceName } from './backup/manifest.ts'

/** One command of the command line. */
export interface Command {
  /** The words that select the command. */
  readonly words: readonly string[]
  /** The arguments after the words. */
  readonly synopsis: string
  readonly summary: string
  /** More lines for the help page of the command. */
  readonly details?: string
  /** The services whose data the command reads or changes, if any. */
  readonly services?: readonly ServiceName[]
  /** Whether these services must not run meanwhile. */
  readonly needsStopped?: boolean
  /** The settings of the services that the command runs, by service, for its help page. */
  readonly settings?: Readonly<Record<string, Declarations>>
  /**
   * Returns the exit code. Throws `UsageError`, `CommandFailure` and all errors of the called
   * code.
   */
  readonly run: (args: string[]) => Promise<number>
}

/** An error in the command line: exit code 2, with the usage. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** An expected failure, explained by its message: exit code 1. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
}

/** Returns the values. Throws a `UsageError` that names all missing options. */
export function requireAll<Names extends string>(
  values: Readonly<Partial<Record<Names, string>>>,
  names: readonly Names[],
): Record<Names, string> {
  const missing = names.filter((name) => !values[name])
  if (missing.length > 0) throw new UsageError(`Missing: ${missing.map((name) => `--${name}`).join(', ')}`)
  return values as Record<Names, string>
}

/** Returns the value as one of `choices`. Throws a `UsageError` that lists them. */
export function requireChoice<const Choices extends readonly string[]>(
  option: string,
  choices: Choices,
  value: string,
): Choices[number] {
  const choice = choices.find((each) => each === value)
  if (choice === undefined) throw new UsageError(`--${option} must be one of: ${choices.join(', ')}`)
  return choice
}

/** Throws `UsageError` if the value cannot be an identity. */
export function requireIdentity(option: string, value: string): void {
  if (isIdentity(value)) return
  throw new UsageError(
    `--${option} must be a name of at most 320 characters, without control characters or surrounding whitespace`,
  )
}

/**
 * Returns the positional arguments. Throws `UsageError` if there are more or fewer than `names`.
 */
export function requirePositionals(positionals: readonly string[], names: readonly string[]): string[] {
  if (positionals.length > names.length)
    throw new UsageError(`Unexpected argument: ${positionals[names.length]}`)
  if (positionals.length < names.length)
    throw new UsageError(`Missing: ${names.slice(positionals.length).join(' ')}`)
  return [...positionals]
}

/** Throws `UsageError` for any positional argument but `-`: exports are written to stdout. */
export function requireStdout(positionals: readonly string[]): void {
  const unexpected = positionals.find((each, at) => each !== '-' || at > 0)
  if (unexpected !== undefined)
    throw new UsageError(`Unexpected argument: ${unexpected}. Redirect stdout to a file.`)
}
