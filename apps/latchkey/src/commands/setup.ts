import { parseArgs } from 'node:util'
import { type Command, UsageError } from '../command.ts'
import { Interrupted } from '../setup/dialogue.ts'

/** As of a program that SIGINT ended. */
const INTERRUPTED = 130

export const setup: Command = {
  words: ['setup'],
  synopsis: '[--answers FILE] [--write DIR] [--start] [--check]',
  summary: 'Ask five things, try them, and write the settings, units and proxy configuration',
  details: `Asks for the hosts of Links and Rooms, who signs people in, your email address and where the data lives. Tries
names, ports, certificates and the provider, shows a diff, and writes all files or none. A file that someone changed
is never overwritten: the new text is written beside it, as FILE.new. In the end it offers to start the services.
--answers FILE  answers as NAME=value lines, in place of questions; docs/operate/setup.md lists them
--write DIR     write below DIR, in place of / (systemd) or /opt/latchkey (Compose)
--start         start the services in the end, without asking
--check         compare a running server with its setup, and write nothing
The exit code is 0 if all is done, 2 with a list if something is left to you or has drifted, and 1 on an error.`,
  async run(args) {
    const { values } = parseArgs({
      args,
      options: {
        answers: { type: 'string' },
        write: { type: 'string' },
        start: { type: 'boolean', default: false },
        check: { type: 'boolean', default: false },
      },
    })
    if (values.write === '') throw new UsageError('--write must name a folder')
    if (values.check && values.answers !== undefined)
      throw new UsageError('--check cannot be combined with --answers')
    if (values.check) return (await import('../setup/drift.ts')).checkDrift(values.write)
    try {
      const { setUp } = await import('../setup/setup.ts')
      return await setUp({ answersFile: values.answers, write: values.write, start: values.start })
    } catch (error) {
      if (error instanceof Interrupted) return INTERRUPTED
      throw error
    }
  },
}
