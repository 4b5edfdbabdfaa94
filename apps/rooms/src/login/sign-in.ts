import { hashToken } from '@latchkey/tokens/opaque'
import type { Transaction } from 'kysely'
import { originOf } from '../audit/origin.ts'
import { recordAudit } from '../audit/store.ts'
import type { LoginStateRow, Tables } from '../db/tables.ts'
import { type GrantNews, updateLoginGrants } from '../grants/login-grants.ts'
import { serialiseGrants } from '../grants/operations.ts'
import { reconsiderPerson } from '../rooms/eviction.ts'
import { type StartedSession, endSessions, insertSession } from '../sessions/store.ts'
import { upsertMember } from '../users/store.ts'
import { isMarked } from './backchannel.ts'
import type { LoginContext } from './login-state.ts'
import { LoginFailure, type ProviderIdentity } from './provider.ts'

interface Arrived {
  attempt: LoginStateRow
  identity: ProviderIdentity
  /** The session cookie that the browser brought: that session ends, whosever it was (R10.3). */
  previousToken: string | undefined
}

/** Turns who has signed in into account, grants and session, all in one transaction or nothing at all (R6.7). */
export async function signIn(context: LoginContext, arrived: Arrived): Promise<StartedSession> {
  const done = await context.database.write((tx) => establish(tx, context, arrived))
  announce(context, done.userId, done.news)
  if (done.ended.length > 0) context.tell({ kind: 'sessions', sessionIds: done.ended })
  if (done.news.losesRight || done.isRenamed) context.tell({ kind: 'person', userId: done.userId })
  for (const each of done.lost) context.tell(each)
  return done.session
}

async function establish(tx: Transaction<Tables>, context: LoginContext, arrived: Arrived) {
  const { database, provider, policy, now } = context
  const { attempt, identity, previousToken } = arrived
  const origin = originOf(context)
  if (await isMarked(database.dialect, tx, { ...identity, startedAtMs: attempt.created_at }))
    throw new LoginFailure('state_invalid', 'ended by the provider meanwhile')
  await serialiseGrants(database.dialect, tx)
  const { user, isNew, isRenamed } = await upsertMember(tx, { ...identity, mode: provider.mode }, now)
  // Thrown, so that not even the name is refreshed.
  if (user.disabled === 1) throw new LoginFailure('account_disabled', 'account disabled')
  const signedIn = { ...identity, userId: user.id, isNew }
  const news = await updateLoginGrants(tx, signedIn, policy.adminBootstrap, origin)
  // Other sessions go on, but not in rooms where nothing else lets the person in (R17.7).
  const lost = news.losesRight ? await reconsiderPerson(tx, user.id, now) : []
  // Null equals no hash.
  const previousHash = previousToken === undefined ? null : hashToken(previousToken)
  const ended = await endSessions(tx, 'revoked', now, (query) => query.where('token_hash', '=', previousHash))
  const { issuer, sub, sid, idToken } = identity
  const session = await insertSession(
    tx,
    {
      userId: user.id,
      nowMs: now,
      lifetimes: policy.sessions,
      clientIp: context.clientIp,
      userAgent: context.userAgent,
      loginAtMs: now,
      ...(sub !== null && { idp: { issuer, sub, sid, idToken } }),
    },
    policy.limits.sessions_user,
  )
  const target = { type: 'session', id: session.id }
  const metadata = { mode: provider.mode, newAccount: isNew }
  await recordAudit(tx, { action: 'auth.login', actorUserId: user.id, target, metadata }, origin)
  return { session, userId: user.id, isRenamed, news, ended, lost }
}

function announce({ log, requestId }: LoginContext, userId: string, news: GrantNews): void {
  if (news.isFirstAdmin)
    log.warn('the first person who signed in is administrator now', { requestId, userId })
  if (news.leavesNoAdmin)
    log.error(
      'nobody is administrator any more: the claim of the last one is gone; latchkey rooms admin grant makes another',
      { requestId, userId },
    )
}
