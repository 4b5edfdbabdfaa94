import { isIdentity } from '@latchkey/links/access/identity'
import type { Declarations } from '@latchkey/settings/settings'

/** One verb of the command line. */
export interface Command {
  /** The words that call it. */
  readonly words: readonly string[]
  /** What follows the words. */
  readonly synopsis: string
  readonly summary: string
  /** More for its own help page, in lines. */
  readonly details?: string
  /** The settings that a service reads, by its name, for the help page of the command that runs it. */
  readonly settings?: Readonly<Record<string, Declarations>>
  /** Does it and returns the exit code. Throws `UsageError`, `CommandFailure` and whatever goes wrong beneath. */
  readonly run: (args: string[]) => Promise<number>
}

/** The command line itself is wrong: exit code 2, with the usage. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Expected, and said in the message: exit code 1. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
}

/** The options without a value, by name; throws `UsageError` naming all of them. */
export function requireAll<Names extends string>(
  values: Readonly<Partial<Record<Names, string>>>,
  names: readonly Names[],
): Record<Names, string> {
  const missing = names.filter((name) => !values[name])
  if (missing.length > 0) throw new UsageError(`Missing: ${missing.map((name) => `--${name}`).join(', ')}`)
  return values as Record<Names, string>
}

/** The one of `choices` that was given; throws `UsageError` naming all of them. */
export function requireChoice<const Choices extends readonly string[]>(
  option: string,
  choices: Choices,
  given: string,
): Choices[number] {
  const choice = choices.find((each) => each === given)
  if (choice === undefined) throw new UsageError(`--${option} must be one of: ${choices.join(', ')}`)
  return choice
}

/** Refuses (`UsageError`) what cannot name a person. */
export function requireIdentity(option: string, given: string): void {
  if (isIdentity(given)) return
  throw new UsageError(
    `--${option} must be a name of at most 320 characters, without control characters or surrounding whitespace`,
  )
}

/** Exactly these positional arguments, in this order. */
export function requirePositionals(given: readonly string[], names: readonly string[]): string[] {
  if (given.length > names.length) throw new UsageError(`Unexpected argument: ${given[names.length]}`)
  if (given.length < names.length) throw new UsageError(`Missing: ${names.slice(given.length).join(' ')}`)
  return [...given]
}

/** What is exported goes to stdout, which may be named: `-`. */
export function requireStdout(positionals: readonly string[]): void {
  const unexpected = positionals.find((each, at) => each !== '-' || at > 0)
  if (unexpected !== undefined)
    throw new UsageError(`Unexpected argument: ${unexpected}. Redirect stdout to a file.`)
}
