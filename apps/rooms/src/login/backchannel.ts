import { type Database, lockKey } from '@latchkey/database/database'
import type { DialectName } from '@latchkey/database/url'
import type { Tables, Tx } from '../db/tables.ts'
import { type AuditOrigin, recordAudit } from '../audit/store.ts'
import { endSessions } from '../sessions/store.ts'
import { findMarkers, findSubjectsOf, putMarker, storeToken } from './backchannel-store.ts'
import { LoginFailure, type LogoutToken } from './provider.ts'

/**
 * Serialises logins that complete and logout tokens that arrive. Without the lock, each could miss
 * the uncommitted writes of the other, and the login would outlive the logout (R13.8). Any number
 * that no other lock uses.
 */
const LOGOUT_LOCK_KEY = 0x6c6f_676f

async function lockLogouts(dialect: DialectName, tx: Tx): Promise<void> {
  await lockKey(dialect, tx, LOGOUT_LOCK_KEY)
}

/** A login that is about to create a session. */
export interface PendingLogin {
  issuer: string
  /**
   * `sub` of the ID token, whatever the configured subject path is; null in oauth2, which has no
   * logout tokens.
   */
  sub: string | null
  sid: string | null
  /** The time at which the browser was sent to the provider. */
  startedAtMs: number
  /** `iat` of the ID token; null in oauth2. */
  issuedAtSeconds: number | null
}

/**
 * Whether the provider ended this login while it was pending. Such a login creates no session. Call
 * it first in the transaction that inserts the session: it waits for logout tokens that are being
 * processed.
 */
export async function hasLogoutMarker(
  dialect: DialectName,
  tx: Tx,
  { issuer, sub, sid, startedAtMs, issuedAtSeconds }: PendingLogin,
): Promise<boolean> {
  if (sub === null || issuedAtSeconds === null) return false
  await lockLogouts(dialect, tx)
  const markers = await findMarkers(tx, { issuer, sub, sid })
  return markers.some(({ iat, received_at }) => startedAtMs <= received_at && issuedAtSeconds <= iat)
}

/** Maximum time of a login from the issue of its ID token to its session (R7.3). */
const MARKER_MS = 600_000
/** Retention of a token after its expiry, for nodes whose clocks are behind (R13.6). */
const TOKEN_RETENTION_MS = 60_000

interface LogoutDelivery extends AuditOrigin {
  /**
   * Called last. Throws if the provider has already received a failure, which rolls everything
   * back.
   */
  throwIfLate(): void
}

/**
 * Ends the sessions that the token names, once (R13.6 to R13.8). Returns their ids. Throws
 * `LoginFailure` with `token_invalid` for a replayed or contradictory token, and then stores
 * nothing.
 */
export async function revokeByLogoutToken(
  database: Database<Tables>,
  token: LogoutToken,
  delivery: LogoutDelivery,
): Promise<string[]> {
  const { issuer, jti, issuedAtSeconds, expiresAtSeconds } = token
  const { nowMs } = delivery
  return database.write(async (tx) => {
    await lockLogouts(database.dialect, tx)
    const expires_at = expiresAtSeconds * 1000 + TOKEN_RETENTION_MS
    if (!(await storeToken(tx, { issuer, jti, expires_at })))
      throw new LoginFailure('token_invalid', 'logout token replayed')
    const subject = await logoutSubject(tx, token)
    const times = { iat: issuedAtSeconds, received_at: nowMs, expires_at: nowMs + MARKER_MS }
    await putMarker(tx, { issuer, ...subject, ...times })
    const ended = await endSessions(tx, 'idp_logout', nowMs, (query) =>
      query
        .where('idp_issuer', '=', issuer)
        .where(subject.kind === 'sid' ? 'idp_sid' : 'idp_sub', '=', subject.value),
    )
    await recordAudit(
      tx,
      {
        action: 'auth.backchannel_logout',
        actorUserId: null,
        metadata: { by: subject.kind, sessions: ended },
      },
      delivery,
    )
    delivery.throwIfLate()
    return ended
  })
}

/**
 * The target of a logout token: one session of the provider, even if the token has a subject as
 * well, or all sessions of a subject (R13.7).
 */
async function logoutSubject(
  tx: Tx,
  { issuer, sub, sid }: LogoutToken,
): Promise<{ kind: 'sid' | 'sub'; value: string }> {
  if (sid === null) {
    if (sub === null) throw new LoginFailure('token_invalid', 'logout token without sub and sid')
    return { kind: 'sub', value: sub }
  }
  const subjects = sub === null ? [] : await findSubjectsOf(tx, issuer, sid)
  if (subjects.some((subject) => subject !== sub))
    throw new LoginFailure('token_invalid', 'logout token names a session of another subject')
  return { kind: 'sid', value: sid }
}
