import { parseArgs } from 'node:util'
import { type Backup, copyDatabase } from '@latchkey/database/backup/copy-sqlite'
import { dialectOf, sqlitePath } from '@latchkey/database/url'
import { backUp } from '@latchkey/links/backup/backup'
import { type Command, CommandFailure, requireChoice, requirePositionals } from '../command.ts'
import { formatAmounts, printLine } from '../output.ts'
import { currentSettings, requireLinks, requireRooms, roomsStorage } from '../environment.ts'

export const backup: Command = {
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
