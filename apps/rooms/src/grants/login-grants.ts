import { type AuditOrigin, recordAudits } from '../audit/store.ts'
import type { Tx } from '../db/tables.ts'
import { addGrant, asMetadata, hasAdmin, platformAdminGrant, removeGrant } from './operations.ts'
import { claimBootstrap, deleteTeams, findGrants, insertTeams, ownerOf } from './store.ts'

export interface SignedInUser {
  userId: string
  /** The identity was created by this login. */
  isNew: boolean
  /** Claims of the provider in this login. */
  isAdmin: boolean
  ownedTeams: readonly string[]
}

/** Effects of a login on administrators. The caller logs them after the commit. */
export interface GrantChanges {
  isFirstAdmin: boolean
  losesRight: boolean
  leavesNoAdmin: boolean
}

/**
 * Updates the grants that follow from the login (R9.2, R9.3, R9.5). Manual grants do not change.
 * The caller has called `lockGrantChanges`.
 */
export async function updateLoginGrants(
  tx: Tx,
  person: SignedInUser,
  adminBootstrap: 'first-login' | 'off',
  origin: AuditOrigin,
): Promise<GrantChanges> {
  const { userId, isNew } = person
  // Claimed even if the setting is off: the first identity stays the first if the setting changes
  // later.
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

/** Writes only differences: a list can have thousands of teams, most of them usually unchanged. */
async function updateTeams(
  tx: Tx,
  { userId, ownedTeams }: SignedInUser,
  present: readonly string[],
  origin: AuditOrigin,
): Promise<void> {
  const [before, after] = [new Set(present), new Set(ownedTeams)]
  for (const teams of batchesOf(before.difference(after))) {
    await deleteTeams(tx, userId, teams)
    await recordAudits(tx, eventsOf('grant.remove', userId, teams), origin)
  }
  for (const teams of batchesOf(after.difference(before))) {
    await insertTeams(tx, userId, teams, origin.nowMs)
    await recordAudits(tx, eventsOf('grant.add', userId, teams), origin)
  }
}

function eventsOf(action: 'grant.add' | 'grant.remove', userId: string, teams: readonly string[]) {
  const target = { type: 'user', id: userId }
  return teams.map((team) => ({ action, actorUserId: null, target, metadata: asMetadata(ownerOf(team)) }))
}

/** Maximum rows of a statement. PostgreSQL accepts 65535 parameters, and an audit event has 9. */
const BATCH_ROWS = 500

function batchesOf(teams: ReadonlySet<string>): string[][] {
  const all = [...teams]
  return Array.from({ length: Math.ceil(all.length / BATCH_ROWS) }, (_, i) =>
    all.slice(i * BATCH_ROWS, (i + 1) * BATCH_ROWS),
  )
}
