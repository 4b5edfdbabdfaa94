import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Backup, copyDatabase } from '@latchkey/database/backup/copy-sqlite'
import { dialectOf, sqlitePath } from '@latchkey/database/url'
import { backUp } from '@latchkey/links/backup/backup'
import { createBackup, recordBackup } from '../backup/create.ts'
import { describeContent } from '../backup/describe.ts'
import { backUpToS3 } from '../backup/remote.ts'
import { findS3Object } from '../backup/s3/settings.ts'
import { type BackupService, findServices } from '../backup/services.ts'
import type { VerifiedArchive } from '../backup/verify.ts'
import { type Command, CommandFailure, requireChoice, requirePositionals } from '../command.ts'
import { currentSettings, requireLinks, requireRooms, roomsStorage } from '../environment.ts'
import { formatAmounts, printError, printLine } from '../output.ts'
import { Progress } from '../progress.ts'

export const backup: Command = {
  words: ['backup'],
  services: ['links', 'rooms'],
  synopsis: 'FILE|s3://BUCKET/NAME [--folder DIR] [--service links|rooms]',
  summary: 'Copy both services, running or not, with all files into one archive and verify it',
  details: `The archive is a tar file with the databases, on SQLite or PostgreSQL, and with the files of Rooms.
A backup that was interrupted continues when you run the same command again. Nothing is overwritten.
An archive for S3 is made in the folder first, by default the current one, and deleted after it was verified in S3.
latchkey restore reads the archive.
With --service, FILE is only a copy of that service's SQLite database, without files.`,
  async run(args) {
    const { positionals, values } = parseArgs({
      args,
      options: { service: { type: 'string' }, folder: { type: 'string', default: '.' } },
      allowPositionals: true,
    })
    const [file = ''] = requirePositionals(positionals, ['FILE'])
    if (values.service === undefined) return backUpAll(file, values.folder)
    return copyService(requireChoice('service', ['links', 'rooms'], values.service), file)
  },
}

async function backUpAll(place: string, folder: string): Promise<number> {
  const object = findS3Object(place, process.env)
  const { present, missing } = await findServices()
  const [first] = missing
  if (present.length === 0) await first?.require()
  for (const service of present) await service.require()
  for (const service of missing)
    printLine(`${service.title} is not in this backup. ${await reasonOf(service)}`)
  const progress = new Progress()
  const creating = object
    ? backUpToS3({ object, address: place, folder }, present, progress)
    : createBackup(place, present, progress)
  const archive = await creating.finally(() => progress.clear())
  const at = archive.manifest.created_at
  await recordBackup(present, { at, place: object ? place : resolve(place) })
  return report(archive, present, place)
}

/** The reason why a service has no database. */
async function reasonOf(service: BackupService): Promise<string> {
  return service.require().then(
    () => 'Its database was created meanwhile',
    (error: unknown) => (error instanceof CommandFailure ? error.message : Promise.reject(error)),
  )
}

function report(
  { manifest, bytes }: VerifiedArchive,
  services: readonly BackupService[],
  place: string,
): number {
  const contents = manifest.services.flatMap((each) => {
    const service = services.find(({ name }) => name === each.name)
    return service ? [`${service.title} (${describeContent(service, each)})`] : []
  })
  printLine(`Backed up and verified: ${contents.join(', ')}, ${bytes} bytes in ${place}`)
  const lost = manifest.services.reduce((sum, { files }) => sum + (files?.lost ?? 0), 0)
  if (lost === 0) return 0
  printError(`file contents lost or damaged in ROOMS_FILES: ${lost}`)
  return 1
}

/** A copy of one SQLite database as a file. */
async function copyService(service: 'links' | 'rooms', file: string): Promise<number> {
  const { bytes, rows } = await (service === 'links' ? backUpLinks(file) : backUpRooms(file))
  const tables = service === 'links' ? ['link', 'slug', 'click'] : ['users', 'sessions']
  const counts = formatAmounts(tables.map((table) => [rows.get(table) ?? 0, table.replace(/s$/, '')]))
  printLine(`Backed up and verified: ${counts}, ${bytes} bytes in ${file}`)
  const contents = rows.get('file_contents') ?? 0
  if (contents > 0)
    printLine(`Not in this copy: the contents of files. Copy ${placeOf(roomsStorage().files)} now`)
  return 0
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
    throw new CommandFailure('The database is PostgreSQL: back it up without --service, or with pg_dump')
}
