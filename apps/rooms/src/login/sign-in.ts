import { hashToken } from '@latchkey/tokens/opaque'
import { saveClaims } from '../access-layer/store.ts'
import { originOf } from '../audit/origin.ts'
import { recordAudit } from '../audit/store.ts'
import type { LoginStateRow, Tx } from '../db/tables.ts'
import { type GrantChanges, updateLoginGrants } from '../grants/login-grants.ts'
import { lockGrantChanges } from '../grants/operations.ts'
import { joinDefaultRooms, listDefaultRooms } from '../members/default-rooms.ts'
import { listRoomsOfGroups, updateGroupMemberships } from '../members/groups/login-groups.ts'
import { lockRooms } from '../members/groups/store.ts'
import { revokeLostAccessOfUser } from '../rooms/eviction.ts'
import { type StartedSession, endSessions, insertSession, revokeSessionsOf } from '../sessions/store.ts'
import { findUserOfIdentity, upsertMember } from '../users/store.ts'
import { hasLogoutMarker } from './backchannel.ts'
import type { LoginContext } from './login-state.ts'
import { type AccessNotGranted, LoginFailure, type ProviderIdentity } from './provider.ts'

interface CompletedLogin {
  loginState: LoginStateRow
  identity: ProviderIdentity
  /** The session cookie of the browser. That session ends, whichever user it belongs to (R10.3). */
  previousToken: string | undefined
}

/** Updates account, grants and session in a single transaction (R6.7). */
export async function signIn(context: LoginContext, login: CompletedLogin): Promise<StartedSession> {
  const done = await context.database.write((tx) => createAccountSession(tx, context, login))
  logGrantChanges(context, done.userId, done.grantChanges)
  if (done.ended.length > 0) context.publish({ kind: 'sessions', sessionIds: done.ended })
  if (done.grantChanges.losesRight || done.isRenamed) context.publish({ kind: 'person', userId: done.userId })
  for (const event of done.events) context.publish(event)
  return done.session
}

async function createAccountSession(tx: Tx, context: LoginContext, login: CompletedLogin) {
  const { database, provider, policy, now } = context
  const { loginState, identity, previousToken } = login
  const origin = originOf(context)
  if (await hasLogoutMarker(database.dialect, tx, { ...identity, startedAtMs: loginState.created_at }))
    throw new LoginFailure('state_invalid', 'ended by the provider during the login')
  await lockGrantChanges(database.dialect, tx)
  const groups = { dialect: database.dialect, groups: identity.groups ?? [], nowMs: now }
  const knownId = await findUserOfIdentity(tx, identity)
  const roomIds = identity.groups === null ? [] : await listRoomsOfGroups(tx, knownId, groups)
  // Before the account, and all in one order, as in every write of a room and a person.
  await lockRooms(database.dialect, tx, [
    ...roomIds,
    ...(knownId === undefined ? await listDefaultRooms(tx) : []),
  ])
  const { user, isNew, isRenamed } = await upsertMember(tx, { ...identity, mode: provider.mode }, now)
  // Thrown to roll back the update of the name as well.
  if (user.disabled === 1) throw new LoginFailure('account_disabled', 'account disabled')
  await saveAccessClaims(tx, policy, user.id, identity)
  const signedIn = { ...identity, userId: user.id, isNew }
  const grantChanges = await updateLoginGrants(tx, signedIn, policy.adminBootstrap, origin)
  // Other sessions continue, except in rooms to which only the lost right gave access (R17.7).
  const lost = grantChanges.losesRight ? await revokeLostAccessOfUser(tx, user.id, now) : []
  const joined = isNew ? await joinDefaultRooms(tx, user.id, now) : []
  const changed = await updateGroupMemberships(tx, user, { ...groups, roomIds, origin })
  // No hash equals null.
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
  return {
    session,
    userId: user.id,
    isRenamed,
    grantChanges,
    ended,
    events: [...lost, ...joined, ...changed],
  }
}

async function saveAccessClaims(
  tx: Tx,
  { access: layer }: LoginContext['policy'],
  userId: string,
  { access, groups }: ProviderIdentity,
): Promise<void> {
  if (layer === null || access === null) return
  await saveClaims(tx, {
    user_id: userId,
    email: access.email,
    groups: groups === null ? null : JSON.stringify(groups),
    conditions_hash: layer.conditionsHash,
    is_met: access.isMet ? 1 : 0,
  })
}

/** Ends the sessions of a person whose claims no longer meet the conditions (R38.1). */
export async function endAccess(context: LoginContext, person: AccessNotGranted): Promise<void> {
  const { database, now } = context
  const sessionIds = await database.write(async (tx) => {
    const userId = await findUserOfIdentity(tx, person)
    if (userId === undefined) return []
    const ended = await revokeSessionsOf(tx, userId, { reason: 'revoked', nowMs: now })
    const target = { type: 'user', id: userId }
    const metadata = { sessions: ended.length }
    if (ended.length > 0)
      await recordAudit(
        tx,
        { action: 'auth.access_ended', actorUserId: null, target, metadata },
        originOf(context),
      )
    return ended
  })
  if (sessionIds.length > 0) context.publish({ kind: 'sessions', sessionIds })
}

function logGrantChanges({ log, requestId }: LoginContext, userId: string, grantChanges: GrantChanges): void {
  if (grantChanges.isFirstAdmin)
    log.warn('grants: the first user to sign in is now an administrator', { requestId, userId })
  if (grantChanges.leavesNoAdmin)
    log.error(
      'grants: no administrator left, the last one lost the admin claim; run latchkey rooms admin grant',
      { requestId, userId },
    )
}
