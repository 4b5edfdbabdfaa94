import type { Database } from '@latchkey/database/database'
import { type Piece, writeWhole } from '@latchkey/database/whole/writer'
import { snapshot } from '../../db/snapshot.ts'
import type { Tables } from '../../db/tables.ts'
import { instanceFormat } from './tables.ts'

/** Everything the instance holds at one moment, a piece of text at a time. `now` in Unix seconds. */
export async function exportInstance(
  database: Database<Tables>,
  now: number,
  consume: (piece: Piece) => Promise<void>,
): Promise<void> {
  await snapshot(database, ({ read, dialect }) =>
    writeWhole({ read, dialect, format: instanceFormat }, now, consume),
  )
}
