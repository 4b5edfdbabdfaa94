import { parseArgs } from 'node:util'
import type { Finding } from '@latchkey/doctor/finding'
import { examine, examinePrivacy } from '@latchkey/links/doctor/doctor'
import { examine as examineRooms } from '@latchkey/rooms/doctor/doctor'
import type { Command } from '../command.ts'
import { plain, printLine } from '../output.ts'

export const doctor: Command = {
  words: ['doctor'],
  services: ['links', 'rooms'],
  synopsis: '[--privacy]',
  summary: 'Check settings, databases, migrations, disk, clock, access, provider and public address',
  details: `Prints one line per check, first for Links, then for Rooms, with the URLs to register at the identity provider.
With --privacy, reads all clicks of Links instead, beside the running service, and proves what its page /_/privacy says.
The exit code is 1 if a check fails.`,
  async run(args) {
    const { values } = parseArgs({ args, options: { privacy: { type: 'boolean', default: false } } })
    if (values.privacy) return (await printFindings('links', examinePrivacy(process.env))) ? 0 : 1
    const ofLinks = await printFindings('links', examine(process.env))
    const ofRooms = await printFindings('rooms', examineRooms(process.env))
    return ofLinks && ofRooms ? 0 : 1
  },
}

/** Prints the findings; returns whether none is a failure. */
async function printFindings(service: string, findings: AsyncIterable<Finding>): Promise<boolean> {
  let isSound = true
  for await (const finding of findings) {
    isSound &&= finding.level !== 'fail'
    printFinding(service, finding)
  }
  return isSound
}

export function printFinding(service: string, { level, name, sentence }: Finding): void {
  printLine(`${level.padEnd(4)}  ${service}  ${name.padEnd(10)}  ${plain(sentence)}`)
}
