import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { MAX_REVIVALS } from '@latchkey/database/backup/comparison'
import { describeContent } from '../backup/describe.ts'
import { restoreFromS3 } from '../backup/remote.ts'
import { type RestoredService, restoreBackup } from '../backup/restore.ts'
import { findS3Object } from '../backup/s3/settings.ts'
import { SERVICES } from '../backup/manifest.ts'
import { namesOfSettings } from '../backup/services.ts'
import type { VerifiedArchive } from '../backup/verify.ts'
import { type Command, requireChoice, requirePositionals } from '../command.ts'
import { JsonLinesFile } from '../json-lines-file.ts'
import { formatAmounts, plain, printLine } from '../output.ts'
import { Progress } from '../progress.ts'

export const restore: Command = {
  words: ['restore'],
  services: ['links', 'rooms'],
  needsStopped: true,
  synopsis: 'FILE|s3://BUCKET/NAME [--folder DIR] [--service links|rooms] [--replace] [--list FILE]',
  summary: 'Restore a backup of latchkey backup, after verifying all of it',
  details: `Stop the services first. Restores every service in the archive, each all or nothing, and ends all sessions.
A service that has data is refused. With --replace it is replaced, and what was ended since the backup is listed:
revoked keys, bans, erased accounts, deleted messages. --list writes the complete list as lines of JSON.
A restore that was interrupted can be run again; a download from S3 continues in the folder.`,
  async run(args) {
    const { positionals, values } = parseArgs({
      args,
      options: {
        service: { type: 'string' },
        replace: { type: 'boolean', default: false },
        list: { type: 'string' },
        folder: { type: 'string', default: '.' },
      },
      allowPositionals: true,
    })
    const [place = ''] = requirePositionals(positionals, ['FILE'])
    const object = findS3Object(place, process.env)
    const only = values.service === undefined ? null : requireChoice('service', SERVICES, values.service)
    const list = values.list === undefined ? undefined : new JsonLinesFile(values.list)
    const restored: RestoredService[] = []
    const progress = new Progress()
    const options = { only, replace: values.replace }
    const onRestored = (each: RestoredService) => {
      progress.clear()
      restored.push(each)
      printRestored(each)
    }
    try {
      const archive = object
        ? await restoreFromS3(
            { object, address: place, folder: values.folder },
            options,
            progress,
            onRestored,
          )
        : await restoreBackup({ ...options, file: place, place: resolve(place) }, progress, onRestored)
      for (const each of restored) await printRevivals(each, archive, list)
      printMissingSettings(archive)
    } finally {
      progress.clear()
      await list?.close()
    }
    return 0
  },
}

function printRestored({ service, manifest, database }: RestoredService): void {
  const sessions = service.storage ? `, ${formatAmounts([[database.endedSessions, 'session']])} ended` : ''
  printLine(`Restored ${service.title}: ${describeContent(service, manifest)}${sessions}`)
  const lost = manifest.files?.lost ?? 0
  if (lost > 0) printLine(`File contents that were lost before the backup: ${lost}`)
}

/** Names that are printed of each kind. */
const PRINTED_NAMES = 20

async function printRevivals(
  { service, database }: RestoredService,
  { manifest }: VerifiedArchive,
  list: JsonLinesFile | undefined,
): Promise<void> {
  const since = new Date(manifest.created_at * 1000).toISOString()
  const { revivals } = database
  if (!revivals)
    return printLine(
      `${service.title}: what was ended since ${since} works again, such as ${EXAMPLES[service.name]}`,
    )
  if (revivals.length === 0) return printLine(`${service.title}: nothing was ended since ${since}`)
  printLine(`${service.title}: back since ${since}`)
  for (const { what, names } of revivals) {
    const count = names.length < MAX_REVIVALS ? names.length : `at least ${MAX_REVIVALS}`
    printLine(`  ${what}: ${count}`)
    for (const name of names.slice(0, PRINTED_NAMES)) printLine(`    ${plain(name)}`)
    if (names.length > PRINTED_NAMES)
      printLine(`    and ${names.length - PRINTED_NAMES} more${list ? '' : ': --list FILE writes all'}`)
    for (const name of list ? names : []) await list?.write({ service: service.name, what, name })
  }
}

const EXAMPLES = {
  links: 'revoked API keys, deleted links and passwords',
  rooms: 'bans that are missing, erased accounts and deleted messages',
} as const

function printMissingSettings({ manifest }: VerifiedArchive): void {
  const present = new Set(namesOfSettings(process.env))
  const missing = manifest.settings.filter((name) => !present.has(name))
  if (missing.length > 0)
    printLine(`Set when the backup was made, and not here: ${missing.map(plain).join(', ')}`)
}
