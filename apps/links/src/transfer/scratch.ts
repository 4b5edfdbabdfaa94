import { Database as SqliteFile } from 'bun:sqlite'
import type { Database } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { sqliteDialect } from '@latchkey/database/sqlite'
import { Kysely } from 'kysely'
import { migrations } from '../db/migrations.ts'
import type { Tables } from '../db/tables.ts'
import { openUnlinkedFile } from './unlinked-file.ts'

export interface Scratch extends Pick<Database<Tables>, 'dialect' | 'write' | 'writer'> {
  close(): Promise<void>
}

/** Opens an empty, nameless database on disk. It disappears with the process, however that ends. */
export async function openScratch(): Promise<Scratch> {
  const file = await openUnlinkedFile((path) => new SqliteFile(path, { readwrite: true, strict: true }))
  // A journal file would need the name, and there is nothing to recover.
  file.run('pragma journal_mode = memory')
  file.run('pragma synchronous = off')
  const kysely = new Kysely<Tables>({ dialect: sqliteDialect(file) })
  const scratch: Scratch = {
    dialect: 'sqlite',
    writer: kysely,
    write: (work) => kysely.transaction().execute(work),
    async close() {
      await kysely.destroy()
      file.close()
    },
  }
  await migrate(scratch, migrations)
  return scratch
}
