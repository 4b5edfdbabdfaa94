import { type Database, lockKey } from '@latchkey/database/database'
import type { DialectName } from '@latchkey/database/url'
import type { Transaction } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { type AuditOrigin, recordAudit } from '../audit/store.ts'
import { endSessions } from '../sessions/store.ts'
import { findMarkers, findSubjectsOf, putMarker, rememberToken } from './backchannel-store.ts'
import { LoginFailure, type LogoutToken } from './provider.ts'

/**
 * Logins that end and logout tokens that arrive wait for each other until they are committed. Without it, each could miss
 * what the other has written but not committed yet, and the login would escape (R13.8). Any number that nobody else uses.
 */
const LOGOUT_LOCK_KEY = 0x6c6f_676f

async function lockLogouts(dialect: DialectName, tx: Transaction<Tables>): Promise<void> {
  await lockKey(dialect, tx, LOGOUT_LOCK_KEY)
}

/** A login that is about to become a session. */
export interface PendingLogin {
  issuer: string
  /** As in the ID token, whatever the configured subject path says; null in oauth2, where there are no logout tokens. */
  sub: string | null
  sid: string | null
  /** When the browser was sent to the provider. */
  startedAtMs: number
  /** `iat` of the ID token; null in oauth2. */
  issuedAtSeconds: number | null
}

/**
 * Whether the provider has ended this login while it was under way: such a login makes no session. To be asked in the
 * transaction that inserts the session, before anything else there, since it waits for logout tokens that are being
 * handled.
 */
export async function hasLogoutMarker(
  dialect: DialectName,
  tx: Transaction<Tables>,
  { issuer, sub, sid, startedAtMs, issuedAtSeconds }: PendingLogin,
): Promise<boolean> {
  if (sub === null || issuedAtSeconds === null) return false
  await lockLogouts(dialect, tx)
  const markers = await findMarkers(tx, { issuer, sub, sid })
  return markers.some(({ iat, received_at }) => startedAtMs <= received_at && issuedAtSeconds <= iat)
}

/** A login takes ten minutes at most from the issue of its ID token to its session (R7.3). */
const MARKER_MS = 600_000
/** How long a token is remembered after its end, for nodes whose clocks are late (R13.6). */
const TOKEN_RETENTION_MS = 60_000

interface LogoutDelivery extends AuditOrigin {
  /** Asked last: what has been given up by then leaves nothing behind. Throws to give it up. */
  throwIfLate(): void
}

/**
 * Ends the sessions that the token names, once (R13.6 to R13.8), and returns their ids. Throws `LoginFailure`
 * with `token_invalid` for a token that was here before or contradicts itself; nothing is remembered then.
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
    if (!(await rememberToken(tx, { issuer, jti, expires_at })))
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

/** What the token names: a session of the provider, never widened to its person, or everything of a person (R13.7). */
async function logoutSubject(
  tx: Transaction<Tables>,
  { issuer, sub, sid }: LogoutToken,
): Promise<{ kind: 'sid' | 'sub'; value: string }> {
  if (sid === null) {
    if (sub === null) throw new LoginFailure('token_invalid', 'logout token names nobody')
    return { kind: 'sub', value: sub }
  }
  const subjects = sub === null ? [] : await findSubjectsOf(tx, issuer, sid)
  if (subjects.some((subject) => subject !== sub))
    throw new LoginFailure('token_invalid', 'logout token names a session of somebody else')
  return { kind: 'sid', value: sid }
}
