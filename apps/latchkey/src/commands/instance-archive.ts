import { open } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { sqlitePath } from '@latchkey/database/url'
import { drainJournal } from '@latchkey/links/backup/backup'
import { exportInstance } from '@latchkey/links/transfer/instance/export'
import { importInstance } from '@latchkey/links/transfer/instance/import'
import { openStorage } from '@latchkey/rooms/files/storage/open'
import { exportRooms, importRooms } from '@latchkey/rooms/transfer/instance-archive'
import { type Command, requirePositionals, requireStdout } from '../command.ts'
import { formatAmounts, printError, protectStdout, write } from '../output.ts'
import { Progress } from '../progress.ts'
import {
  currentSettings,
  nowSeconds,
  roomsStorage,
  requireLinks,
  requireRooms,
  withDatabase,
  withRoomsDatabase,
} from '../environment.ts'

/** Writes the archive of the instance to stdout, including the clicks in the journal. */
export async function exportArchive(): Promise<number> {
  const settings = currentSettings()
  await requireLinks(settings)
  await withDatabase(settings, async (database) => {
    const { journal, databaseUrl, privacy } = settings
    await drainJournal({ journalPath: sqlitePath(journal), databaseUrl, privacy })
    await writeOut((put) => exportInstance(database, nowSeconds(), put))
  })
  return 0
}

/** Writes the output of `exporting` to stdout, with progress, and prints the number of rows. */
async function writeOut<Result>(
  exporting: (put: Parameters<typeof exportRooms>[2]) => Promise<Result>,
): Promise<Result> {
  protectStdout()
  const progress = new Progress()
  let done = 0
  const result = await exporting(async ({ text, rows, of }) => {
    done += rows
    progress.show(done, { done, whole: of })
    await write(text)
  })
  progress.clear()
  printError(`exported ${formatAmounts([[done, 'row']])}`)
  return result
}

/** Restores an archive into an empty instance. */
export async function importArchive(path: string, dryRun: boolean): Promise<number> {
  const settings = currentSettings()
  await readArchiveFile(path, async (reading, progress) => {
    // Creates and migrates the database before the import locks it against nodes.
    if (!dryRun) await withDatabase(settings, async () => {})
    const rows = await importInstance({
      databaseUrl: settings.databaseUrl,
      ...reading,
      dryRun,
      now: nowSeconds(),
      onStep: (what) => progress.showStatus(what),
    })
    const counts = formatAmounts([
      [rows.link, 'link'],
      [rows.slug, 'slug'],
      [rows.bundle, 'bundle'],
      [rows.api_key, 'key'],
      [rows.click, 'click'],
    ])
    return dryRun
      ? formatDryRun(counts)
      : `imported ${counts}; the service builds the remaining rollups in the background once it runs`
  })
  return 0
}

const roomsExportCommand: Command = {
  words: ['rooms', 'export'],
  services: ['rooms'],
  synopsis: '[-]',
  summary: 'Export all Rooms data to stdout',
  details: `The export contains users, sessions, rooms, messages, files and the audit log: everything except current connections.`,
  async run(args) {
    requireStdout(parseArgs({ args, options: {}, allowPositionals: true }).positionals)
    const settings = roomsStorage()
    await requireRooms(settings)
    const storage = openStorage(settings.files)
    const lost = await withRoomsDatabase(settings, (database) =>
      writeOut((put) => exportRooms({ database, storage }, nowSeconds(), put)),
    )
    if (lost.length > 0)
      printError(`file contents missing in ROOMS_FILES: ${lost.length}, such as ${lost[0]}`)
    return lost.length > 0 ? 1 : 0
  },
}

const roomsImportCommand: Command = {
  words: ['rooms', 'import'],
  services: ['rooms'],
  synopsis: 'FILE [--dry-run]',
  summary: 'Import a Rooms export into an empty instance (- reads stdin)',
  details: `Works with SQLite and PostgreSQL, all or nothing.
Stop all nodes of the service first; none can start during the import.
--dry-run reads the file and reports whether it is complete, and stores nothing.`,
  async run(args) {
    const { values, positionals } = parseArgs({
      args,
      options: { 'dry-run': { type: 'boolean', default: false } },
      allowPositionals: true,
    })
    const dryRun = values['dry-run']
    const [path = ''] = requirePositionals(positionals, ['FILE'])
    const { databaseUrl, files } = roomsStorage()
    await readArchiveFile(path, async (reading) => {
      if (!dryRun) await withRoomsDatabase({ databaseUrl }, async () => {})
      const storage = openStorage(files)
      const rows = await importRooms({ databaseUrl, storage, dryRun, ...reading })
      const counts = formatAmounts([
        [rows.users, 'user'],
        [rows.rooms, 'room'],
        [rows.room_messages, 'message'],
        [rows.files, 'file'],
      ])
      return dryRun ? formatDryRun(counts) : `imported ${counts}`
    })
    return 0
  },
}

export const roomsArchiveCommands: readonly Command[] = [roomsExportCommand, roomsImportCommand]

/**
 * Reads the file, or stdin, with progress. Prints the summary that `importing` returns. A file that
 * cannot be opened fails before anything is created.
 */
async function readArchiveFile(
  path: string,
  importing: (reading: Reading, progress: Progress) => Promise<string>,
): Promise<void> {
  const file = path === '-' ? undefined : await open(path)
  const progress = new Progress()
  const reading: Reading = {
    source: file?.createReadStream({ highWaterMark: PIECE_BYTES }) ?? process.stdin,
    onRows: (rows, of) => progress.show(rows, { done: rows, whole: of }),
  }
  const summary = await importing(reading, progress).finally(() => progress.clear())
  printError(summary)
}

type Reading = Pick<Parameters<typeof importRooms>[0], 'source' | 'onRows'>

function formatDryRun(counts: string): string {
  return `complete: ${counts} (dry run: nothing was stored)`
}

/** A few thousand rows. With fewer, reading costs more than importing. */
const PIECE_BYTES = 1024 ** 2
