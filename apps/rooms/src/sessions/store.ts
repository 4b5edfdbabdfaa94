import { hashToken } from '@latchkey/tokens/opaque'
import type { Db, RevokeReason, SessionRow, Tx } from '../db/tables.ts'
import { type Position, pageOf } from '../api/paging.ts'
import { seal } from '@latchkey/tokens/seal'
import { newToken } from '@latchkey/tokens/token'
import type { SessionWithUser } from './types.ts'
import { type Lifetimes, idleEnd } from './session.ts'

/** Live sessions of a user, newest first. */
export async function findLiveSessions(db: Db, userId: string, nowMs: number): Promise<SessionRow[]> {
  return queryLiveSessions(db, userId, nowMs).orderBy('created_at', 'desc').orderBy('id', 'desc').execute()
}

/** One page of the live sessions of a user. */
export async function listLiveSessions(
  db: Db,
  { userId, nowMs }: { userId: string; nowMs: number },
  after: Position | undefined,
  limit: number,
): Promise<SessionRow[]> {
  const live = queryLiveSessions(db, userId, nowMs)
  return pageOf(live, ['created_at', 'id', 'desc'], after, limit).execute()
}

function queryLiveSessions(db: Db, userId: string, nowMs: number) {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('idle_expires_at', '>', nowMs)
}

export async function countLiveSessions(db: Db, nowMs: number): Promise<number> {
  const { count } = await db
    .selectFrom('sessions')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('revoked_at', 'is', null)
    .where('idle_expires_at', '>', nowMs)
    .executeTakeFirstOrThrow()
  return count
}

/** The data of a session for the logout at its provider. */
export type ProviderSession = Pick<SessionRow, 'idp_issuer' | 'id_token_sealed'>

/** Undefined for sessions of guests and of providers without an OIDC session. */
export async function findProviderSession(db: Db, id: string): Promise<ProviderSession | undefined> {
  return db
    .selectFrom('sessions')
    .select(['idp_issuer', 'id_token_sealed'])
    .where('id', '=', id)
    .where('idp_issuer', 'is not', null)
    .executeTakeFirst()
}

/** Data of a new session. `idp` is set only after a login in an OIDC mode. */
export interface NewSession {
  userId: string
  nowMs: number
  lifetimes: Lifetimes
  clientIp: string
  userAgent: string
  /** The time of the login. A session that replaces another keeps it (R9.7). */
  loginAtMs: number
  idp?: { issuer: string; sub: string; sid: string | null; idToken: string | null }
}

export interface StartedSession {
  id: string
  /** Token for the cookie. Only its hash is stored. */
  token: string
  createdAtMs: number
  idleExpiresAtMs: number
  absoluteExpiresAtMs: number
}

const USER_AGENT_LENGTH = 512

/** Inserts a session. Above `maxSessions` live sessions of the user, the oldest end (R10.4). */
export async function insertSession(
  tx: Tx,
  session: NewSession,
  maxSessions: number,
): Promise<StartedSession> {
  const token = newToken()
  const { nowMs, lifetimes, idp } = session
  const absolute = nowMs + lifetimes.absoluteMs
  const started = {
    id: crypto.randomUUID(),
    token,
    createdAtMs: nowMs,
    idleExpiresAtMs: idleEnd(absolute, lifetimes, nowMs),
    absoluteExpiresAtMs: absolute,
  }
  await revokeOldest(tx, session.userId, maxSessions - 1, nowMs)
  await tx
    .insertInto('sessions')
    .values({
      id: started.id,
      user_id: session.userId,
      token_hash: hashToken(token),
      idp_issuer: idp?.issuer ?? null,
      idp_sub: idp?.sub ?? null,
      idp_sid: idp?.sid ?? null,
      id_token_sealed: idp?.idToken ? seal(idp.idToken, token, 'id-token') : null,
      login_at: session.loginAtMs,
      created_at: nowMs,
      last_seen_at: nowMs,
      idle_expires_at: started.idleExpiresAtMs,
      absolute_expires_at: absolute,
      revoked_at: null,
      revoke_reason: null,
      user_agent: Array.from(session.userAgent).slice(0, USER_AGENT_LENGTH).join(''),
      client_ip: session.clientIp,
    })
    .execute()
  return started
}

async function revokeOldest(tx: Tx, userId: string, keep: number, nowMs: number): Promise<void> {
  const live = await findLiveSessions(tx, userId, nowMs)
  for (const { id } of live.slice(keep)) await revokeSession(tx, id, 'revoked', nowMs)
}

