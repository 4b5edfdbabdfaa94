import { lockKey } from '@latchkey/database/database'
import type { DialectName } from '@latchkey/database/url'
import { type AuditOrigin, recordAudit } from '../audit/store.ts'
import type { Db, GrantSource, Tx } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import { findIssuer } from '../platform/provider-change.ts'
import { revokeSessionsOf } from '../sessions/store.ts'
import {
  type Grant,
  deleteGrant,
  findAdminSources,
  findEnabledAdmins,
  findEnabledAdminsOf,
  findLastingAdminsOf,
  insertGrant,
} from './store.ts'

/**
 * Transactions that change administrators take this lock one after the other, so each sees the
 * result of the one before. Any number that no other lock uses.
 */
const GRANT_LOCK_KEY = 0x6772_616e

/**
 * Call it before any change that could revoke the right of the last administrator. Sign-ins take
 * the lock as well.
 */
export async function lockGrantChanges(dialect: DialectName, tx: Tx): Promise<void> {
  await lockKey(dialect, tx, GRANT_LOCK_KEY)
}

export const platformAdminGrant = (source: GrantSource): Grant => ({
  role: 'platform_admin',
  scope_type: 'platform',
  scope_id: '',
  source,
})

/** Adds a grant and audits it. Returns false if the user already has it. */
export async function addGrant(
  tx: Tx,
  { userId, grant, grantedBy }: { userId: string; grant: Grant; grantedBy: string | null },
  origin: AuditOrigin,
): Promise<boolean> {
  const row = { ...grant, user_id: userId, granted_by: grantedBy, created_at: origin.nowMs }
  if (!(await insertGrant(tx, row))) return false
  await recordAudit(
    tx,
    {
      action: 'grant.add',
      actorUserId: grantedBy,
      target: { type: 'user', id: userId },
      metadata: asMetadata(grant),
    },
    origin,
  )
  return true
}

/** Removes a grant of the user and audits that. */
export async function removeGrant(
  tx: Tx,
  { userId, grant, removedBy }: { userId: string; grant: Grant; removedBy: string | null },
  origin: AuditOrigin,
): Promise<void> {
  await deleteGrant(tx, userId, grant)
  const leavesNoAdmin = grant.role === 'platform_admin' && !(await hasAdmin(tx))
  await recordAudit(
    tx,
    {
      action: 'grant.remove',
      actorUserId: removedBy,
      target: { type: 'user', id: userId },
      metadata: { ...asMetadata(grant), ...(leavesNoAdmin && { leavesNoAdmin }) },
    },
    origin,
  )
}

export function asMetadata({ role, scope_type, scope_id, source }: Grant): Record<string, string> {
  return { role, scopeType: scope_type, scopeId: scope_id, source }
}

/** Whether any administrator can sign in. Accounts of an earlier provider cannot (R8.5). */
export async function hasAdmin(db: Db): Promise<boolean> {
  return (await findAdminsWhoCanSignIn(db)).length > 0
}

async function findAdminsWhoCanSignIn(db: Db): Promise<string[]> {
  return findEnabledAdminsOf(db, await findIssuer(db))
}

/**
 * Throws `last_admin` if the user is the only administrator who can sign in (R9.4), or, if no
 * administrator can sign in, the only enabled one. Call it before every change that ends the right:
 * revocation, disabling and erasure.
 */
export async function requireOtherAdmin(dialect: DialectName, tx: Tx, userId: string): Promise<void> {
  await lockGrantChanges(dialect, tx)
  const reachable = await findAdminsWhoCanSignIn(tx)
  // Sessions of an earlier provider stay alive, with the rights of their users.
  const admins = reachable.length > 0 ? reachable : await findEnabledAdmins(tx)
  if (admins.length === 1 && admins[0] === userId) throw failure('last_admin')
}

/**
 * Grants `platform_admin`. Returns whether the grant is new. A `manual` grant ends the sessions of
 * the user, since no session id outlives a change of rights (R9.7). Callers who grant it to
 * themselves need a new session.
 */
export async function grantPlatformAdmin(
  tx: Tx,
  {
    userId,
    source,
    grantedBy,
    origin,
  }: {
    userId: string
    source: 'manual' | 'bootstrap' | 'claim'
    grantedBy: string | null
    origin: AuditOrigin
  },
): Promise<boolean> {
  const changed = await addGrant(tx, { userId, grant: platformAdminGrant(source), grantedBy }, origin)
  if (changed && source === 'manual')
    await revokeSessionsOf(tx, userId, { reason: 'revoked', nowMs: origin.nowMs })
  return changed
}

/**
 * Revokes the `manual` and `bootstrap` grants. Grants from a claim stay and are returned as
 * `remaining`. Ends the sessions of the user if anything changed. Throws `last_admin`.
 */
export async function revokePlatformAdmin(
  tx: Tx,
  {
    dialect,
    userId,
    revokedBy,
    origin,
  }: { dialect: DialectName; userId: string; revokedBy: string | null; origin: AuditOrigin },
): Promise<{ changed: boolean; remaining: GrantSource[] }> {
  await lockGrantChanges(dialect, tx)
  const sources = await findAdminSources(tx, userId)
  const remaining = sources.filter((source) => source === 'claim')
  const revocable = sources.filter((source) => source !== 'claim')
  if (revocable.length === 0) return { changed: false, remaining }
  if (remaining.length === 0) await requireOtherAdmin(dialect, tx, userId)
  for (const source of revocable)
    await removeGrant(tx, { userId, grant: platformAdminGrant(source), removedBy: revokedBy }, origin)
  await revokeSessionsOf(tx, userId, { reason: 'revoked', nowMs: origin.nowMs })
  return { changed: true, remaining }
}

/**
 * Revokes the `manual` and `bootstrap` grants of all accounts of this issuer, including the last
 * one, and ends their sessions. For the case that the users who sign in to these accounts may
 * change. Returns the ids of the users who had them.
 */
export async function revokeAdminsOf(tx: Tx, issuer: string, origin: AuditOrigin): Promise<string[]> {
  const held = await findLastingAdminsOf(tx, issuer)
  for (const { user_id, source } of held)
    await removeGrant(tx, { userId: user_id, grant: platformAdminGrant(source), removedBy: null }, origin)
  const userIds = [...new Set(held.map(({ user_id }) => user_id))]
  for (const userId of userIds) await revokeSessionsOf(tx, userId, { reason: 'revoked', nowMs: origin.nowMs })
  return userIds
}
