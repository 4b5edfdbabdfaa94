import { readSnapshot } from '@latchkey/database/snapshot'
import type { Rows } from '@latchkey/database/archive/bulk-types'
import { type RestoreOptions, restoreArchive } from '@latchkey/database/archive/restore'
import { type ArchiveChunk, writeArchive } from '@latchkey/database/archive/writer'
import { foldText } from '@latchkey/http/fold'
import type { Db, ReadDatabase } from '../db/tables.ts'
import { withSpool } from '../files/spool.ts'
import { searchNameOf } from '../rooms/store.ts'
import type { FileStorage } from '../files/storage/storage.ts'
import { skeleton } from '../users/lookalikes.ts'
import { ContentRestorer, readContents } from './contents.ts'
import { buildSearchIndex } from './search-index.ts'
import { type RoomsTable, readFormat } from './tables.ts'

/**
 * Writes the archive of an instance at one moment, with the contents of its files, in pieces of
 * text. `now` is in Unix seconds. Returns the keys of contents that the storage has lost.
 */
export async function exportRooms(
  { database, storage }: { database: ReadDatabase; storage: FileStorage },
  now: number,
  consume: (piece: ArchiveChunk) => Promise<void>,
): Promise<string[]> {
  const { dialect } = database
  const format = await readFormat()
  const lost: string[] = []
  const write = (read: Db) => {
    const contents = () => readContents(read, storage, (key) => lost.push(key))
    return writeArchive({ read, dialect, format, contents }, now, consume)
  }
  await readSnapshot(database, write, { pacedBy: 'consumer' })
  return lost
}

/**
 * Restores an archive of `exportRooms` into an empty instance of either engine, with
 * `restoreArchive`.
 */
export async function importRooms({
  storage,
  ...options
}: Pick<RestoreOptions<RoomsTable>, 'databaseUrl' | 'source' | 'dryRun' | 'onRows'> & {
  storage: FileStorage
}): Promise<Record<RoomsTable, number>> {
  const format = await readFormat()
  const restore = (onContent?: ContentRestorer['receive']) =>
    restoreArchive({
      ...options,
      format,
      // A service that was started before has stored state of its jobs there.
      replaced: ['platform_state'],
      complete: computeNames,
      begin: async (bulk) => () => buildSearchIndex(bulk),
      ...(onContent && { onContent }),
    })
  if (options.dryRun) return restore()
  return withSpool(storage.spoolFolder, (folder) => restore(new ContentRestorer(storage, folder).receive))
}

/**
 * Adds the skeletons of nicknames, which the archive does not contain, and folds names as this
 * version does.
 */
function computeNames(batch: Rows): Rows {
  const columns = [...batch.columns]
  const at = (column: string) => columns.indexOf(column)
  const text = (row: Rows['rows'][number], column: string) => String(row[at(column)])
  if (batch.table === 'rooms') {
    const searchName = (row: Rows['rows'][number]) =>
      searchNameOf({ name: text(row, 'name'), topic: row[at('topic')] === null ? null : text(row, 'topic') })
    return { ...batch, rows: batch.rows.map((row) => row.with(at('search_name'), searchName(row))) }
  }
  if (batch.table !== 'users') return batch
  return {
    table: batch.table,
    columns: [...columns, 'skeleton'],
    types: [...batch.types, 'text'],
    rows: batch.rows.map((row) => {
      const nickname = text(row, 'nickname')
      return [...row.with(at('search_name'), foldText(nickname)), skeleton(nickname)]
    }),
  }
}
