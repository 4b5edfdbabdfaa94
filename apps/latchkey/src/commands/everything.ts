import { createReadStream } from 'node:fs'
import { parseArgs } from 'node:util'
import { sqlitePath } from '@latchkey/database/url'
import { countWaiting } from '@latchkey/links/backup/backup'
import { exportInstance } from '@latchkey/links/transfer/instance/export'
import { importInstance } from '@latchkey/links/transfer/instance/import'
import { requirePositionals } from '../command.ts'
import { complain, write } from '../output.ts'
import { Progress } from '../progress.ts'
import { currentSettings, nowSeconds, withDatabase } from '../surroundings.ts'

/** Writes all that the instance holds to stdout, with the clicks that wait in the journal. */
export async function exportEverything(): Promise<number> {
  const settings = currentSettings()
  const progress = new Progress()
  await withDatabase(settings, async (database) => {
    await countWaiting(sqlitePath(settings.journal), settings.databaseUrl)
    let done = 0
    await exportInstance(database, nowSeconds(), async ({ text, rows, of }) => {
      done += rows
      progress.show(done, 'rows', { done, whole: of })
      await write(text)
    })
    progress.clear()
    complain(`exported ${done} rows`)
  })
  return 0
}

/** Takes it into an empty instance. */
export async function importEverything(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    options: {
      everything: { type: 'boolean' },
      'dry-run': { type: 'boolean', default: false },
    },
    allowPositionals: true,
  })
  const [path = ''] = requirePositionals(positionals, ['FILE'])
  const settings = currentSettings()
  const dryRun = values['dry-run']
  // Makes and migrates it; then nobody may have it open.
  if (!dryRun) await withDatabase(settings, async () => {})
  const progress = new Progress()
  try {
    const counts = await importInstance({
      databaseUrl: settings.databaseUrl,
      source: path === '-' ? process.stdin : createReadStream(path, { highWaterMark: PIECE_BYTES }),
      dryRun,
      now: nowSeconds(),
      onRows: (rows, of) => progress.show(rows, 'rows', { done: rows, whole: of }),
      onWork: (what) => progress.tell(what),
    })
    progress.clear()
    complain(summaryOf(counts, dryRun))
  } finally {
    progress.clear()
  }
  return 0
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
