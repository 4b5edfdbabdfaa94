import { readSnapshot } from '@latchkey/database/snapshot'
import type { Bulk, Rows } from '@latchkey/database/archive/bulk-types'
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

/** As the migration 0006 does: new messages of members begin at their marks alone. */
const MOVE_READ_MARKS = `update room_user_states set last_read_seq = member.joined_seq
  from room_members as member
  where member.room_id = room_user_states.room_id and member.user_id = room_user_states.user_id
    and member.joined_seq > room_user_states.last_read_seq`

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
  let isBeforeReadMarks = false
  const complete = (batch: Rows): Rows => {
    // Both came with the same version.
    if (batch.table === 'users') isBeforeReadMarks ||= !batch.columns.includes('away')
    return computeNames(batch)
  }
  const finish = async (bulk: Bulk) => {
    if (isBeforeReadMarks) await bulk.run(MOVE_READ_MARKS)
    await buildSearchIndex(bulk)
  }
  const restore = (onContent?: ContentRestorer['receive']) =>
    restoreArchive({
      ...options,
      format,
      // A service that was started before has stored state of its jobs there.
      replaced: ['platform_state'],
      complete,
      begin: async (bulk) => () => finish(bulk),
      ...(onContent && { onContent }),
    })
  if (options.dryRun) return restore()
  return withSpool(storage.spoolFolder, (folder) => restore(new ContentRestorer(storage, folder).receive))
}

/**
 * Adds the skeletons of nicknames, which the archive does not contain, folds names as this version
 * does, and reads the retention of earlier versions.
 */
function computeNames(batch: Rows): Rows {
  if (batch.table === 'rooms') return computeRooms(batch)
  if (batch.table !== 'users') return batch
  const [nickname, searchName] = [batch.columns.indexOf('nickname'), batch.columns.indexOf('search_name')]
  return {
    table: batch.table,
    columns: [...batch.columns, 'skeleton'],
    types: [...batch.types, 'text'],
    rows: batch.rows.map((row) => {
      const name = String(row[nickname])
      return [...row.with(searchName, foldText(name)), skeleton(name)]
    }),
  }
}

function computeRooms({ columns, types, rows, ...batch }: Rows): Rows {
  const at = (column: string) => columns.indexOf(column)
  const [name, topic, searchName, retention] = [at('name'), at('topic'), at('search_name'), at('retention')]
  const computed = rows.map((row) => {
    const stored = row[topic] ?? null
    const names = { name: String(row[name]), topic: stored === null ? null : String(stored) }
    return row.with(searchName, searchNameOf(names))
  })
  if (retention < 0) return { ...batch, columns, types, rows: computed }
  return {
    ...batch,
    columns: columns.with(retention, 'retention_days'),
    types: types.with(retention, 'int'),
    rows: computed.map((row) => {
      const days = row[retention]
      return row.with(retention, days === 'forever' ? null : Number(days))
    }),
  }
}
