import type { Database } from '@latchkey/database/database'
import { onOneState } from '@latchkey/database/one-state'
import { type Piece, writeWhole } from '@latchkey/database/whole/writer'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { instanceFormat } from './tables.ts'

/** Everything the instance holds at one moment, a piece of text at a time. `now` in Unix seconds. */
export async function exportInstance(
  database: Database<Tables>,
  now: number,
  consume: (piece: Piece) => Promise<void>,
): Promise<void> {
  const { dialect } = database
  const write = (read: Kysely<Tables>) => writeWhole({ read, dialect, format: instanceFormat }, now, consume)
  await onOneState(database, write, { pacedBy: 'consumer' })
}
