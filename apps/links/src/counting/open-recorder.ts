import { dialectOf, sqlitePath } from '@latchkey/database/url'
import type { Recorder } from './recorder.ts'
import { openPostgresRecorder } from './recorder-postgres.ts'
import { openSqliteRecorder } from './recorder-sqlite.ts'

/** With a limit, in milliseconds, statements on PostgreSQL that take longer fail. */
export function openRecorder(databaseUrl: string, statementLimitMs?: number): Recorder {
  return dialectOf(databaseUrl) === 'sqlite'
    ? openSqliteRecorder(sqlitePath(databaseUrl))
    : openPostgresRecorder(databaseUrl, statementLimitMs)
}
