import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, openDatabase } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { migrations } from '../db/migrations.ts'
import type { Tables } from '../db/tables.ts'

/** An empty database on disk, gone when it is closed. */
export async function openScratch(): Promise<{ database: Database<Tables>; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-dry-run-'))
  const database = openDatabase<Tables>(`sqlite:${join(folder, 'links.db')}`)
  await migrate(database, migrations)
  return {
    database,
    async close() {
      await database.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
