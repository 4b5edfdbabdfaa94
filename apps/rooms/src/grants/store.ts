import type { Db, RoleGrantRow, Tx } from '../db/tables.ts'

/** The content of a grant, without its user and time. */
export type Grant = Pick<RoleGrantRow, 'role' | 'scope_type' | 'scope_id' | 'source'>

/** The grant of a user who owns a team according to the provider (R9.5). */
export function ownerOf(teamId: string): Grant {
  return { role: 'owner', scope_type: 'team', scope_id: teamId, source: 'teamidp' }
}

export async function findGrants(tx: Tx, userId: string): Promise<Grant[]> {
  return tx
    .selectFrom('role_grants')
    .select(['role', 'scope_type', 'scope_id', 'source'])
    .where('user_id', '=', userId)
    .execute()
}

/** Sources of the administrator right of a user. Empty if the user is not an administrator. */
export async function findAdminSources(tx: Tx, userId: string): Promise<Grant['source'][]> {
  const grants = await findGrants(tx, userId)
  return grants.filter(({ role }) => role === 'platform_admin').map(({ source }) => source)
}

/** Returns false if the user already has the grant. */
export async function insertGrant(
  tx: Tx,
  grant: Grant & Pick<RoleGrantRow, 'user_id' | 'granted_by' | 'created_at'>,
): Promise<boolean> {
  const inserted = await tx
    .insertInto('role_grants')
    .values({ id: crypto.randomUUID(), ...grant })
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'role', 'scope_type', 'scope_id', 'source']).doNothing(),
    )
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

/**
 * Inserts grants of teams that the user does not have. The caller must not exceed the parameters
 * that a statement accepts.
 */
export async function insertTeams(
  tx: Tx,
  userId: string,
  teamIds: readonly string[],
  nowMs: number,
): Promise<void> {
  const rows = teamIds.map((team) => ({
    id: crypto.randomUUID(),
    ...ownerOf(team),
    user_id: userId,
    granted_by: null,
    created_at: nowMs,
  }))
  await tx.insertInto('role_grants').values(rows).execute()
}

export async function deleteTeams(tx: Tx, userId: string, teamIds: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('role_grants')
    .where('user_id', '=', userId)
    .where('source', '=', 'teamidp')
    .where('scope_id', 'in', teamIds)
    .execute()
}

export async function deleteGrant(tx: Tx, userId: string, grant: Grant): Promise<void> {
  await tx
    .deleteFrom('role_grants')
    .where('user_id', '=', userId)
    .where('role', '=', grant.role)
    .where('scope_type', '=', grant.scope_type)
    .where('scope_id', '=', grant.scope_id)
    .where('source', '=', grant.source)
    .execute()
}

/**
 * Whether the user has this right. A transaction that revokes it either committed before or waits
 * for the end of this one.
 */
export async function lockGrantsOf(tx: Tx, userId: string, role: RoleGrantRow['role']): Promise<boolean> {
  const held = await tx
    .updateTable('role_grants')
    .set((eb) => ({ role: eb.ref('role') }))
    .where('user_id', '=', userId)
    .where('role', '=', role)
    .returning('id')
    .execute()
  return held.length > 0
}

/**
 * Administrators, including disabled ones, with an identity of this issuer and a grant that does
 * not depend on claims.
 */
export async function findLastingAdminsOf(
  tx: Tx,
  issuer: string,
): Promise<{ user_id: string; source: RoleGrantRow['source'] }[]> {
  return tx
    .selectFrom('role_grants')
    .innerJoin('identities', 'identities.user_id', 'role_grants.user_id')
    .select(['role_grants.user_id', 'source'])
    .where('role', '=', 'platform_admin')
    .where('source', '<>', 'claim')
    .where('identities.issuer', '=', issuer)
    .execute()
}

/** Ids of all enabled administrators, whatever the source of their grants. */
export async function findEnabledAdmins(db: Db): Promise<string[]> {
  const rows = await enabledAdmins(db).execute()
  return rows.map(({ user_id }) => user_id)
}

/** Ids of the enabled administrators whose identity is of this issuer. */
export async function findEnabledAdminsOf(db: Db, issuer: string | null): Promise<string[]> {
  const rows = await enabledAdmins(db)
    .innerJoin('identities', 'identities.user_id', 'users.id')
    .where('identities.issuer', '=', issuer)
    .execute()
  return rows.map(({ user_id }) => user_id)
}

function enabledAdmins(db: Db) {
  return db
    .selectFrom('role_grants')
    .innerJoin('users', 'users.id', 'role_grants.user_id')
    .select('role_grants.user_id')
    .distinct()
    .where('role', '=', 'platform_admin')
    .where('users.disabled', '=', 0)
}

/**
 * Whether this is the first external identity of the instance. Returns true exactly once, even if
 * that account is deleted later.
 */
export async function claimBootstrap(tx: Tx, nowMs: number): Promise<boolean> {
  const claimed = await tx
    .insertInto('platform_state')
    .values({ key: 'bootstrap', value: 'decided', updated_at: nowMs })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returning('key')
    .executeTakeFirst()
  return claimed !== undefined
}
