import type { Declarations } from '@latchkey/settings/settings'
import type { Command } from './command.ts'
import { table } from './output.ts'

/** All commands, one per line. */
export function overview(commands: readonly Command[]): string {
  const rows = commands.map(({ words, summary }) => [['latchkey', ...words].join(' '), summary])
  return `Usage:

${indent(table(rows))}

latchkey COMMAND --help explains a command, and latchkey --version prints the version.`
}

/** The synopsis of one command. */
export function usage(command: Command): string {
  return `Usage: ${commandLine(command)}\n\nlatchkey ${command.words.join(' ')} --help explains the command.`
}

/**
 * The help page of one command, or of all with the same first words, with the settings of their
 * services.
 */
export function help(commands: readonly Command[]): string {
  const pages = commands.map((command) =>
    [commandLine(command), indent([command.summary, command.details ?? ''].join('\n').trimEnd())].join('\n'),
  )
  const settings = commands.flatMap((command) => Object.entries(command.settings ?? {}))
  return [
    ...pages,
    ...settings.map(
      ([service, declarations]) =>
        `Settings of ${service}, read from the environment:\n\n${indent(settingsTable(declarations))}`,
    ),
    ...(settings.length === 0
      ? ['Settings are read from the environment: latchkey start --help lists them.']
      : []),
  ].join('\n\n')
}

function commandLine({ words, synopsis }: Command): string {
  return ['latchkey', ...words, synopsis].join(' ').trimEnd()
}

function settingsTable(declarations: Declarations): string {
  return table(
    Object.values(declarations).map((setting) => [
      setting.name,
      setting.default ?? `(${setting.whenUnset ?? 'unset'})`,
      setting.sentence,
    ]),
  )
}

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ')
}
