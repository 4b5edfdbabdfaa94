import type { Database } from '@latchkey/database/database'
import { readSnapshot } from '@latchkey/database/snapshot'
import { type ArchiveChunk, writeArchive } from '@latchkey/database/archive/writer'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { instanceFormat } from './tables.ts'

/**
 * Exports everything that the instance contains at one moment, in chunks of text. `now` in Unix
 * seconds.
 */
export async function exportInstance(
  database: Database<Tables>,
  now: number,
  consume: (chunk: ArchiveChunk) => Promise<void>,
): Promise<void> {
  const { dialect } = database
  const write = (read: Kysely<Tables>) =>
    writeArchive({ read, dialect, format: instanceFormat }, now, consume)
  await readSnapshot(database, write, { pacedBy: 'consumer' })
}