/** Returns whether the session was live. */
export async function revokeSession(
  tx: Tx,
  id: string,
  reason: RevokeReason,
  nowMs: number,
): Promise<boolean> {
  const [ended] = await endSessions(tx, reason, nowMs, (query) => query.where('id', '=', id))
  return ended !== undefined
}

/** Ends a session that its user signs out, and only a session of this user (R18.8). */
export async function revokeOwnSession(
  tx: Tx,
  { id, userId, nowMs }: { id: string; userId: string; nowMs: number },
): Promise<boolean> {
  const [ended] = await endSessions(tx, 'signed_out', nowMs, (query) =>
    query.where('id', '=', id).where('user_id', '=', userId),
  )
  return ended !== undefined
}

/** Ends all live sessions of a user, optionally except one. Returns their ids. */
export async function revokeSessionsOf(
  tx: Tx,
  userId: string,
  end: { reason: RevokeReason; nowMs: number; except?: string | undefined },
): Promise<string[]> {
  return endSessions(tx, end.reason, end.nowMs, (query) =>
    query
      .where('user_id', '=', userId)
      .$if(end.except !== undefined, (q) => q.where('id', '<>', end.except ?? '')),
  )
}

type RevocationQuery = ReturnType<typeof revocationQuery>

function revocationQuery(tx: Tx, reason: RevokeReason, nowMs: number) {
  return tx
    .updateTable('sessions')
    .set({ revoked_at: nowMs, revoke_reason: reason, id_token_sealed: null })
    .where('revoked_at', 'is', null)
    .where('idle_expires_at', '>', nowMs)
}

/**
 * Ends live sessions with their presence leases, and starts the retention of guests. Every end of a
 * session except expiry uses this function. A job marks expired sessions.
 */
export async function endSessions(
  tx: Tx,
  reason: RevokeReason,
  nowMs: number,
  select: (query: RevocationQuery) => RevocationQuery,
): Promise<string[]> {
  const ended = await select(revocationQuery(tx, reason, nowMs))
    .returning(['id', 'user_id'])
    .execute()
  await recordGuestEnds(
    tx,
    ended.map(({ user_id }) => user_id),
    nowMs,
  )
  if (ended.length > 0) await endLeasesOfEndedSessions(tx, nowMs)
  return ended.map(({ id }) => id)
}

/**
 * Ends the presence through sessions that are revoked now (R17.7). The leases expire instead of
 * being deleted: they record when the visits ended, which a job stores for users without another
 * lease.
 */
async function endLeasesOfEndedSessions(tx: Tx, nowMs: number): Promise<void> {
  await tx
    .updateTable('presence_leases')
    .set({ expires_at: nowMs })
    .where('expires_at', '>', nowMs)
    .where('session_id', 'in', tx.selectFrom('sessions').select('id').where('revoked_at', '=', nowMs))
    .execute()
}

/** The retention of a guest's data starts at the end of the last session (R14.7). */
async function recordGuestEnds(tx: Tx, userIds: readonly string[], nowMs: number): Promise<void> {
  for (const userId of new Set(userIds))
    await tx
      .updateTable('users')
      .set({ guest_ended_at: nowMs })
      .where('id', '=', userId)
      .where('is_guest', '=', 1)
      .execute()
}

/**
 * Maximum age of a request that a browser sent before it received its next cookie, in milliseconds.
 */
const MAX_REQUEST_AGE_MS = 60_000

/**
 * Whether the browser of an ended session may already have the cookie of a new one. A sign-in in
 * another tab ends the old session and starts the new one at the same time (R10.3), and a late
 * response must not delete the new cookie (R28.1). For guests this is assumed, since signing in
 * changes the user.
 */
export async function mayBeSucceeded(
  db: Db,
  { id, user, revoked_at: endedAtMs }: Pick<SessionWithUser, 'id' | 'user' | 'revoked_at'>,
  nowMs: number,
): Promise<boolean> {
  if (endedAtMs === null || nowMs - endedAtMs > MAX_REQUEST_AGE_MS) return false
  if (user.is_guest === 1) return true
  const successor = await db
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', user.id)
    .where('created_at', '=', endedAtMs)
    .where('id', '<>', id)
    .executeTakeFirst()
  return successor !== undefined
}

export async function slideSession(
  tx: Tx,
  session: Pick<SessionRow, 'id' | 'user_id'>,
  nowMs: number,
  idleExpiresAtMs: number,
): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ last_seen_at: nowMs, idle_expires_at: idleExpiresAtMs })
    .where('id', '=', session.id)
    .where('revoked_at', 'is', null)
    .execute()
  await tx.updateTable('users').set({ last_seen_at: nowMs }).where('id', '=', session.user_id).execute()
}
