import type { Database } from '@latchkey/database/database'
import { sqlitePath } from '@latchkey/database/url'
import type { SessionRow, Tables, UserRow } from '../db/tables.ts'
import { openPostgresLookup } from './lookup-postgres.ts'
import { openSqliteLookup } from './lookup-sqlite.ts'

/** What a look-up reads of a session; the sealed ID token and the like would only make it slower. */
export type SessionWithUser = Pick<
  SessionRow,
  | 'id'
  | 'user_id'
  | 'login_at'
  | 'created_at'
  | 'last_seen_at'
  | 'idle_expires_at'
  | 'absolute_expires_at'
  | 'revoked_at'
> & { user: UserRow; platformAdmin: boolean }

/** Without a promise where the database answers at once. */
type LookupResult = SessionWithUser | undefined | Promise<SessionWithUser | undefined>

/** How every request and every socket finds its session. */
export interface SessionLookup {
  /** The session of this cookie, live or not; undefined when there is none. Rights are read anew each time (R9.1). */
  find(token: string): LookupResult
  /** The same by the session's id, for sockets, which outlive the request that carried the cookie. */
  findById(id: string): LookupResult
  close(): void
}

/** `url` of the database, which has been migrated. */
export function openLookup(url: string, database: Database<Tables>): SessionLookup {
  return database.dialect === 'sqlite' ? openSqliteLookup(sqlitePath(url)) : openPostgresLookup(database.read)
}
