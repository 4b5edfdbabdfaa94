import type { Transaction } from 'kysely'
import type { AuditOrigin } from '../audit/store.ts'
import type { Tables } from '../db/tables.ts'
import { addGrant, hasAdmin, platformAdmin, removeGrant } from './operations.ts'
import { type Grant, claimBootstrap, findGrants } from './store.ts'

export interface SignedIn {
  userId: string
  /** The identity was created by this login. */
  isNew: boolean
  /** What the provider says of the person now. */
  isAdmin: boolean
  ownedTeams: readonly string[]
}

/** What somebody should be told, once the login is committed. */
export interface GrantNews {
  isFirstAdmin: boolean
  losesRight: boolean
  leavesNoAdmin: boolean
}

/**
 * Brings the grants that come by themselves up to date (R9.2, R9.3, R9.5); those that people gave stay as they are. The
 * caller has taken `serialiseGrants`.
 */
export async function updateLoginGrants(
  tx: Transaction<Tables>,
  person: SignedIn,
  adminBootstrap: 'first-login' | 'off',
  origin: AuditOrigin,
): Promise<GrantNews> {
  const { userId, isNew } = person
  // Asked even when nobody is to get it: the first identity is the first, whatever the setting says later.
  const isFirst = isNew && (await claimBootstrap(tx, origin.nowMs))
  const isFirstAdmin = isFirst && adminBootstrap === 'first-login'
  if (isFirstAdmin) await addGrant(tx, { userId, grant: platformAdmin('bootstrap'), grantedBy: null }, origin)
  const wanted = wantedGrants(person)
  const present = (await findGrants(tx, userId)).filter(isAutomatic)
  const gone = present.filter((grant) => !wanted.some((other) => isSame(grant, other)))
  for (const grant of gone) await removeGrant(tx, { userId, grant, removedBy: null }, origin)
  for (const grant of wanted) await addGrant(tx, { userId, grant, grantedBy: null }, origin)
  const losesRight = gone.some(({ role }) => role === 'platform_admin')
  return { isFirstAdmin, losesRight, leavesNoAdmin: losesRight && !(await hasAdmin(tx)) }
}

function isAutomatic({ source }: Grant): boolean {
  return source === 'claim' || source === 'teamidp'
}

function wantedGrants({ isAdmin, ownedTeams }: SignedIn): Grant[] {
  return [
    ...(isAdmin ? [platformAdmin('claim')] : []),
    ...[...new Set(ownedTeams)].map((team): Grant => ({
      role: 'owner',
      scope_type: 'team',
      scope_id: team,
      source: 'teamidp',
    })),
  ]
}

function isSame(one: Grant, other: Grant): boolean {
  return one.role === other.role && one.scope_id === other.scope_id && one.source === other.source
}
