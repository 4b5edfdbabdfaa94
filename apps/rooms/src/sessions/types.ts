import type { SessionRow, UserRow } from '../db/tables.ts'

/** Columns that a lookup reads. The sealed ID token and the others would slow it down. */
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

/** Not a promise if the database answers synchronously. */
type LookupResult = SessionWithUser | undefined | Promise<SessionWithUser | undefined>

/** Finds the session of every request and every socket. */
export interface SessionLookup {
  /**
   * The session of this cookie, live or not; undefined if it does not exist. Rights are read each
   * time (R9.1).
   */
  find(token: string): LookupResult
  /** Finds a session by its id, for sockets, which outlive the request with the cookie. */
  findById(id: string): LookupResult
  close(): void
}
