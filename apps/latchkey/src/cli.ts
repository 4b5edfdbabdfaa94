import { VERSION } from '@latchkey/links/api/version'
import { type Command, UsageError } from './command.ts'
import { backup } from './commands/backup.ts'
import { doctor } from './commands/doctor.ts'
import { explainCommand } from './commands/explain.ts'
import { health } from './commands/health.ts'
import { roomsArchiveCommands } from './commands/instance-archive.ts'
import { keyCommands } from './commands/keys.ts'
import { legacyCommands } from './commands/legacy.ts'
import { transferOwnershipCommand } from './commands/link-owners.ts'
import { linkCommands } from './commands/links.ts'
import { restore } from './commands/restore.ts'
import { roomsCommands } from './commands/rooms.ts'
import { setup } from './commands/setup.ts'
import { links, rooms, start } from './commands/start.ts'
import { transferCommands } from './commands/transfer.ts'
import { upgrade } from './commands/upgrade.ts'
import { verifyCommand } from './commands/verify.ts'
import { voiceCommands } from './commands/voice.ts'
import { formatError } from './format-error.ts'
import { printError, printLine } from './output.ts'
import { runWithUnit } from './units/run-with-unit.ts'
import { help, overview, usage } from './usage.ts'

const commands: readonly Command[] = [
  start,
  links,
  rooms,
  setup,
  ...keyCommands,
  ...linkCommands,
  ...transferCommands,
  verifyCommand,
  transferOwnershipCommand,
  ...legacyCommands,
  explainCommand,
  ...roomsArchiveCommands,
  ...roomsCommands,
  ...voiceCommands,
  backup,
  restore,
  upgrade,
  doctor,
  health,
]

/**
 * Runs a command line. Returns the exit code: 0 success, 1 failure or partial success, 2 wrong
 * usage.
 */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  // A full disk or a closed pipe is an `error` event, not an exception. It does not stop a
  // service.
  for (const out of [process.stdout, process.stderr])
    out.on('error', (error) => (process.exitCode = reportFailure(error)))
  if (args.length === 1 && args[0] === '--version') return printText(VERSION)
  if (args.some(isHelp)) return runHelp(args)
  const command = findCommand(args)
  if (!command) {
    const name = args.slice(0, 2).join(' ')
    return printUsageError(
      args.length === 0 ? 'No command given.' : `Unknown command "${name}".`,
      overview(commands),
    )
  }
  try {
    return (await runWithUnit(command, args)) ?? (await command.run(args.slice(command.words.length)))
  } catch (error) {
    if (isUsageError(error)) return printUsageError(error.message, usage(command))
    return reportFailure(error)
  }
}

let lastFailure = ''

/**
 * Prints a failure. Skips a repetition: the same failure may be thrown, and also be an event of
 * each line.
 */
function reportFailure(error: unknown): number {
  const sentence = formatError(error)
  if (sentence !== lastFailure) printError(sentence)
  lastFailure = sentence
  return 1
}

function runHelp(args: readonly string[]): number {
  const words = args.slice(0, args.findIndex(isOption))
  if (words.length === 0) return printText(overview(commands))
  const exact = findCommand(words)
  const meant = commands.filter((command) => words.every((word, at) => command.words[at] === word))
  if (meant.length > 0) return printText(help(meant))
  return exact
    ? printText(help([exact]))
    : printUsageError(`Unknown command "${words.join(' ')}".`, overview(commands))
}

/** The command with the longest match of the first words: `links import` rather than `links`. */
function findCommand(args: readonly string[]): Command | undefined {
  return commands
    .filter(({ words }) => words.every((word, at) => args[at] === word))
    .toSorted((a, b) => b.words.length - a.words.length)[0]
}

const isHelp = (arg: string) => arg === '--help' || arg === '-h'
const isOption = (arg: string) => arg.startsWith('-')

function isUsageError(error: unknown): error is Error {
  if (error instanceof UsageError) return true
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
}

function printText(text: string): number {
  printLine(text)
  return 0
}

function printUsageError(problem: string, usageText: string): number {
  printError(`${problem}\n\n${usageText}`)
  return 2
}
