import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite'
import { DatabaseInUse } from '../instance-lock.ts'
import { openSqliteFile } from '../sqlite-file.ts'
import type { Bulk } from './bulk-types.ts'

/** Large enough for the inner pages of the largest index. */
const CACHE_KIB = 131_072

/**
 * Writes without the write-ahead log, which would hold all the data a second time. With a rollback
 * journal, new pages go straight to their place, and uncommitted pages are cut off again. SQLite
 * leaves write-ahead mode only for a connection that has the file to itself.
 */
export async function openSqliteBulk(path: string): Promise<Bulk> {
  const file = openSqliteFile(path, { cacheKib: CACHE_KIB })
  const statements = new Map<string, Statement<unknown, SQLQueryBindings[]>>()
  const close = () => {
    for (const statement of statements.values()) statement.finalize()
    if (file.inTransaction) file.run('rollback')
    // In delete mode, the next process to open the file would use it without the log until it sets
    // the mode again.
    file.run('pragma journal_mode = wal')
    file.close()
  }
  try {
    takeAlone(file)
    file.run('begin exclusive')
  } catch (error) {
    file.close()
    throw error
  }
  return {
    dialect: 'sqlite',
    async insert({ table, columns, rows }) {
      const key = `${table} ${columns.join(' ')}`
      const sql = `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`
      const statement = statements.get(key) ?? file.prepare<unknown, SQLQueryBindings[]>(sql)
      statements.set(key, statement)
      for (const row of rows) statement.run(...row)
    },
    async run(...all) {
      for (const statement of all) file.run(statement)
    },
    column: async (statement) =>
      file
        .query(statement)
        .values()
        .map(([value]) => value as string | number | null),
    async commit() {
      file.run('commit')
    },
    close: async () => close(),
  }
}

/** Throws `DatabaseInUse` unless this connection is the only one. The file leaves write-ahead mode. */
export function takeAlone(file: Database): void {
  try {
    file.run('pragma busy_timeout = 0')
    const mode = file.query<{ journal_mode: string }, []>('pragma journal_mode = delete').get()
    if (mode?.journal_mode !== 'delete') throw new DatabaseInUse()
  } catch (error) {
    if (/^SQLITE_BUSY|^SQLITE_LOCKED/.test(String((error as { code?: unknown }).code)))
      throw new DatabaseInUse()
    throw error
  }
}
