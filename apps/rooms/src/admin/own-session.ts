import type { Context } from '../api/context.ts'
import type { SessionRow, Tx } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import { findEnabledAdmins, lockGrantsOf } from '../grants/store.ts'
import { unseal } from '@latchkey/tokens/seal'
import { lifetimesOf } from '../sessions/session.ts'
import type { NewSession } from '../sessions/store.ts'
import { findSessionRow, lockLiveSession } from './store.ts'

/**
 * Checks the caller's right again, in the transaction that changes rights: the request was
 * authorised before it waited for other transactions, and these may have revoked the right or ended
 * the session. Call it after `lockGrantChanges`.
 */
export async function recheckAdmin(tx: Tx, context: Context): Promise<void> {
  const { user, session } = context.actor
  if (!(await lockLiveSession(tx, session.id, context.now))) throw failure('unauthenticated')
  if (!(await findEnabledAdmins(tx)).includes(user.id)) throw failure('forbidden')
}

/** Checks the caller's right again in a transaction that changes something other than rights. */
export async function requireAdmin(tx: Tx, context: Context): Promise<void> {
  const { user, session } = context.actor
  if (!(await lockGrantsOf(tx, user.id, 'platform_admin'))) throw failure('forbidden')
  if ((await findSessionRow(tx, session.id))?.revoked_at !== null) throw failure('unauthenticated')
}

/**
 * Copies the caller's session into a new one that replaces it: no session outlives a change of
 * rights (R9.7). Call it before the caller's sessions end, since that deletes their sealed values.
 * The new session ends no later than the old one.
 */
export async function copyOwnSession(tx: Tx, context: Context): Promise<NewSession> {
  const { user, session, token } = context.actor
  const row = await findSessionRow(tx, session.id)
  const { idleMs } = lifetimesOf(false, context.policy.sessions)
  const idp = row && providerPart(row, token)
  return {
    userId: user.id,
    nowMs: context.now,
    lifetimes: { idleMs, absoluteMs: (row?.absolute_expires_at ?? 0) - context.now },
    clientIp: context.clientIp,
    userAgent: context.userAgent,
    loginAtMs: session.loginAtMs,
    ...(idp && { idp }),
  }
}

function providerPart(row: SessionRow, token: string): NewSession['idp'] {
  const { idp_issuer: issuer, idp_sub: sub, idp_sid: sid, id_token_sealed: sealed } = row
  if (issuer === null || sub === null) return undefined
  const idToken = sealed === null ? undefined : unseal(sealed, token, 'id-token')
  return { issuer, sub, sid, idToken: idToken ?? null }
}
