import { lockKey } from '@latchkey/database/database'
import type { DialectName } from '@latchkey/database/url'
import type { Kysely, Transaction } from 'kysely'
import { type AuditOrigin, recordAudit } from '../audit/store.ts'
import type { GrantSource, Tables } from '../db/tables.ts'
import { failure } from '../failures.ts'
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

/** Changes of who may administer wait for each other, so that one of them sees the last. Any number that nobody else uses. */
const GRANT_LOCK_KEY = 0x6772_616e

/** To be called before anything that could cost the last administrator the right; a login takes it too. */
export async function lockGrantChanges(dialect: DialectName, tx: Transaction<Tables>): Promise<void> {
  await lockKey(dialect, tx, GRANT_LOCK_KEY)
}

export const platformAdminGrant = (source: GrantSource): Grant => ({
  role: 'platform_admin',
  scope_type: 'platform',
  scope_id: '',
  source,
})

/** Gives a grant and audits it; whether the user did not have it before. */
export async function addGrant(
  tx: Transaction<Tables>,
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

/** Takes a grant that the user has, and audits it. */
export async function removeGrant(
  tx: Transaction<Tables>,
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

/** Whether anybody who may administer can sign in: accounts of an earlier provider cannot (R8.5). */
export async function hasAdmin(db: Kysely<Tables>): Promise<boolean> {
  return (await findAdminsWhoCanSignIn(db)).length > 0
}

async function findAdminsWhoCanSignIn(db: Kysely<Tables>): Promise<string[]> {
  return findEnabledAdminsOf(db, await findIssuer(db))
}

/**
 * Throws `last_admin` when nobody else could sign in and administer without this user (R9.4); where nobody can anyway, when
 * nobody else enabled may. For everything that takes the right away: a withdrawal, disabling, erasing.
 */
export async function requireOtherAdmin(
  dialect: DialectName,
  tx: Transaction<Tables>,
  userId: string,
): Promise<void> {
  await lockGrantChanges(dialect, tx)
  const reachable = await findAdminsWhoCanSignIn(tx)
  // Sessions of an earlier provider live on, and so does the right of whoever has one.
  const admins = reachable.length > 0 ? reachable : await findEnabledAdmins(tx)
  if (admins.length === 1 && admins[0] === userId) throw failure('last_admin')
}

/**
 * Gives `platform_admin`; whether that grant is new. A `manual` one ends the user's sessions, since no session id survives
 * a change of rights (R9.7): whoever gives it to themselves needs a new session.
 */
export async function grantPlatformAdmin(
  tx: Transaction<Tables>,
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
 * Takes the `manual` and `bootstrap` grants; what a claim gives stays and is `remaining`. Ends the user's sessions when
 * anything changed. Throws `last_admin`.
 */
export async function revokePlatformAdmin(
  tx: Transaction<Tables>,
  {
    dialect,
    userId,
    withdrawnBy: revokedBy,
    origin,
  }: { dialect: DialectName; userId: string; withdrawnBy: string | null; origin: AuditOrigin },
): Promise<{ changed: boolean; remaining: GrantSource[] }> {
  await lockGrantChanges(dialect, tx)
  const sources = await findAdminSources(tx, userId)
  const remaining = sources.filter((source) => source === 'claim')
  const taken = sources.filter((source) => source !== 'claim')
  if (taken.length === 0) return { changed: false, remaining }
  if (remaining.length === 0) await requireOtherAdmin(dialect, tx, userId)
  for (const source of taken)
    await removeGrant(tx, { userId, grant: platformAdminGrant(source), removedBy: revokedBy }, origin)
  await revokeSessionsOf(tx, userId, { reason: 'revoked', nowMs: origin.nowMs })
  return { changed: true, remaining }
}

/**
 * Takes the `manual` and `bootstrap` grants of everybody with an account of this issuer, the last one too, and ends their
 * sessions: for when nobody can tell who signs in to these accounts from now on. Returns who had them.
 */
export async function revokeAdminsOf(
  tx: Transaction<Tables>,
  issuer: string,
  origin: AuditOrigin,
): Promise<string[]> {
  const held = await findLastingAdminsOf(tx, issuer)
  for (const { user_id, source } of held)
    await removeGrant(tx, { userId: user_id, grant: platformAdminGrant(source), removedBy: null }, origin)
  const userIds = [...new Set(held.map(({ user_id }) => user_id))]
  for (const userId of userIds) await revokeSessionsOf(tx, userId, { reason: 'revoked', nowMs: origin.nowMs })
  return userIds
}
