import { parseArgs } from 'node:util'
import type { Finding } from '@latchkey/doctor/finding'
import { type Command, UsageError } from '../command.ts'
import { checkLinksUpgrade, checkRoomsUpgrade } from '../upgrade-check.ts'
import { printFinding } from './doctor.ts'

export const upgrade: Command = {
  words: ['upgrade'],
  services: ['links', 'rooms'],
  synopsis: '--check',
  summary: 'Say what the start of this version would change, and how long its migrations take',
  details: `Run it with the new version and the settings of the service, which may run. It changes nothing.
Migrations are timed on a copy: of SQLite in the folder for temporary files, of PostgreSQL in a transaction.
The exit code is 0 if all is ready, 2 if something is left to you, such as a backup, and 1 on an error.`,
  async run(args) {
    const { values } = parseArgs({ args, options: { check: { type: 'boolean', default: false } } })
    if (!values.check)
      throw new UsageError('Missing: --check. The start of a version upgrades the databases.')
    const levels = [
      ...(await printFindings('links', checkLinksUpgrade(process.env))),
      ...(await printFindings('rooms', checkRoomsUpgrade(process.env))),
    ]
    if (levels.includes('fail')) return 1
    return levels.includes('warn') ? 2 : 0
  },
}

/** Returns the levels. */
async function printFindings(service: string, findings: AsyncIterable<Finding>): Promise<Finding['level'][]> {
  const levels: Finding['level'][] = []
  for await (const finding of findings) {
    printFinding(service, finding)
    levels.push(finding.level)
  }
  return levels
}
