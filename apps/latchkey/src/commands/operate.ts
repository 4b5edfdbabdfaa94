import { parseArgs } from 'node:util'
import { type Backup, copyDatabase } from '@latchkey/database/backup'
import { dialectOf, sqlitePath } from '@latchkey/database/url'
import type { Finding } from '@latchkey/doctor/finding'
import { backUp } from '@latchkey/links/backup/backup'
import { examine, examinePrivacy } from '@latchkey/links/doctor/doctor'
import { examine as examineRooms } from '@latchkey/rooms/doctor/doctor'
import { type Command, CommandFailure, requireChoice, requirePositionals } from '../command.ts'
import { formatAmounts, plain, printLine } from '../output.ts'
import { currentSettings, requireLinks, requireRooms, roomsStorage } from '../environment.ts'

const backup: Command = {
  words: ['backup'],
  synopsis: '[--service links|rooms] FILE',
  summary: 'Copy the SQLite database of a running service and verify the copy',
  details: `Backs up Links, or the service you name. The copy of Links includes the clicks that wait in the journal.
An existing file is never overwritten. The contents of files in Rooms are not in the copy: copy ROOMS_FILES after it.
To restore, stop the service, put the copy where its database setting points, and leave no -wal, -shm or -journal file
beside it.`,
  async run(args) {
    const { positionals, values } = parseArgs({
      args,
      options: { service: { type: 'string', default: 'links' } },
      allowPositionals: true,
    })
    const [file = ''] = requirePositionals(positionals, ['FILE'])
    const service = requireChoice('service', ['links', 'rooms'], values.service)
    const { bytes, rows } = await (service === 'links' ? backUpLinks(file) : backUpRooms(file))
    const tables = service === 'links' ? ['link', 'slug', 'click'] : ['users', 'sessions']
    const counts = formatAmounts(tables.map((table) => [rows.get(table) ?? 0, table.replace(/s$/, '')]))
    printLine(`Backed up and verified: ${counts}, ${bytes} bytes in ${file}`)
    const contents = rows.get('file_contents') ?? 0
    if (contents > 0)
      printLine(`Not in this copy: the contents of files. Copy ${placeOf(roomsStorage().files)} now`)
    return 0
  },
}

function placeOf(files: ReturnType<typeof roomsStorage>['files']): string {
  return 'folder' in files ? `the folder ${files.folder}` : `s3://${files.bucket}/${files.prefix}`
}

async function backUpLinks(file: string): Promise<Backup> {
  const settings = currentSettings()
  refusePostgres(settings.databaseUrl)
  await requireLinks(settings)
  return backUp(settings, file)
}

async function backUpRooms(file: string): Promise<Backup> {
  const settings = roomsStorage()
  refusePostgres(settings.databaseUrl)
  await requireRooms(settings)
  return copyDatabase(sqlitePath(settings.databaseUrl), file)
}

function refusePostgres(url: string): void {
  if (dialectOf(url) === 'postgres')
    throw new CommandFailure('The database is PostgreSQL: back it up with pg_dump')
}

const doctor: Command = {
  words: ['doctor'],
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
  for await (const { level, name, sentence } of findings) {
    isSound &&= level !== 'fail'
    printLine(`${level.padEnd(4)}  ${service}  ${name.padEnd(10)}  ${plain(sentence)}`)
  }
  return isSound
}

export const operateCommands: readonly Command[] = [backup, doctor]
