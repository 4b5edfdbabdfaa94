import type { Transaction } from 'kysely'
import { type Context, actorOf } from '../context.ts'
import type { SessionRow, Tables } from '../db/tables.ts'
import { failure } from '../failures.ts'
import { findEnabledAdmins, lockGrantsOf } from '../grants/store.ts'
import { unseal } from '../seal.ts'
import { lifetimesOf } from '../sessions/session.ts'
import type { NewSession } from '../sessions/store.ts'
import { findSessionRow, lockLiveSession } from './store.ts'

/**
 * Asks once more, where the right itself is changed, whether the caller may: the request was let in before others were
 * waited for, and they may have taken the right or ended the session. To be called after `serialiseGrants`.
 */
export async function recheckAdmin(tx: Transaction<Tables>, context: Context): Promise<void> {
  const { user, session } = actorOf(context)
  if (!(await lockLiveSession(tx, session.id, context.now))) throw failure('unauthenticated')
  if (!(await findEnabledAdmins(tx)).includes(user.id)) throw failure('forbidden')
}

/** The same where something else is changed by that right. */
export async function requireAdmin(tx: Transaction<Tables>, context: Context): Promise<void> {
  const { user, session } = actorOf(context)
  if (!(await lockGrantsOf(tx, user.id, 'platform_admin'))) throw failure('forbidden')
  if ((await findSessionRow(tx, session.id))?.revoked_at !== null) throw failure('unauthenticated')
}

/**
 * What the caller's session is made of, for one in its place: no session outlives a change of rights (R9.7). To be called
 * before the caller's sessions end, since what is sealed goes with them. The new one ends no later than the old.
 */
export async function copyOwnSession(tx: Transaction<Tables>, context: Context): Promise<NewSession> {
  const { user, session, token } = actorOf(context)
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
