import { declarations as links } from '@latchkey/links/settings'
import { declarations as rooms } from '@latchkey/rooms/setting-declarations'
import { renderHelp } from '@latchkey/settings/reference'
import type { Command } from './command.ts'
import { table } from './output.ts'

function synopsis({ words, takes }: Command): string {
  return ['latchkey', ...words, takes].join(' ').trimEnd()
}

export function usage(commands: readonly Command[]): string {
  return `Usage:

${indent(table(commands.map((command) => [synopsis(command), command.summary])))}

latchkey COMMAND --help says more, latchkey --version which version this is.`
}

/** One command, or all that begin with the same word. */
export function help(commands: readonly Command[]): string {
  const pages = commands.map((command) =>
    [synopsis(command), command.summary, ...(command.details ? [command.details] : [])]
      .map((text, at) => (at === 0 ? text : indent(text)))
      .join('\n'),
  )
  return `${pages.join('\n\n')}

Settings, read from the environment, of Links:

${indent(renderHelp(links))}

Of Rooms:

${indent(renderHelp(rooms))}`
}

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ')
}
