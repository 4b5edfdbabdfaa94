import { hashToken } from '@latchkey/tokens/opaque'
import { newToken } from '@latchkey/tokens/token'
import type { AccessClaimsRow, AccessSessionRow, Db, SessionRow, Tx, UserRow } from '../db/tables.ts'
import { prepareQuery } from '../db/prepared-query.ts'

/** Stores the claims of the last login. They hold for all sessions of the person. */
export async function saveClaims(tx: Tx, claims: AccessClaimsRow): Promise<void> {
  const { user_id, ...columns } = claims
  await tx
    .insertInto('access_claims')
    .values(claims)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(columns))
    .execute()
}

type Nullable<Row> = { [Column in keyof Row]: Row[Column] | null }

/**
 * What decides about a request. Columns of the session are null if it does not exist any more, those
 * of the claims if the person has not signed in since there is an access layer.
 */
export type AccessRow = Pick<AccessSessionRow, 'id' | 'session_id' | 'origin' | 'expires_at' | 'ended_seq'> &
  Nullable<
    Pick<SessionRow, 'user_id' | 'last_seen_at' | 'idle_expires_at' | 'absolute_expires_at' | 'revoked_at'> &
      Pick<UserRow, 'disabled' | 'is_guest'> &
      Pick<AccessClaimsRow, 'email' | 'groups' | 'conditions_hash' | 'is_met'>
  >

/** One indexed read for each request that a proxy asks about. */
const selectAccess = prepareQuery<{ tokenHash: string }, AccessRow>((db, { tokenHash }) =>
  withSessions(db)
    .leftJoin('users', 'users.id', 'sessions.user_id')
    .leftJoin('access_claims', 'access_claims.user_id', 'sessions.user_id')
    .select([
      'access_sessions.id',
      'access_sessions.session_id',
      'access_sessions.origin',
      'access_sessions.expires_at',
      'access_sessions.ended_seq',
      'sessions.user_id',
      'sessions.last_seen_at',
      'sessions.idle_expires_at',
      'sessions.absolute_expires_at',
      'sessions.revoked_at',
      'users.disabled',
      'users.is_guest',
      'access_claims.email',
      'access_claims.groups',
      'access_claims.conditions_hash',
      'access_claims.is_met',
    ])
    .where('access_sessions.token_hash', '=', tokenHash),
)

function withSessions(db: Db) {
  return db.selectFrom('access_sessions').leftJoin('sessions', 'sessions.id', 'access_sessions.session_id')
}

export async function findAccess(db: Db, token: string): Promise<AccessRow | undefined> {
  const [row] = await selectAccess(db, { tokenHash: hashToken(token) })
  return row
}

export async function findClaims(db: Db, userId: string): Promise<AccessClaimsRow | undefined> {
  return db.selectFrom('access_claims').selectAll().where('user_id', '=', userId).executeTakeFirst()
}

export interface NewCode {
  sessionId: string
  origin: string
  challenge: string
  expiresAtMs: number
}

/** Only the hash of the code is stored. */
export async function insertCode(
  tx: Tx,
  { sessionId, origin, challenge, expiresAtMs }: NewCode,
): Promise<string> {
  const code = newToken()
  await tx
    .insertInto('access_codes')
    .values({
      code_hash: hashToken(code),
      session_id: sessionId,
      origin,
      challenge,
      expires_at: expiresAtMs,
    })
    .execute()
  return code
}

/** Deletes the code, for any browser, and returns it unless it was used or has expired. */
export async function takeCode(tx: Tx, code: string, nowMs: number) {
  const row = await tx
    .deleteFrom('access_codes')
    .where('code_hash', '=', hashToken(code))
    .returning(['session_id', 'origin', 'challenge', 'expires_at'])
    .executeTakeFirst()
  return row && row.expires_at > nowMs ? row : undefined
}

export async function deleteEndedCodes(tx: Tx, nowMs: number): Promise<void> {
  await tx.deleteFrom('access_codes').where('expires_at', '<=', nowMs).execute()
}

/** The session of a code, if it can be used. */
export async function findLiveSession(tx: Tx, id: string, nowMs: number) {
  return tx
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['sessions.id', 'sessions.user_id', 'sessions.absolute_expires_at'])
    .where('sessions.id', '=', id)
    .where('revoked_at', 'is', null)
    .where('idle_expires_at', '>', nowMs)
    .where('disabled', '=', 0)
    .where('is_guest', '=', 0)
    .executeTakeFirst()
}

/** Browsers with the same session at the same origin. A browser has one unless it loses cookies. */
const MAX_PER_SESSION = 5

/** Returns the token for the cookie. Only its hash is stored. */
export async function insertAccess(
  tx: Tx,
  access: Pick<AccessSessionRow, 'session_id' | 'origin' | 'created_at' | 'expires_at'>,
): Promise<string> {
  const token = newToken()
  await expireOldest(tx, access, MAX_PER_SESSION - 1)
  const id = crypto.randomUUID()
  await tx
    .insertInto('access_sessions')
    .values({ ...access, id, token_hash: hashToken(token), ended_seq: null, ended_at: null })
    .execute()
  return token
}

async function expireOldest(
  tx: Tx,
  { session_id, origin, created_at: nowMs }: Pick<AccessSessionRow, 'session_id' | 'origin' | 'created_at'>,
  keep: number,
): Promise<void> {
  const live = await tx
    .selectFrom('access_sessions')
    .select('id')
    .where('session_id', '=', session_id)
    .where('origin', '=', origin)
    .where('expires_at', '>', nowMs)
    .orderBy('created_at', 'desc')
    .execute()
  const oldest = live.slice(keep).map(({ id }) => id)
  if (oldest.length === 0) return
  await tx.updateTable('access_sessions').set({ expires_at: nowMs }).where('id', 'in', oldest).execute()
}

/** Deletes everything, for an instance that is no access layer any more. */
export async function deleteAccess(tx: Tx): Promise<void> {
  for (const table of ['access_claims', 'access_codes', 'access_sessions', 'access_keys'] as const)
    await tx.deleteFrom(table).execute()
}
