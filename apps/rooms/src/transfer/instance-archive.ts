import type { Database } from '@latchkey/database/database'
import { readSnapshot } from '@latchkey/database/snapshot'
import type { Rows } from '@latchkey/database/archive/bulk'
import { type RestoreOptions, restoreArchive } from '@latchkey/database/archive/restore'
import { type ArchiveChunk, writeArchive } from '@latchkey/database/archive/writer'
import type { Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { skeleton } from '../users/lookalikes.ts'
import { buildSearchIndex } from './search-index.ts'
import { type RoomsTable, readFormat } from './tables.ts'

/** Writes the archive of an instance at one moment, in pieces of text. `now` is in Unix seconds. */
export async function exportRooms(
  database: Pick<Database<Tables>, 'read' | 'dialect'>,
  now: number,
  consume: (piece: ArchiveChunk) => Promise<void>,
): Promise<void> {
  const { dialect } = database
  const format = await readFormat()
  const write = (read: Kysely<Tables>) => writeArchive({ read, dialect, format }, now, consume)
  await readSnapshot(database, write, { pacedBy: 'consumer' })
}

/**
 * Restores an archive of `exportRooms` into an empty instance of either engine, with
 * `restoreArchive`.
 */
export async function importRooms(
  options: Pick<RestoreOptions<RoomsTable>, 'databaseUrl' | 'source' | 'dryRun' | 'onRows'>,
): Promise<Record<RoomsTable, number>> {
  // A service that was started before has stored state of its jobs there.
  return restoreArchive({
    ...options,
    format: await readFormat(),
    replaced: ['platform_state'],
    complete: addSkeletons,
    begin: async (bulk) => () => buildSearchIndex(bulk),
  })
}

/** Adds the skeletons of nicknames, which the archive does not contain. */
function addSkeletons(batch: Rows): Rows {
  if (batch.table !== 'users') return batch
  const at = batch.columns.indexOf('nickname')
  return {
    table: batch.table,
    columns: [...batch.columns, 'skeleton'],
    types: [...batch.types, 'text'],
    rows: batch.rows.map((row) => [...row, skeleton(String(row[at]))]),
  }
}
