import type { Transaction } from 'kysely'
import { type AuditOrigin, recordAudits } from '../audit/store.ts'
import type { Tables } from '../db/tables.ts'
import { addGrant, asMetadata, hasAdmin, platformAdminGrant, removeGrant } from './operations.ts'
import { claimBootstrap, deleteTeams, findGrants, insertTeams, ownerOf } from './store.ts'

export interface SignedInUser {
  userId: string
  /** The identity was created by this login. */
  isNew: boolean
  /** What the provider says of the person now. */
  isAdmin: boolean
  ownedTeams: readonly string[]
}

/** What somebody should be told, once the login is committed. */
export interface GrantChanges {
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
  person: SignedInUser,
  adminBootstrap: 'first-login' | 'off',
  origin: AuditOrigin,
): Promise<GrantChanges> {
  const { userId, isNew } = person
  // Asked even when nobody is to get it: the first identity is the first, whatever the setting says later.
  const isFirst = isNew && (await claimBootstrap(tx, origin.nowMs))
  const isFirstAdmin = isFirst && adminBootstrap === 'first-login'
  if (isFirstAdmin)
    await addGrant(tx, { userId, grant: platformAdminGrant('bootstrap'), grantedBy: null }, origin)
  const present = await findGrants(tx, userId)
  const claimed = present.some(({ source }) => source === 'claim')
  const admin = { userId, grant: platformAdminGrant('claim') }
  const losesRight = claimed && !person.isAdmin
  if (losesRight) await removeGrant(tx, { ...admin, removedBy: null }, origin)
  else if (person.isAdmin && !claimed) await addGrant(tx, { ...admin, grantedBy: null }, origin)
  const teams = present.filter(({ source }) => source === 'teamidp').map(({ scope_id }) => scope_id)
  await updateTeams(tx, person, teams, origin)
  return { isFirstAdmin, losesRight, leavesNoAdmin: losesRight && !(await hasAdmin(tx)) }
}

/** A list can name thousands, of which most are usually the same as last time. */
async function updateTeams(
  tx: Transaction<Tables>,
  { userId, ownedTeams }: SignedInUser,
  present: readonly string[],
  origin: AuditOrigin,
): Promise<void> {
  const [before, after] = [new Set(present), new Set(ownedTeams)]
  for (const teams of portionsOf(before.difference(after))) {
    await deleteTeams(tx, userId, teams)
    await recordAudits(tx, eventsOf('grant.remove', userId, teams), origin)
  }
  for (const teams of portionsOf(after.difference(before))) {
    await insertTeams(tx, userId, teams, origin.nowMs)
    await recordAudits(tx, eventsOf('grant.add', userId, teams), origin)
  }
}

function eventsOf(action: 'grant.add' | 'grant.remove', userId: string, teams: readonly string[]) {
  const target = { type: 'user', id: userId }
  return teams.map((team) => ({ action, actorUserId: null, target, metadata: asMetadata(ownerOf(team)) }))
}

/** Rows of one statement; PostgreSQL takes 65535 parameters, and an audit event has 9. */
const PORTION = 500

function portionsOf(teams: ReadonlySet<string>): string[][] {
  const all = [...teams]
  return Array.from({ length: Math.ceil(all.length / PORTION) }, (_, i) =>
    all.slice(i * PORTION, (i + 1) * PORTION),
  )
}
