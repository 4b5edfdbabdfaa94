import { createReadStream } from 'node:fs'
import { parseArgs } from 'node:util'
import { sqlitePath } from '@latchkey/database/url'
import { countWaiting } from '@latchkey/links/backup/backup'
import { exportInstance } from '@latchkey/links/transfer/instance/export'
import { importInstance } from '@latchkey/links/transfer/instance/import'
import { exportRooms, importRooms } from '@latchkey/rooms/transfer/everything'
import { type Command, requirePositionals } from '../command.ts'
import { complain, write } from '../output.ts'
import { Progress } from '../progress.ts'
import {
  currentSettings,
  nowSeconds,
  roomsDatabase,
  withDatabase,
  withRoomsDatabase,
} from '../surroundings.ts'

/** Writes all that the instance holds to stdout, with the clicks that wait in the journal. */
export async function exportEverything(): Promise<number> {
  const settings = currentSettings()
  await withDatabase(settings, async (database) => {
    await countWaiting(sqlitePath(settings.journal), settings.databaseUrl)
    await writeOut((put) => exportInstance(database, nowSeconds(), put))
  })
  return 0
}

/** Writes to stdout what `exporting` puts, with progress, and says how much it was. */
async function writeOut(exporting: (put: Parameters<typeof exportRooms>[2]) => Promise<unknown>) {
  const progress = new Progress()
  let done = 0
  await exporting(async ({ text, rows, of }) => {
    done += rows
    progress.show(done, 'rows', { done, whole: of })
    await write(text)
  })
  progress.clear()
  complain(`exported ${done} rows`)
}

/** Takes it into an empty instance. */
export async function importEverything(args: string[]): Promise<number> {
  const { path, dryRun } = readArguments(args)
  const settings = currentSettings()
  // Makes and migrates it; then nobody may have it open.
  if (!dryRun) await withDatabase(settings, async () => {})
  const progress = new Progress()
  try {
    const counts = await importInstance({
      databaseUrl: settings.databaseUrl,
      ...reading(path, progress),
      dryRun,
      now: nowSeconds(),
      onWork: (what) => progress.tell(what),
    })
    progress.clear()
    complain(summaryOf(counts, dryRun))
  } finally {
    progress.clear()
  }
  return 0
}

/** The same of Rooms. */
const exportingRooms: Command = {
  words: ['rooms', 'export'],
  takes: '',
  summary: 'Write all that Rooms holds to stdout',
  details: `People, sessions, rooms, messages, the audit log: everything but who is connected at this moment.`,
  async run(args) {
    parseArgs({ args, options: {} })
    await withRoomsDatabase(roomsDatabase(), (database) =>
      writeOut((put) => exportRooms(database, nowSeconds(), put)),
    )
    return 0
  },
}

const importingRooms: Command = {
  words: ['rooms', 'import'],
  takes: 'FILE [--dry-run]',
  summary: 'Take what rooms export wrote into an empty instance, or from stdin with -',
  details: `On either engine, all or nothing. The service must not run. --dry-run reads the file and says whether it is complete.`,
  async run(args) {
    const { path, dryRun } = readArguments(args)
    const { databaseUrl } = roomsDatabase()
    if (!dryRun) await withRoomsDatabase({ databaseUrl }, async () => {})
    const progress = new Progress()
    try {
      const counts = await importRooms({ databaseUrl, dryRun, ...reading(path, progress) })
      progress.clear()
      const { users, rooms, room_messages: messages } = counts
      const counted = `${users} people, ${rooms} rooms, ${messages} messages`
      complain(dryRun ? `complete: ${counted} (dry run: nothing was stored)` : `imported ${counted}`)
    } finally {
      progress.clear()
    }
    return 0
  },
}

export const wholeRoomsCommands: readonly Command[] = [exportingRooms, importingRooms]

function readArguments(args: string[]): { path: string; dryRun: boolean } {
  const { values, positionals } = parseArgs({
    args,
    options: { everything: { type: 'boolean' }, 'dry-run': { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  const [path = ''] = requirePositionals(positionals, ['FILE'])
  return { path, dryRun: values['dry-run'] }
}

function reading(path: string, progress: Progress) {
  return {
    source: path === '-' ? process.stdin : createReadStream(path, { highWaterMark: PIECE_BYTES }),
    onRows: (rows: number, of: number) => progress.show(rows, 'rows', { done: rows, whole: of }),
  }
}

/** A few thousand rows: fewer, and reading costs more than they do. */
const PIECE_BYTES = 1024 ** 2

function summaryOf(counts: Awaited<ReturnType<typeof importInstance>>, dryRun: boolean): string {
  const { link, slug, bundle, api_key, click } = counts
  const counted = `${link} links, ${slug} slugs, ${bundle} bundles, ${api_key} keys, ${click} clicks`
  return dryRun
    ? `complete: ${counted} (dry run: nothing was stored)`
    : `imported ${counted}; their sums are made in the background once the service runs`
}
